"""The handshakes of the gRPC port: who is let in, in which protocol, and which certificate is shown after a renewal."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from apiserver.auth import certificates, tls
from apiserver.auth.certificates import Pki
from apiserver.auth.tls import ServerTls
from steersman.base.clock import SystemClock
from steersman.http2 import frames, settings
from steersman.http2.frames import Reader
from steersman.rpc.server import Bounds, Server

HELLO = frames.PREFACE + settings.frame({})


def make(folder: Path, after: timedelta = timedelta()) -> Pki:
    return certificates.ensure(
        folder, server_url="https://127.0.0.1:1", now=SystemClock().now() + after, extra_names=("127.0.0.1",)
    )


@dataclass(frozen=True)
class Serving:
    port: int
    folder: Path
    tls: ServerTls

    def client(self, *, protocol: str = "h2", certificate: bool = True) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=str(self.folder / "pki" / "ca.crt"))
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        if protocol:
            context.set_alpn_protocols([protocol])
        if certificate:
            context.load_cert_chain(self.folder / "pki" / "admin.crt", self.folder / "pki" / "admin.key")
        return context


@pytest.fixture
async def serving(tmp_path: Path) -> AsyncIterator[Serving]:
    server_tls, server = ServerTls(tls.of_pki(make(tmp_path))), Server(Bounds())
    async with server.listening("127.0.0.1", 0, server_tls.grpc) as port:
        yield Serving(port, tmp_path, server_tls)
        await server.stop(0.1)


async def greeting(serving: Serving, context: ssl.SSLContext) -> tuple[int | None, bytes]:
    """The kind of the first frame that the server sends, and its certificate."""
    reader, writer = await asyncio.open_connection("127.0.0.1", serving.port, ssl=context)
    try:
        shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        writer.write(HELLO)
        said = b""
        while len(said) < frames.HEAD_BYTES + 18 and (data := await reader.read(1024)):
            said += data
        first = next(Reader().feed(said), None)
        return (None if first is None else first[0]), shown
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def refused(serving: Serving, context: ssl.SSLContext) -> bool:
    try:
        said, _ = await greeting(serving, context)
    except (ssl.SSLError, ConnectionError):
        return True
    return said is None


async def test_with_a_certificate_and_http2_one_is_greeted(serving: Serving) -> None:
    assert (await greeting(serving, serving.client()))[0] == frames.SETTINGS


async def test_without_a_certificate_nothing_is_said(serving: Serving) -> None:
    assert await refused(serving, serving.client(certificate=False))


@pytest.mark.parametrize("protocol", ["", "http/1.1"])
async def test_what_was_not_agreed_on_is_not_spoken(serving: Serving, protocol: str) -> None:
    """RFC 9113: over TLS, HTTP/2 is agreed on in the handshake or not at all."""
    assert await refused(serving, serving.client(protocol=protocol))


async def test_new_connections_are_shown_the_renewed_certificate(serving: Serving) -> None:
    context = serving.client()
    _, before = await greeting(serving, context)
    renewed = make(serving.folder, after=timedelta(days=364))  # when it is due
    serving.tls.take_into_use(tls.of_pki(renewed))
    shown = ssl.DER_cert_to_PEM_cert(before)
    assert shown not in renewed.server.certificate_file.read_text()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # it is not valid yet
    _, after = await greeting(serving, context)
    assert ssl.DER_cert_to_PEM_cert(after) in renewed.server.certificate_file.read_text()
