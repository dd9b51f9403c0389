"""Benchmarks: one command, one table, ratios."""

import steersman  # noqa: F401 - sets gRPC's environment before anything imports it
