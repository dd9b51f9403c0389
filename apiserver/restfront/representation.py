"""The forms in which objects are shown: as they are, by their metadata alone, or as rows of a Table; chosen by the
Accept header.

A further form is one more row of `FORMS`: how it shows one object, a list, and the object of a watch event. A form is
made for each request, so it may remember what it has shown already. It deals in JSON; that an answer was asked for as
YAML is none of its business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from apiserver.printing import tables
from apiserver.printing.tables import Include
from apiserver.registry.requests import FoundList, Listed
from apiserver.restfront import negotiation
from apiserver.restfront.negotiation import Accepted, Transform
from apiserver.restfront.query import Query
from steersman.api.errors import BadRequest, NotAcceptable, quoted
from steersman.api.kinds import Kind
from steersman.base.clock import SystemClock

META = tables.GROUP


class Form(Protocol):
    """How the objects of one kind look in the answers to one request."""

    @property
    def name(self) -> str:
        """What tells this form from others: encoded events are kept under it. Empty: do not keep them."""

    def one(self, json: bytes) -> bytes: ...

    def list_head(self, found: FoundList) -> bytes:
        """How a list begins, up to the bracket behind which its items stand."""

    def arranged(self, items: Sequence[Listed]) -> Sequence[Listed]:
        """The items of a list in the order in which they are shown."""

    def item(self, json: bytes) -> bytes: ...

    def event(self, json: bytes) -> bytes:
        """The object of a watch event."""

    def bookmark(self, json: bytes) -> bytes:
        """The object of a bookmark, which has nothing but metadata."""


class Plain:
    """Objects as they are. In a list of built-in kinds the items do not repeat what the list says of them all."""

    name = "plain"

    def __init__(self, kind: Kind) -> None:
        self._head = f'{{"kind":"{kind.kind}List","apiVersion":"{kind.api_version}","metadata":'.encode()
        self._type = f'}},"apiVersion":"{kind.api_version}","kind":"{kind.kind}"'.encode()

    def one(self, json: bytes) -> bytes:
        return json

    def list_head(self, found: FoundList) -> bytes:
        return b"".join((self._head, tables.list_metadata(found), b',"items":['))

    def arranged(self, items: Sequence[Listed]) -> Sequence[Listed]:
        return items

    def item(self, json: bytes) -> bytes:
        return json.replace(self._type, b"}", 1)

    def event(self, json: bytes) -> bytes:
        return json

    def bookmark(self, json: bytes) -> bytes:
        return json


class PartialMetadata:
    """PartialObjectMetadata: the metadata of objects and nothing else."""

    def __init__(self, version: str) -> None:
        self.name = f"metadata {version}"
        self._item = f'{{"kind":"PartialObjectMetadata","apiVersion":"{META}/{version}","metadata":'.encode()
        self._list = f'{{"kind":"PartialObjectMetadataList","apiVersion":"{META}/{version}","metadata":'.encode()

    def one(self, json: bytes) -> bytes:
        return b"".join((self._item, tables.metadata_of(json), b"}"))

    def list_head(self, found: FoundList) -> bytes:
        return b"".join((self._list, tables.list_metadata(found), b',"items":['))

    def arranged(self, items: Sequence[Listed]) -> Sequence[Listed]:
        return items

    def item(self, json: bytes) -> bytes:
        return self.one(json)

    def event(self, json: bytes) -> bytes:
        return self.one(json)

    def bookmark(self, json: bytes) -> bytes:
        return self.one(json)


MakeForm = Callable[[Kind, Query, str], Form]
"""From the kind, the query and the version of the form that was asked for."""


def _partial(_kind: Kind, _query: Query, version: str) -> Form:
    return PartialMetadata(version)


def _table(kind: Kind, query: Query, version: str) -> Form:
    asked = query.text("includeObject") or Include.METADATA
    if asked not in _INCLUDED:
        raise BadRequest(
            f"Unable to convert to Table as requested: includeObject: Invalid value: {quoted(asked)}: "
            "must be 'Metadata', 'Object', 'None', or empty"
        )
    return tables.of_kind(kind, _CLOCK.now, version, Include(asked))


FORMS: Mapping[str, MakeForm] = {
    "PartialObjectMetadata": _partial,
    "PartialObjectMetadataList": _partial,
    "Table": _table,
}
_VERSIONS = ("v1", "v1beta1")
_TRANSFORMS = frozenset(Transform(form, META, version) for form in FORMS for version in _VERSIONS)
_PLAIN: dict[Kind, Plain] = {}
_CLOCK = SystemClock()
_INCLUDED = frozenset(Include)


def accepted(accept: str) -> Accepted:
    """NotAcceptable when the client wants nothing that we can give."""
    return negotiation.choose(accept, _TRANSFORMS)


def form_of(accepted_: Accepted, kind: Kind, query: Query) -> Form:
    transform = accepted_.transform
    if transform is not None:
        return FORMS[transform.form](kind, query, transform.version)
    plain = _PLAIN.get(kind)
    if plain is None:
        plain = _PLAIN[kind] = Plain(kind)
    return plain


def check_form(accepted_: Accepted, kind: Kind, *, is_list: bool) -> None:
    """NotAcceptable where one object is wanted in the form of a list, or the other way round."""
    form = accepted_.transform.form if accepted_.transform is not None else ""
    if form == "PartialObjectMetadata" and is_list:
        raise NotAcceptable(
            f"you requested PartialObjectMetadata, but the requested object is a list ({kind.kind}List)"
        )
    if form == "PartialObjectMetadataList" and not is_list:
        raise NotAcceptable(
            f"you requested PartialObjectMetadataList, but the requested object is not a list ({kind.kind})"
        )


def check_watchable(accepted_: Accepted, kind: Kind) -> None:
    """NotAcceptable for what cannot be sent event by event."""
    if accepted_.media_type != negotiation.JSON:
        raise negotiation.not_acceptable((negotiation.JSON,))
    check_form(accepted_, kind, is_list=False)
