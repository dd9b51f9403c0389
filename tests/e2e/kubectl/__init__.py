"""What a user of kubectl sees, against a real cluster of processes on hollow nodes."""
