"""`python -m bench.otlpsink PORT`: takes spans over OTLP/gRPC and forgets them: only their sender is measured."""

from __future__ import annotations

import asyncio
import sys

import grpc
import grpc.aio


async def _export(spans: bytes, context: object) -> bytes:
    return b""  # an empty answer is an ExportTraceServiceResponse that refuses nothing


async def main(port: int) -> None:
    server = grpc.aio.server()
    handlers = {"Export": grpc.unary_unary_rpc_method_handler(_export)}
    service = "opentelemetry.proto.collector.trace.v1.TraceService"
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    await server.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
