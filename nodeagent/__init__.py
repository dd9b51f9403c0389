"""The node agent: runs the pods that are bound to one node. The only process that touches the container engine."""

import steersman  # noqa: F401 - sets gRPC's environment before anything imports it
