"""`steer`: a cluster on this machine, and kubectl's verbs over gRPC. One verb per file."""
