"""The Kubernetes HTTP API over the registry: decode, name the caller, call, encode."""
