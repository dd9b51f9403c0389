"""The API server: the only process that touches the store."""

import steersman  # noqa: F401 - sets gRPC's environment before anything imports it
