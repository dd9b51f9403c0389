"""Manifests: files, folders or standard input, in YAML or JSON, one document or many. `documents_in` is pure."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from steersman.api import kinds, yamltext
from steersman.api.kinds import Kind

SUFFIXES = (".json", ".yaml", ".yml")

_BETWEEN = re.compile(rb"(?m)^---(?:[ \t].*)?$")


class BadManifest(ValueError):
    """A text that is no manifest; says which one."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object as its author wrote it. An empty namespace: the author did not say."""

    kind: Kind
    document: dict[str, Any]
    source: str

    @property
    def name(self) -> str:
        return str(self.document["metadata"].get("name") or "")

    @property
    def namespace(self) -> str:
        return str(self.document["metadata"].get("namespace") or "")

    def placed(self, default_namespace: str) -> Manifest:
        """In a namespace, if its kind lives in one."""
        if not self.kind.namespaced or self.namespace:
            return self
        metadata = {**self.document["metadata"], "namespace": default_namespace}
        return Manifest(self.kind, {**self.document, "metadata": metadata}, self.source)

    @property
    def json(self) -> bytes:
        return msgspec.json.encode(self.document)


def read(sources: Sequence[str], *, recursive: bool) -> list[Manifest]:
    """Everything in these files, in order; `-` is standard input. BadManifest, or OSError, for what cannot be read."""
    found: list[Manifest] = []
    for source in sources:
        for name, text in _texts(source, recursive=recursive):
            found += documents_in(text, name)
    return found


def _texts(source: str, *, recursive: bool) -> Iterator[tuple[str, bytes]]:
    if source == "-":
        yield "STDIN", sys.stdin.buffer.read()
        return
    path = Path(source)
    if not path.is_dir():
        if not path.exists():
            raise BadManifest(f'the path "{source}" does not exist')
        yield source, path.read_bytes()
        return
    inside = sorted(path.rglob("*") if recursive else path.iterdir())
    files = [each for each in inside if each.is_file() and each.suffix in SUFFIXES]
    if not files:
        raise BadManifest(f"error reading [{source}]: recognized file extensions are [{' '.join(SUFFIXES)}]")
    for file in files:
        yield str(file), file.read_bytes()


def documents_in(text: bytes, source: str) -> list[Manifest]:
    """A List counts as what is in it; what is empty counts as nothing."""
    found: list[Manifest] = []
    for piece in _BETWEEN.split(text):
        try:
            document = msgspec.json.decode(yamltext.to_json(piece)[0])
        except yamltext.Unreadable as error:
            raise BadManifest(f"error parsing {source}: {error}") from error
        if document is not None:
            found += _objects(document, source)
    return found


def _objects(document: Any, source: str) -> Iterator[Manifest]:
    if not isinstance(document, dict):
        raise BadManifest(f"error parsing {source}: an object is expected, not {type(document).__name__}")
    version, kind = str(document.get("apiVersion") or ""), str(document.get("kind") or "")
    missing = [name for name, value in (("apiVersion", version), ("kind", kind)) if not value]
    if missing:
        raise BadManifest(f'error validating "{source}": {" and ".join(missing)} not set')
    if kind.endswith("List") and isinstance(document.get("items"), list):
        for item in document["items"]:
            yield from _objects(item, source)
        return
    group, _, plain_version = version.rpartition("/")
    known = kinds.by_kind(group, plain_version, kind)
    metadata = document.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    if known is None:
        name, namespace = metadata.get("name") or "", metadata.get("namespace") or ""
        raise BadManifest(
            f'resource mapping not found for name: "{name}" namespace: "{namespace}" from "{source}":'
            f' no matches for kind "{kind}" in version "{version}"'
        )
    yield Manifest(known, {**document, "metadata": metadata}, source)
