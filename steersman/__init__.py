"""Steersman: a Kubernetes-compatible control plane."""

import os

# Read by gRPC when it is first imported.
#
# Our processes start by exec and never fork, and what gRPC has to say below an error is for its own developers. Its
# newer event engine hands every read and write to a thread of a pool, which beside a Python event loop only costs
# (docs/adr/0005).
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
os.environ.setdefault("GRPC_EXPERIMENTS", "-event_engine_client,-event_engine_listener")
