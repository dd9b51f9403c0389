"""What the server fills in where the user said nothing. Pure functions from Struct to Struct, the same object if nothing was missing."""
