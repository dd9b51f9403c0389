"""gRPC over our own HTTP/2 (docs/adr/0010): standard on the wire, small in the process.

`messages` and `metadata` are the wire format, pure. `server` takes the handlers that generated code makes for
`grpc.aio.server`, and runs each in a `call`; `channel` is the other end, with calls as `asking` has them.
"""
