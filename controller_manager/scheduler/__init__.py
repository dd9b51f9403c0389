"""Which node a pod goes to: pure decisions over a frozen view of the cluster. Time and chance arrive as arguments."""
