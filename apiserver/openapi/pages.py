"""The operations beside resources: discovery, the version, and how tokens are checked. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from apiserver.openapi import names, operations
from apiserver.openapi.operations import ANSWERED_AS, NO_KIND, Operation, PathItem
from apiserver.openapi.served import NOTHING, Body

_KEY_SET = "application/jwk-set+json"


def of_group_version(group: str, version: str) -> PathItem:
    """The list of its resources, which stands in its own document."""
    words, tag = operations.words_of(group, version), operations.tag_of(group, version)
    answer = Body(definition=names.API_RESOURCE_LIST)
    path = operations.root_of(group, version)
    return _page(path, f"get{words}APIResources", tag, "the resources that are served", answer)


def of_server(groups: Iterable[str]) -> Iterator[PathItem]:
    """Those that have documents of their own. `groups`: all that are served, with the core group or without."""
    core = Body(definition=names.API_VERSIONS)
    yield _page("/api", "getCoreAPIVersions", "core", "the versions of the core group", core)
    yield _page("/apis", "getAPIVersions", "apis", "all groups", Body(definition=names.API_GROUP_LIST))
    for group in groups:
        if group:
            words, tag = operations.words_of(group, ""), operations.tag_of(group, "").rstrip("_")
            answer = Body(definition=names.API_GROUP)
            yield _page(f"/apis/{group}", f"get{words}APIGroup", tag, "the versions of one group", answer)
    yield _page("/version", "getCodeVersion", "version", "what runs here", Body(definition=names.VERSION))
    yield _page(
        "/.well-known/openid-configuration",
        "getServiceAccountIssuerOpenIDConfiguration",
        "WellKnown",
        "who gives out tokens of service accounts",
        NOTHING,
        ("application/json",),
    )
    yield _page(
        "/openid/v1/jwks",
        "getServiceAccountIssuerOpenIDKeyset",
        "openid",
        "the keys by which tokens of service accounts are checked",
        NOTHING,
        (_KEY_SET,),
    )


def _page(
    path: str, name: str, tag: str, description: str, answer: Body, answered_as: tuple[str, ...] = ANSWERED_AS
) -> PathItem:
    operation = Operation(
        method="get",
        action="",
        id=name,
        description=description,
        gvk=NO_KIND,
        tag=tag,
        answered=answer,
        answered_as=answered_as,
    )
    return PathItem(f"{path}/", (), (operation,))
