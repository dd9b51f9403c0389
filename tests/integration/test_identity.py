"""Who writes, as the server notes it: over gRPC with a certificate, over HTTP with a token that gRPC gave out."""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import grpc.aio
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from apiserver.server import Serving
from steersman.pb import resources_pb2
from tests.builders import make_pod
from tests.integration.test_grpc_front import ask, running, target


@pytest.fixture
async def serving(tmp_path: Path) -> AsyncIterator[Serving]:
    async with running(tmp_path) as started:
        yield started


@pytest.fixture
async def channel(serving: Serving, tmp_path: Path) -> AsyncIterator[grpc.aio.Channel]:
    """The administrator's."""
    pki = tmp_path / "pki"
    credentials = grpc.ssl_channel_credentials(
        (pki / "ca.crt").read_bytes(), (pki / "admin.key").read_bytes(), (pki / "admin.crt").read_bytes()
    )
    async with grpc.aio.secure_channel(str(serving.grpc), credentials) as opened:
        yield opened


def made(reply: resources_pb2.WriteReply) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(reply.object.json)
    return found


async def token_of(channel: grpc.aio.Channel, spec: dict[str, Any]) -> str:
    body = json.dumps({"spec": spec}).encode()
    account = target("default", "serviceaccounts")
    reply = await ask(channel, "Create", resources_pb2.CreateRequest(target=account, json=body, subresource="token"))
    token: str = made(reply)["status"]["token"]
    return token


async def status_of(serving: Serving, ca: Path, token: str) -> int:
    trust = ssl.create_default_context(cafile=str(ca))
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"https://{serving.rest}/api/v1/namespaces/default/pods", ssl=trust, headers=headers) as reply,
    ):
        return reply.status


async def test_a_request_for_a_certificate_says_who_asked(channel: grpc.aio.Channel) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    wanted = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).sign(key, hashes.SHA256())
    spec = {
        "request": base64.b64encode(wanted.public_bytes(serialization.Encoding.PEM)).decode(),
        "signerName": "kubernetes.io/kube-apiserver-client",
        "usages": ["client auth"],
        "username": "somebody else",
    }
    body = json.dumps({"metadata": {"name": "mine"}, "spec": spec}).encode()
    where = target(resource="certificatesigningrequests", namespace="", group="certificates.k8s.io")
    reply = made(await ask(channel, "Create", resources_pb2.CreateRequest(target=where, json=body)))
    assert reply["spec"]["username"] == "kubernetes-admin"
    assert reply["spec"]["groups"] == ["system:masters", "system:authenticated"]
    assert list(reply["spec"]["extra"]) == ["authentication.kubernetes.io/credential-id"]


async def test_a_token_opens_the_door_until_its_pod_is_gone(
    serving: Serving, channel: grpc.aio.Channel, tmp_path: Path
) -> None:
    body = make_pod(name="web")
    pod = made(await ask(channel, "Create", resources_pb2.CreateRequest(target=target(resource="pods"), json=body)))
    bound = {"kind": "Pod", "apiVersion": "v1", "name": "web", "uid": pod["metadata"]["uid"]}
    token = await token_of(channel, {"boundObjectRef": bound})
    ca = tmp_path / "pki" / "ca.crt"
    assert await status_of(serving, ca, token) == 200
    assert await status_of(serving, ca, token[:-8] + "AAAAAAAA") == 401
    assert await status_of(serving, ca, await token_of(channel, {"audiences": ["vault"]})) == 401
    await ask(channel, "Delete", resources_pb2.DeleteRequest(target=target("web", "pods")))
    assert await status_of(serving, ca, token) == 401


async def test_warnings_come_with_the_reply(channel: grpc.aio.Channel) -> None:
    body = json.dumps({"metadata": {"name": "a"}, "spec": {"clusterIP": "None", "externalIPs": ["10.0.0.1"]}, "x": 1})
    request = resources_pb2.CreateRequest(target=target(resource="services"), json=body.encode())
    reply = await ask(channel, "Create", request)
    assert list(reply.warnings) == ['unknown field "x"', "spec.externalIPs is ignored for headless services"]
