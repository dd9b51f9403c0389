"""HTTP/2 (RFC 9113) on asyncio: as much of it as gRPC needs, strict about the rest.

Knows nothing of gRPC, and nothing of ours. Pure: `frames`, `settings`, `headers`, `blocks`, `flow`, `patience`. On the
event loop: `link` (transport and streams), `stream`, `sending`, `connection` (frames in), and its two ends, `server`
and `client`.
"""
