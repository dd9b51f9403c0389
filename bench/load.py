"""The load generator: one phase per process, `python -m bench.load PHASE ADDRESS DATA_DIR …`, one JSON line out."""

from __future__ import annotations

import asyncio
import gc
import json
import random
import re
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from bench import wire
from bench.measuring import many, milliseconds, percentile
from bench.wire import Wire
from steersman.pb import objects_pb2, resources_pb2

CREATE = {1: 500, 16: 3000, 64: 4000}
GET = {1: 500, 16: 4000, 64: 6000}
OBJECTS = 5000


async def create(api: Wire, clients: int) -> dict[str, Any]:
    prefix = f"c{clients}-{random.randrange(10**9)}"

    async def one(number: int) -> None:
        name = f"{prefix}-{number}"
        await api.create(resources_pb2.CreateRequest(target=wire.target(), json=wire.configmap(name)))

    await many(clients, range(-2 * clients, 0), one)
    return (await many(clients, range(CREATE[clients]), one)).as_json()


async def get(api: Wire, clients: int) -> dict[str, Any]:
    names = [f"g{number}" for number in range(500)]
    for name in names:
        await _ensure(api, name)

    async def one(_: int) -> None:
        await api.get(resources_pb2.GetRequest(target=wire.target(random.choice(names))))

    await many(clients, range(2 * clients), one)
    return (await many(clients, range(GET[clients]), one)).as_json()


async def lists(api: Wire, _: int) -> dict[str, Any]:
    """Lists of a namespace with just so many objects; the selector is tried on all of them."""
    await _fill(api, OBJECTS, "lists")
    everything = resources_pb2.ListRequest(target=wire.target(namespace="lists"))
    found = await api.list(everything)
    assert len(found.items) == OBJECTS
    whole = await many(1, range(10), lambda _: api.list(everything))
    none = resources_pb2.ListRequest(target=wire.target(namespace="lists"), label_selector="bench=none")
    await api.list(none)
    nothing = await many(1, range(20), lambda _: api.list(none))
    size = sum(len(item.json) for item in found.items)
    return {"mb": round(size / 1e6, 1), "p50_ms": whole.p50_ms, "none_p50_ms": nothing.p50_ms}


async def fill(api: Wire, count: int) -> dict[str, Any]:
    await _fill(api, count, "fill")
    return {"objects": count}


async def contention(api: Wire, clients: int) -> dict[str, Any]:
    """Every client increments one counter by reading it and writing it back at the revision it read."""
    await _ensure(api, "counter", n="0")
    refused = 0

    async def increment(_: int) -> None:
        nonlocal refused
        while True:
            found = await api.get(resources_pb2.GetRequest(target=wire.target("counter")))
            body = json.loads(found.json)
            body["data"]["n"] = str(int(body["data"]["n"]) + 1)
            try:
                await api.update(
                    resources_pb2.UpdateRequest(target=wire.target("counter"), json=json.dumps(body).encode())
                )
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.ABORTED:
                    raise
                refused += 1
            else:
                return

    before = await _counter(api)
    measured = await many(clients, range(600), increment)
    assert await _counter(api) == before + 600, "an increment was lost"
    return {**measured.as_json(), "conflicts_each": round(refused / 600, 2)}


async def saturated(api: Wire, readers: int) -> dict[str, Any]:
    """Writes by four clients while `readers` read as fast as they can."""
    names = [f"g{number}" for number in range(500)]
    for name in names:
        await _ensure(api, name)
    prefix = f"s-{random.randrange(10**9)}"
    reads = 0

    async def read() -> None:
        nonlocal reads
        while True:
            await api.get(resources_pb2.GetRequest(target=wire.target(random.choice(names))))
            reads += 1

    async def write(number: int) -> None:
        body = wire.configmap(f"{prefix}-{number}")
        await api.create(resources_pb2.CreateRequest(target=wire.target(), json=body))

    async with asyncio.TaskGroup() as tasks:
        reading = [tasks.create_task(read()) for _ in range(readers)]
        await asyncio.sleep(0.5)
        before, started = reads, time.perf_counter()
        measured = await many(4, range(600), write)
        per_second = (reads - before) / (time.perf_counter() - started)
        for task in reading:
            task.cancel()
    return {**measured.as_json(), "reads_per_s": round(per_second)}


async def etcd_put(endpoint: str, clients: int) -> dict[str, Any]:
    """etcd's own rate with the same kind of client: bytes in, bytes out."""
    raw = {"request_serializer": None, "response_deserializer": None}
    async with grpc.aio.insecure_channel(endpoint.removeprefix("http://")) as channel:
        put = channel.unary_unary("/etcdserverpb.KV/Put", **raw)
        prefix, payload = f"/bench/{random.randrange(10**9)}/", b"\x12\x80\x08" + b"x" * 1024

        async def one(number: int) -> None:
            key = f"{prefix}{number}".encode()
            await put(bytes([0x0A, len(key)]) + key + payload)

        await many(clients, range(2 * clients), one)
        return (await many(clients, range(CREATE[clients]), one)).as_json()


async def watchers(api: Wire, count: int, connect: Any, after: int) -> None:
    """Open `count` watches over a few connections; in the end say what arrived: (sequence number, when) as JSON."""
    seen: list[tuple[int, float]] = []
    opened = 0
    sequence_number = re.compile(rb'"seq":"(\d+)"')
    gc.disable()  # what is measured is the server's delay, not our collector's

    async def follow(client: Wire) -> None:
        nonlocal opened
        opened += 1
        async for reply in client.watch(after):
            at = time.monotonic()
            for number in sequence_number.findall(reply):
                seen.append((int(number), at))

    async with asyncio.TaskGroup() as tasks:
        clients = [api] + [await connect() for _ in range(min(9, count // 10))]
        following = [tasks.create_task(follow(clients[number % len(clients)])) for number in range(count)]
        while opened < count:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.5)
        print("open", flush=True)
        asked = await asyncio.to_thread(sys.stdin.readline)
        wanted = int(asked)
        deadline = time.monotonic() + 60
        while len(seen) < wanted and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        print(json.dumps(seen), flush=True)
        for task in following:
            task.cancel()


async def _watching(address: str, data_dir: str, count: int, after: int) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.load", "watchers", address, data_dir, str(count), str(after)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 28,
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"open\n"
    return process


async def watch(
    api: Wire, count: int, address: str, data_dir: str, writes_per_second: int, writes: int
) -> dict[str, Any]:
    """`writes` paced (at 0 per second: as fast as 8 writers can); how long from acknowledgement to each receipt."""
    for number in range(20):
        await _ensure(api, f"w{number}", seq="0")
    listed = await api.list(resources_pb2.ListRequest(target=wire.target(), limit=1))
    process = await _watching(address, data_dir, count, listed.revision)
    assert process.stdin is not None
    assert process.stdout is not None
    acknowledged: dict[int, float] = {}

    async def write(number: int) -> None:
        name = f"w{number % 20}"
        body = wire.configmap(name, seq=str(number + 1))
        await api.update(resources_pb2.UpdateRequest(target=wire.target(name), json=body))
        acknowledged[number + 1] = time.monotonic()

    began = time.monotonic()
    if writes_per_second:
        async with asyncio.TaskGroup() as tasks:
            for number in range(writes):
                tasks.create_task(write(number))
                await asyncio.sleep(max(0.0, began + (number + 1) / writes_per_second - time.monotonic()))
    else:
        await many(8, range(writes), write)
    process.stdin.write(b"%d\n" % (count * writes))
    await process.stdin.drain()
    seen = json.loads(await process.stdout.readline())
    await process.wait()
    latencies = [at - acknowledged[number] for number, at in seen if number in acknowledged]
    last = max(at for _, at in seen)
    return {
        "expected": count * writes,
        "received": len(latencies),
        "p50_ms": milliseconds(statistics.median(latencies)),
        "p99_ms": milliseconds(percentile(latencies, 99)),
        "events_per_s": round(len(latencies) / (last - began)),
    }


async def _ensure(api: Wire, name: str, namespace: str = wire.NAMESPACE, **data: str) -> None:
    body = wire.configmap(name, namespace, **data)
    await _create(api, resources_pb2.CreateRequest(target=wire.target(namespace=namespace), json=body))


async def _create(api: Wire, request: resources_pb2.CreateRequest) -> None:
    try:
        await api.create(request)
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.ALREADY_EXISTS:
            raise


async def _fill(api: Wire, count: int, namespace: str) -> None:
    body = json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}).encode()
    await _create(api, resources_pb2.CreateRequest(target=wire.target(namespace="", resource="namespaces"), json=body))
    await many(32, range(count), lambda number: _ensure(api, f"f{number}", namespace))


async def _counter(api: Wire) -> int:
    found: objects_pb2.Object = await api.get(resources_pb2.GetRequest(target=wire.target("counter")))
    return int(json.loads(found.json)["data"]["n"])


@asynccontextmanager
async def _connected(address: str, data_dir: str) -> AsyncIterator[Wire]:
    async with wire.connected(address, Path(data_dir)) as api:
        yield api


async def main(phase: str, address: str, *arguments: str) -> None:
    if phase == "etcd_put":
        print(json.dumps(await etcd_put(address, int(arguments[0]))))
        return
    data_dir, *rest = arguments
    numbers = [int(argument) for argument in rest]
    async with _connected(address, data_dir) as api:
        if phase == "watchers":
            await _with_connections(api, address, data_dir, numbers[0], numbers[1])
        elif phase == "watch":
            print(json.dumps(await watch(api, numbers[0], address, data_dir, numbers[1], numbers[2])))
        else:
            print(json.dumps(await PHASES[phase](api, numbers[0] if numbers else 0)))


async def _with_connections(api: Wire, address: str, data_dir: str, count: int, after: int) -> None:
    from contextlib import AsyncExitStack

    async with AsyncExitStack() as stack:
        await watchers(api, count, lambda: stack.enter_async_context(_connected(address, data_dir)), after)


PHASES = {
    "create": create,
    "get": get,
    "lists": lists,
    "fill": fill,
    "contention": contention,
    "saturated": saturated,
}

if __name__ == "__main__":
    import uvloop

    uvloop.run(main(*sys.argv[1:]))
