"""The certificates on disk: made, shared by racing processes, renewed, and accepted in real handshakes."""

from __future__ import annotations

import base64
import ssl
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from apiserver.auth import certificates, identity, signing
from apiserver.auth.certificates import BrokenPki, Credential, Pki

NOW = datetime.now(UTC).replace(microsecond=0)
DAY = timedelta(days=1)
URL = "https://127.0.0.1:6443"


def ensure(data_dir: Path, now: datetime = NOW, **further: str | tuple[str, ...]) -> Pki:
    return certificates.ensure(data_dir, server_url=URL, now=now, **{"host_name": "host", **further})  # type: ignore[arg-type]


def contents(pki: Pki) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in pki.directory.iterdir()}


def caller(credential: Credential) -> tuple[str, tuple[str, ...]]:
    found = identity.from_certificate(credential.certificate)
    assert found is not None
    return found.user, found.groups[:-1]


def test_the_first_start_makes_everything(tmp_path: Path) -> None:
    pki = ensure(tmp_path / "data")
    assert caller(pki.admin) == ("kubernetes-admin", ("system:masters",))
    assert caller(pki.controller_manager) == ("system:kube-controller-manager", ())
    assert caller(pki.scheduler) == ("system:kube-scheduler", ())
    assert caller(pki.apiserver) == ("system:apiserver", ())
    server = signing.load_certificate(pki.server.certificate)
    assert server is not None
    assert signing.names_in(server) == {*certificates.SERVICE_NAMES, "host"}
    assert pki.renew_at == NOW + 335 * DAY


def test_files_are_for_their_owner_alone_and_nothing_is_left_over(tmp_path: Path) -> None:
    pki = ensure(tmp_path)
    assert stat.S_IMODE(pki.directory.stat().st_mode) == 0o700
    files = [*pki.directory.iterdir(), pki.kubeconfig_file]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert not [file.name for file in files if file.name.startswith(".")]


def test_the_key_is_not_told(tmp_path: Path) -> None:
    assert "PRIVATE KEY" not in repr(ensure(tmp_path))


def test_later_starts_change_nothing(tmp_path: Path) -> None:
    pki = ensure(tmp_path)
    before, kubeconfig_written = contents(pki), pki.kubeconfig_file.stat().st_mtime_ns
    again = ensure(tmp_path, NOW + 334 * DAY)
    assert again == pki
    assert contents(again) == before
    assert again.kubeconfig_file.stat().st_mtime_ns == kubeconfig_written


def test_renewal_keeps_keys_and_authority(tmp_path: Path) -> None:
    before = ensure(tmp_path)
    after = ensure(tmp_path, before.renew_at)
    assert after.authority == before.authority
    assert (after.admin.key, after.server.key) == (before.admin.key, before.server.key)
    assert after.admin.certificate != before.admin.certificate
    assert after.renew_at == before.renew_at + 335 * DAY
    assert base64.b64encode(after.admin.certificate).decode() in after.kubeconfig_file.read_text()


def test_renewal_of_the_authority_keeps_its_key(tmp_path: Path) -> None:
    before = ensure(tmp_path)
    after = ensure(tmp_path, NOW + 3300 * DAY)
    assert after.authority.key == before.authority.key
    assert after.authority.certificate != before.authority.certificate


def test_a_new_name_of_the_machine_gets_a_new_server_certificate_only(tmp_path: Path) -> None:
    before = ensure(tmp_path)
    after = ensure(tmp_path, extra_names=("api.example", "192.0.2.7"))
    assert after.admin == before.admin
    renewed = signing.load_certificate(after.server.certificate)
    assert renewed is not None
    assert {"api.example", "192.0.2.7"} <= signing.names_in(renewed)


@pytest.mark.parametrize("lost", ["admin.crt", "admin.key", "server.crt", "ca.crt"])
def test_what_was_lost_is_made_anew(tmp_path: Path, lost: str) -> None:
    before = ensure(tmp_path)
    (before.directory / lost).unlink()
    after = ensure(tmp_path)
    assert (after.directory / lost).exists()
    assert handshake(after, after.admin) == "kubernetes-admin"
    assert handshake(after, before.scheduler) == "system:kube-scheduler"


def test_a_start_that_died_halfway_is_completed(tmp_path: Path) -> None:
    pki = ensure(tmp_path)
    before = contents(pki)
    for certificate in pki.directory.glob("*.crt"):
        certificate.unlink()
    after = contents(ensure(tmp_path))
    assert {name: pem for name, pem in after.items() if name.endswith(".key")} == {
        name: pem for name, pem in before.items() if name.endswith(".key")
    }


@pytest.mark.parametrize(
    ("broken", "content", "complaint"),
    [
        pytest.param("ca.key", None, r"ca.crt is there but .*ca.key is not", id="the authority's key is gone"),
        pytest.param("ca.key", b"", r"ca.key cannot be used", id="the authority's key is empty"),
        pytest.param("admin.key", b"?", r"admin.key cannot be used", id="another key is garbage"),
    ],
)
def test_what_we_must_not_repair_is_told(tmp_path: Path, broken: str, content: bytes | None, complaint: str) -> None:
    file = ensure(tmp_path).directory / broken
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    with pytest.raises(BrokenPki, match=complaint):
        ensure(tmp_path)


def test_a_node_agent_calls_and_serves(tmp_path: Path) -> None:
    pki = ensure(tmp_path)
    node = certificates.ensure_node(pki, "node-1", now=NOW, addresses=("192.0.2.9",))
    assert caller(node) == ("system:node:node-1", ("system:nodes",))
    assert handshake(pki, node) == "system:node:node-1"
    assert handshake(pki, pki.apiserver, server=node, host="192.0.2.9") == "system:apiserver"
    assert certificates.ensure_node(pki, "node-1", now=NOW, addresses=("192.0.2.9",)) == node


@pytest.mark.parametrize("name", ["", "../ca", "a/b", "-a", "UPPER"])
def test_a_node_name_is_no_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is not a node name"):
        certificates.ensure_node(ensure(tmp_path), name, now=NOW)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1", "kubernetes.default.svc", "10.96.0.1", "host"])
def test_the_server_is_trusted_under_all_its_names(tmp_path: Path, host: str) -> None:
    pki = ensure(tmp_path)
    assert handshake(pki, pki.admin, host=host) == "kubernetes-admin"


def test_the_servers_certificate_is_not_good_for_calling(tmp_path: Path) -> None:
    pki = ensure(tmp_path)
    with pytest.raises(ssl.SSLError):
        handshake(pki, pki.server)


def test_another_clusters_admin_is_nobody_here(tmp_path: Path) -> None:
    here, elsewhere = ensure(tmp_path / "here"), ensure(tmp_path / "elsewhere")
    with pytest.raises(ssl.SSLError):
        handshake(here, elsewhere.admin)


def test_the_kubeconfig_opens_the_door(tmp_path: Path) -> None:
    pki = ensure(tmp_path)
    config = yaml.safe_load(pki.kubeconfig_file.read_text())
    assert config["clusters"][0]["cluster"]["server"] == URL
    user = config["users"][0]["user"]
    certificate_file, key_file = tmp_path / "copied.crt", tmp_path / "copied.key"
    certificate_file.write_bytes(base64.b64decode(user["client-certificate-data"]))
    key_file.write_bytes(base64.b64decode(user["client-key-data"]))
    copied = Credential(certificate_file, key_file, b"", b"")
    assert handshake(pki, copied) == "kubernetes-admin"


@pytest.mark.timeout(120)
def test_processes_that_start_at_once_agree(tmp_path: Path) -> None:
    program = f"""
import sys
from datetime import datetime
from pathlib import Path
from apiserver.auth import certificates
sys.stdin.readline()
pki = certificates.ensure(
    Path({str(tmp_path)!r}), server_url={URL!r}, now=datetime.fromisoformat({NOW.isoformat()!r}), host_name="host"
)
print(hash((pki.authority, pki.admin.key, pki.server.key, pki.scheduler.key)))
"""
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONHASHSEED": "0", "PYTHONPATH": ":".join(sys.path)},
        )
        for _ in range(4)
    ]
    answers = []
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    for racer in racers:
        answers.append(racer.communicate(timeout=100)[0])
        assert racer.returncode == 0
    assert len(set(answers)) == 1
    pki = ensure(tmp_path)
    assert handshake(pki, pki.admin) == "kubernetes-admin"
    assert len(contents(pki)) == 12


def handshake(pki: Pki, client: Credential, *, server: Credential | None = None, host: str = "localhost") -> str:
    """Mutual TLS in memory, as strict as OpenSSL can be. The user that the server sees."""
    accepting, calling = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for context, own in ((accepting, server or pki.server), (calling, client)):
        context.load_cert_chain(own.certificate_file, own.key_file)
        context.load_verify_locations(pki.authority.certificate_file)
        context.verify_mode = ssl.CERT_REQUIRED
        context.verify_flags |= ssl.VERIFY_X509_STRICT
    upward, downward = ssl.MemoryBIO(), ssl.MemoryBIO()
    server_end = accepting.wrap_bio(upward, downward, server_side=True)
    client_end = calling.wrap_bio(downward, upward, server_hostname=host)
    for end in (client_end, server_end, client_end, server_end):
        try:
            end.do_handshake()
        except ssl.SSLWantReadError:
            continue
    seen = server_end.getpeercert(binary_form=True)
    assert seen is not None
    found = identity.from_certificate(seen)
    assert found is not None
    return found.user
