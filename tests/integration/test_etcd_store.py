"""What only the store over etcd has; what all stores promise is in tests/contract."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import ipaddress
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aetcd.rpc import rpc_pb2 as pb
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from grpc import aio

from apiserver.storage import compaction, etcd
from apiserver.storage.interface import Changed, Page, Put, Revised, Store, Stored, Watch
from steersman.api.errors import Expired, RequestTooLarge, TooManyRequests, Unavailable
from steersman.api.names import Revision
from tests.etcdserver import NO_FSYNC, EtcdMember, etcd_server
from tests.eventually import eventually

pytestmark = [pytest.mark.etcd, pytest.mark.timeout(240)]

WITHIN = 60.0
START = Revision(1)  # of a new etcd


@pytest.fixture
async def server() -> AsyncIterator[EtcdMember]:
    async with etcd_server(*NO_FSYNC) as member:
        yield member


@pytest.fixture
async def store(server: EtcdMember) -> AsyncIterator[Store]:
    async with etcd.open_store([server.endpoint]) as opened:
        yield opened


async def next_change(watch: Watch) -> Revised:
    async with asyncio.timeout(WITHIN):
        while True:
            revised = await anext(watch)
            if revised.changes:
                return revised


async def read_to_the_end(watch: Watch) -> None:
    async with asyncio.timeout(WITHIN):
        async for _ in watch:
            pass


async def write_all(store: Store, values: dict[str, bytes], *, writers: int = 64) -> list[Stored]:
    waiting = iter(values.items())
    written: list[Stored] = []

    async def write() -> None:
        for key, value in waiting:
            written.append(await store.create(key, value))

    async with asyncio.TaskGroup() as tasks:
        for _ in range(writers):
            tasks.create_task(write())
    return sorted(written, key=lambda stored: stored.revision)


@pytest.mark.parametrize("writes_after_restore", [0, 10], ids=["still-behind", "grown-past-us"])
@pytest.mark.parametrize("keep", ["older-copy", "nothing"])
async def test_a_watch_notices_that_the_store_was_restored(
    server: EtcdMember, store: Store, tmp_path: Path, keep: str, writes_after_restore: int
) -> None:
    await store.create("/registry/a", b"1")
    await server.kill()
    await server.save_data(tmp_path / "copy")
    await server.restart()
    newest = await write_all(store, {f"/registry/b{index}": b"lost" for index in range(5)})
    watch = store.watch("/registry/", START)
    for _ in range(6):
        await next_change(watch)

    await server.kill()
    await server.replace_data(tmp_path / "copy" if keep == "older-copy" else None)
    await server.restart()
    async with etcd.open_store([server.endpoint]) as another:
        await write_all(another, {f"/registry/c{index}": b"new" for index in range(writes_after_restore)})

    with pytest.raises(Expired):
        await next_change(watch)
    with pytest.raises(Expired):  # and says so to whoever asks again
        await next_change(watch)
    await watch.aclose()
    if not writes_after_restore:
        later = store.watch("/registry/", newest[-1].revision)
        with pytest.raises(Expired):
            await next_change(later)
        with pytest.raises(Expired):
            await store.list("/registry/", Page(revision=newest[-1].revision))
        await later.aclose()


async def test_a_restored_store_can_be_watched_anew(server: EtcdMember, store: Store) -> None:
    await write_all(store, {f"/registry/{index}": b"lost" for index in range(5)})
    watch = store.watch("/registry/", START)
    await next_change(watch)
    await server.kill()
    await server.replace_data(None)
    await server.restart()
    with pytest.raises(Expired):
        await read_to_the_end(watch)
    fresh = store.watch("/registry/", (await store.list("/registry/")).revision)
    created = await store.create("/registry/new", b"1")
    assert await next_change(fresh) == Revised(created.revision, (Changed("/registry/new", b"1"),))


async def test_a_revision_larger_than_a_message_arrives_whole() -> None:
    large = b"x" * 100_000
    further = tuple(Put(f"/registry/part/{index:02}", large) for index in range(30))
    async with (
        etcd_server("--max-request-bytes=8000000", *NO_FSYNC) as server,
        etcd.open_store([server.endpoint]) as store,
    ):
        await store.create("/registry/before", b"1")
        wide = await store.create("/registry/wide", large, also=further)
        after = await store.create("/registry/after", b"2")
        # A transaction is never larger than etcd's limit, a revision is cut only above it: so lower the limit.
        await server.restart("--max-request-bytes=1000000")
        assert await first_message_is_a_fragment(server.endpoint, wide.revision)

        watch = store.watch("/registry/", START)
        assert (await next_change(watch)).changes == (Changed("/registry/before", b"1"),)
        revised = await next_change(watch)
        assert revised.revision == wide.revision
        assert {change.key for change in revised.changes} == {"/registry/wide"} | {put.key for put in further}
        assert all(change.value == large for change in revised.changes)
        assert await next_change(watch) == Revised(after.revision, (Changed("/registry/after", b"2"),))
        await watch.aclose()


async def first_message_is_a_fragment(endpoint: str, revision: Revision) -> bool:
    """The test would prove nothing if etcd did not cut the revision."""
    options = [("grpc.max_receive_message_length", -1)]
    async with aio.insecure_channel(endpoint.removeprefix("http://"), options=options) as channel:
        watch: Any = channel.stream_stream(
            "/etcdserverpb.Watch/Watch",
            request_serializer=pb.WatchRequest.SerializeToString,
            response_deserializer=pb.WatchResponse.FromString,
        )
        stream = watch(wait_for_ready=True)
        create = pb.WatchCreateRequest(key=b"/", range_end=b"0", start_revision=revision, fragment=True)
        await stream.write(pb.WatchRequest(create_request=create))
        async with asyncio.timeout(WITHIN):
            responses = [await stream.read(), await stream.read()]
        stream.cancel()
        return bool(responses[1].fragment)


async def test_a_watch_goes_on_over_restarts_with_nothing_lost_or_repeated(server: EtcdMember, store: Store) -> None:
    watch = store.watch("/registry/", START)
    given: list[Revised] = []

    async def follow() -> None:
        async for revised in watch:
            if revised.changes:
                given.append(revised)

    following = asyncio.create_task(follow())
    written: list[Stored] = []
    for round_ in range(3):
        written += await write_all(store, {f"/registry/{round_}/{index}": b"v" for index in range(100)})
        await server.restart()
    written += await write_all(store, {"/registry/last": b"v"})
    await eventually(lambda: len(given) >= len(written), within=WITHIN)
    await watch.aclose()
    await following
    assert given == [Revised(item.revision, (Changed(item.key, item.value),)) for item in written]


async def test_a_list_of_many_pages_is_of_one_revision(store: Store) -> None:
    await write_all(store, {f"/registry/{index:04}": b"old" for index in range(1203)})
    before = await store.revision()

    async def overwrite() -> None:
        for index in reversed(range(1203)):
            await store.update(f"/registry/{index:04}", lambda _: b"new")

    overwriting = asyncio.create_task(overwrite())
    listings = [await store.list("/registry/") for _ in range(10)]
    overwriting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await overwriting
    for listing in listings:
        new = [item for item in listing.items if item.value == b"new"]
        assert len(listing.items) == 1203
        assert len(new) == listing.revision - before
    part = await store.list("/registry/", Page(limit=600, after_key="/registry/0099", revision=before))
    assert (part.revision, len(part.items), part.remaining) == (before, 600, 503)
    assert {item.value for item in part.items} == {b"old"}


async def test_a_write_that_is_too_large_is_refused(store: Store) -> None:
    for megabytes in (2, 5):
        with pytest.raises(RequestTooLarge):
            await store.create("/registry/large", b"x" * (megabytes << 20))
    assert (await store.list("/registry/")).items == ()


async def test_a_full_database_refuses_writes_and_still_reads() -> None:
    quota = ("--quota-backend-bytes=8000000", *NO_FSYNC)
    async with etcd_server(*quota) as server, etcd.open_store([server.endpoint]) as store:
        acknowledged: list[Stored] = []

        async def fill() -> None:
            for index in range(20):
                acknowledged.append(await store.create(f"/registry/{index:02}", b"x" * 1_000_000))

        with pytest.raises(TooManyRequests):
            await fill()
        assert (await store.list("/registry/")).items == tuple(acknowledged)


async def test_only_one_of_two_compacts_and_only_what_is_an_interval_old(store: Store) -> None:
    first = await compaction.compact_once(store, None)
    other = await compaction.compact_once(store, None)
    assert first == other
    await store.create("/registry/a", b"1")
    swapped = await compaction.compact_once(store, first)
    assert await store.oldest() == first.revision
    beaten = await compaction.compact_once(store, other)
    assert beaten == swapped
    assert await store.oldest() == first.revision
    await compaction.compact_once(store, beaten)  # the first compactor is gone: the other takes its place
    assert await store.oldest() == swapped.revision


READER = """
import json, sys, etcd3
client = etcd3.client(host="127.0.0.1", port=int(sys.argv[1]))
found = {meta.key.decode(): [value.decode(), meta.mod_revision] for value, meta in client.get_prefix("/registry/")}
print(json.dumps(found))
"""


@pytest.fixture(scope="session")
def python_etcd3(request: pytest.FixtureRequest) -> Path:
    """A folder with python-etcd3 0.12.0 and the old protobuf that it needs, which cannot live beside our own."""
    assert request.config.cache is not None
    folder = request.config.cache.mkdir("python-etcd3") / "site"
    if not folder.exists():
        fresh = folder.with_name(f"installing-{os.getpid()}")
        wanted = ["etcd3==0.12.0", "protobuf==3.20.*"]
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(fresh), *wanted]
        result = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
        if result.returncode:
            message = f"python-etcd3 cannot be installed: {result.stderr[-500:]}"
            (pytest.fail if "etcd" in os.environ.get("STEERSMAN_REQUIRE", "") else pytest.skip)(message)
        with contextlib.suppress(OSError):  # another run was faster
            fresh.rename(folder)
    return folder


async def test_an_independent_client_reads_plain_values(python_etcd3: Path, server: EtcdMember, store: Store) -> None:
    written = [
        await store.create("/registry/pods/default/web", b'{"metadata":{"name":"web"}}'),
        await store.create("/registry/pods/default/grün", "ein \N{SNOWMAN}".encode()),
    ]
    port = server.endpoint.rpartition(":")[2]
    reader = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", READER, port),
        env={**os.environ, "PYTHONPATH": str(python_etcd3)},
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(WITHIN):
        output, _ = await reader.communicate()
    assert json.loads(output) == {item.key: [item.value.decode(), item.revision] for item in written}


async def test_tls_with_client_certificates(tmp_path: Path) -> None:
    authority = Authority.create(tmp_path)
    cert_file, key_file = authority.issue("etcd")
    client_cert, client_key = authority.issue("client")
    flags = ["--client-cert-auth", f"--trusted-ca-file={authority.ca_file}"]
    flags += [f"--cert-file={cert_file}", f"--key-file={key_file}"]
    async with etcd_server(*flags, scheme="https") as server:
        async with etcd.open_store(
            [server.endpoint], ca_file=authority.ca_file, cert_file=client_cert, key_file=client_key
        ) as store:
            created = await store.create("/registry/a", b"1")
            watch = store.watch("/registry/", START)
            assert (await next_change(watch)).revision == created.revision
            await watch.aclose()
        async with etcd.open_store([server.endpoint], ca_file=authority.ca_file) as stranger:
            with pytest.raises(Unavailable):
                await stranger.create("/registry/b", b"2")


@dataclass(frozen=True)
class Authority:
    """Certificates for one test."""

    folder: Path
    ca_file: Path
    name: x509.Name
    key: ec.EllipticCurvePrivateKey

    @classmethod
    def create(cls, folder: Path) -> Authority:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
        constraints = x509.BasicConstraints(ca=True, path_length=None)
        certificate = _certificate(name, key, name).add_extension(constraints, critical=True)
        ca_file = folder / "ca.crt"
        ca_file.write_bytes(certificate.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
        return cls(folder, ca_file, name, key)

    def issue(self, common_name: str) -> tuple[Path, Path]:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        signed = _certificate(subject, key, self.name).add_extension(address, critical=False)
        cert_file, key_file = self.folder / f"{common_name}.crt", self.folder / f"{common_name}.key"
        cert_file.write_bytes(signed.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
        key_file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return cert_file, key_file


def _certificate(subject: x509.Name, key: ec.EllipticCurvePrivateKey, issuer: x509.Name) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
    )
