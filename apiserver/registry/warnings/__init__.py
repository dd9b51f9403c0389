"""What the writer of an accepted object is told all the same, in Kubernetes' words: one module per sort. Pure."""
