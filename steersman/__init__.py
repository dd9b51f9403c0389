"""Steersman: a Kubernetes-compatible control plane."""

import os

# Read by gRPC when it is first imported. Our processes start by exec and never fork; and what gRPC has to say below an
# error is for its own developers.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
