"""What happens inside this node's pods, told to the API server: the `Nodes` service over the container runtime."""
