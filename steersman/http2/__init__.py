"""HTTP/2 (RFC 9113) on asyncio: as much of it as gRPC needs, strict about the rest.

Knows nothing of gRPC, and nothing of ours. `frames`, `settings`, `headers`, `flow` and `patience` are pure;
`connection` is the asyncio Protocol that puts them together, `server` the end that streams are opened to.
"""
