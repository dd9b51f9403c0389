"""All documents as bytes. Pure; imported when the first of them is asked for, because many a server never is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from apiserver.openapi import gnostic, operations, pages, v2, v3
from apiserver.openapi.definitions import Definitions
from apiserver.openapi.dialects import V2, V3
from apiserver.openapi.documents import Document, GroupVersion
from apiserver.openapi.operations import PathItem
from apiserver.openapi.served import Additions, Resource

_ENCODER = msgspec.json.Encoder()


def v3_documents(
    resources: Sequence[Resource], additions: Additions, info: Mapping[str, str]
) -> Iterator[tuple[str, bytes]]:
    """The name in the index and the document of each group-version and page; they share most of their definitions."""
    definitions = Definitions(V3, additions.v3)
    groups: dict[GroupVersion, list[PathItem]] = {}
    for resource in resources:
        served = resource.group_version
        groups.setdefault(served, [pages.of_group_version(*served)]).extend(operations.path_items(resource))
    for served, items in groups.items():
        document = v3.document(definitions, items, [served], dict(info))
        yield operations.root_of(*served).removeprefix("/"), _ENCODER.encode(document)
    for page in _pages(resources):
        document = v3.document(definitions, [page], [], dict(info))
        yield page.path.strip("/"), _ENCODER.encode(document)


def v2_json(resources: Sequence[Resource], additions: Additions, info: Mapping[str, str]) -> bytes:
    return _ENCODER.encode(_v2(resources, additions, info))


def v2_protobuf(resources: Sequence[Resource], additions: Additions, info: Mapping[str, str]) -> bytes:
    return gnostic.encode(_v2(resources, additions, info))


def _v2(resources: Sequence[Resource], additions: Additions, info: Mapping[str, str]) -> Document:
    served = list(dict.fromkeys(resource.group_version for resource in resources))
    items = [item for resource in resources for item in operations.path_items(resource)]
    items += [*(pages.of_group_version(*each) for each in served), *_pages(resources)]
    return v2.document(Definitions(V2, additions.v2), items, served, dict(info))


def _pages(resources: Sequence[Resource]) -> Iterator[PathItem]:
    return pages.of_server(dict.fromkeys(resource.gvk[0] for resource in resources))
