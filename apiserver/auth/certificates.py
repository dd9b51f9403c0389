"""The cluster's certificates on disk: made at the first start, renewed before they expire, shared by racing processes.

`ensure` may be called at any time by any number of processes over one data dir. It needs no lock, because files are
only ever published whole, and in an order that leaves nothing half-made:

* a key is *claimed*: the first to link its finished file into place wins, the others read the winner's;
* a certificate is made for the key that is on disk, so any two that race are both good;
* renewal keeps the key and replaces the certificate alone, in one rename: a pair on disk always matches.

A process that dies in between leaves a key without a certificate; the next one completes it.
"""

from __future__ import annotations

import os
import re
import socket
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from apiserver.auth import kubeconfig, signing
from apiserver.auth.signing import Authority, Holder, PrivateKey, Purpose

SERVICE_NAMES = (
    "localhost",
    "127.0.0.1",
    "::1",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "10.96.0.1",
)
ADMIN = Holder("kubernetes-admin", ("system:masters",))
CONTROLLER_MANAGER = Holder("system:kube-controller-manager")
SCHEDULER = Holder("system:kube-scheduler")
API_SERVER = Holder("system:apiserver")


class BrokenPki(Exception):
    """Something on disk that we must not repair on our own; the text says what and what to do."""


@dataclass(frozen=True, slots=True)
class Credential:
    """A certificate and its key, as files and as PEM."""

    certificate_file: Path
    key_file: Path
    certificate: bytes
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Pki:
    """Everything that the processes of one cluster prove themselves with."""

    directory: Path
    authority: Credential
    server: Credential
    admin: Credential
    apiserver: Credential
    controller_manager: Credential
    scheduler: Credential
    kubeconfig_file: Path
    renew_at: datetime
    """From then on `ensure` will make at least one of them anew."""


def ensure(
    data_dir: Path,
    *,
    server_url: str,
    now: datetime,
    host_name: str | None = None,
    extra_names: Iterable[str] = (),
) -> Pki:
    """Load `<data_dir>/pki`, making what is missing and renewing what is due; write `<data_dir>/admin.conf`.

    Blocks for some milliseconds on files. `extra_names` are further names and addresses by which clients reach the
    server. BrokenPki when a key cannot be read or is gone while its certificate is still in use.
    """
    directory = data_dir / "pki"
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    names = (*SERVICE_NAMES, host_name or socket.gethostname(), *extra_names)
    server = Holder("kube-apiserver", names=signing.canonical_names(names), purpose=Purpose.SERVE)
    authority_pem, authority = _ensure_authority(directory, now)
    shelf = _Shelf(directory, authority, now)
    pki = Pki(
        directory=directory,
        authority=authority_pem,
        server=shelf.ensure("server", server),
        admin=shelf.ensure("admin", ADMIN),
        apiserver=shelf.ensure("apiserver", API_SERVER),
        controller_manager=shelf.ensure("controller-manager", CONTROLLER_MANAGER),
        scheduler=shelf.ensure("scheduler", SCHEDULER),
        kubeconfig_file=data_dir / "admin.conf",
        renew_at=min(shelf.renew_at, signing.renewal_of_authority(authority.certificate)),
    )
    _write_kubeconfig(pki, server_url)
    return pki


def ensure_signing_key(data_dir: Path) -> bytes:
    """The key in `<data_dir>/pki` with which tokens of service accounts are signed, made when missing."""
    directory = data_dir / "pki"
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    key_file = directory / "sa.key"
    key_pem = _read(key_file) or _claim(key_file, signing.new_key())
    _load_key(key_file, key_pem)
    return key_pem


_NODE_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?", re.ASCII)


def ensure_node(pki: Pki, node: str, *, now: datetime, addresses: Iterable[str] = ()) -> Credential:
    """The certificate of one node agent: it calls the API server with it, and serves logs and exec with it."""
    if _NODE_NAME.fullmatch(node) is None:
        raise ValueError(f"{node!r} is not a node name")
    names = signing.canonical_names((node, "localhost", "127.0.0.1", "::1", *addresses))
    holder = Holder(f"system:node:{node}", ("system:nodes",), names, Purpose.CALL | Purpose.SERVE)
    _, authority = _ensure_authority(pki.directory, now)
    return _Shelf(pki.directory, authority, now).ensure(f"node-{node}", holder)


class _Shelf:
    """Where the certificates stand that one authority has signed, as of one moment."""

    def __init__(self, directory: Path, authority: Authority, now: datetime) -> None:
        self._directory = directory
        self._authority = authority
        self._now = now
        self.renew_at = datetime.max.replace(tzinfo=now.tzinfo)

    def ensure(self, file_name: str, holder: Holder) -> Credential:
        key_file, certificate_file = self._directory / f"{file_name}.key", self._directory / f"{file_name}.crt"
        key_pem = _read(key_file) or _claim(key_file, signing.new_key())
        key = _load_key(key_file, key_pem)
        found = _read(certificate_file)
        certificate = None if found is None else signing.load_certificate(found)
        if certificate is None or signing.flaw(certificate, key, self._authority, holder, self._now) is not None:
            certificate = signing.sign(self._authority, holder, key, self._now)
            _replace(certificate_file, signing.to_pem(certificate))
        self.renew_at = min(self.renew_at, signing.renewal_of_leaf(certificate))
        return Credential(certificate_file, key_file, signing.to_pem(certificate), key_pem)


def _ensure_authority(directory: Path, now: datetime) -> tuple[Credential, Authority]:
    key_file, certificate_file = directory / "ca.key", directory / "ca.crt"
    # Certificate before key: whoever makes an authority publishes them the other way round.
    found, key_pem = _read(certificate_file), _read(key_file)
    if found is not None and key_pem is None:
        raise BrokenPki(
            f"{certificate_file} is there but {key_file} is not: restore the key, or delete {directory} to begin anew"
            " (every certificate and kubeconfig made so far then stops working)"
        )
    key_pem = key_pem or _claim(key_file, signing.new_key())
    key = _load_key(key_file, key_pem)
    certificate = None if found is None else signing.load_certificate(found)
    if certificate is None:
        certificate_pem = _claim(certificate_file, signing.to_pem(signing.sign_authority(key, now)))
        certificate = signing.load_certificate(certificate_pem)
    if certificate is None or signing.authority_flaw(certificate, key, now) is not None:
        certificate = signing.sign_authority(key, now)
        _replace(certificate_file, signing.to_pem(certificate))
    credential = Credential(certificate_file, key_file, signing.to_pem(certificate), key_pem)
    return credential, Authority(certificate, key)


def _write_kubeconfig(pki: Pki, server_url: str) -> None:
    text = kubeconfig.render(
        server_url=server_url,
        authority=pki.authority.certificate,
        user=ADMIN.user,
        certificate=pki.admin.certificate,
        key=pki.admin.key,
    ).encode()
    if _read(pki.kubeconfig_file) != text:
        _replace(pki.kubeconfig_file, text)


def _load_key(file: Path, pem: bytes) -> PrivateKey:
    try:
        return signing.load_key(pem)
    except signing.UnreadableKey as error:
        raise BrokenPki(f"{file} cannot be used ({error}): restore it, or delete it to have it made anew") from error


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def _claim(file: Path, content: bytes) -> bytes:
    """Publish `content` unless the file is there by now; what it then holds, ours or the winner's."""
    draft = _draft(file, content)
    try:
        os.link(draft, file)
    except FileExistsError:
        return file.read_bytes()
    finally:
        draft.unlink()
    return content


def _replace(file: Path, content: bytes) -> None:
    _draft(file, content).replace(file)


def _draft(file: Path, content: bytes) -> Path:
    """The content safely on disk under another name in the same folder, readable by its owner alone."""
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    with os.fdopen(handle, "wb") as draft:
        draft.write(content)
        draft.flush()
        os.fsync(handle)
    return Path(name)
