"""A whole cluster of real processes on this machine: started, watched over, shown, killed in parts, and ended."""
