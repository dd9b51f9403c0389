"""Rules for how the server reaches a web hook (a URL, or a path of a service in the cluster) and how they talk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol
from urllib.parse import urlsplit

from apiserver.registry.validation import checks
from steersman.api import fields, names
from steersman.api.errors import Cause, quoted
from steersman.api.fields import Path

DEFAULT_PORT: Final = 443
REVIEW_VERSIONS: Final = ("v1", "v1beta1")
"""The forms of a review that we can send."""

_FORM: Final = "; desired format: https://host[/path]"


class ServiceTarget(Protocol):
    """What the references to services of several API groups have in common."""

    @property
    def namespace(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str | None: ...
    @property
    def port(self) -> int | None: ...


def validate_client(url: str | None, service: ServiceTarget | None, path: Path) -> list[Cause]:
    if url is not None and service is None:
        return _validate_url(url, path.child("url"))
    if service is not None and url is None:
        return _validate_service(service, path.child("service"))
    return [fields.required(path, "exactly one of url or service is required")]


def validate_review_versions(versions: Sequence[str], path: Path, *, if_none: str = "") -> list[Cause]:
    """What a hook understands must include something that we can say. `if_none`: what to do about an empty list."""
    if not versions:
        return [fields.required(path, if_none)]
    causes: list[Cause] = []
    for index, version in enumerate(versions):
        if version in versions[:index]:
            causes.append(fields.invalid(path.index(index), version, "duplicate version"))
        else:
            causes += checks.name(version, path.index(index), names.dns_1035_label)
    if not set(versions) & set(REVIEW_VERSIONS):
        causes.append(fields.invalid(path, versions, f"must include at least one of {', '.join(REVIEW_VERSIONS)}"))
    return causes


def _validate_url(text: str, path: Path) -> list[Cause]:
    try:
        url = urlsplit(text)
    except ValueError as error:
        return [fields.required(path, f"url must be a valid URL: parse {quoted(text)}: {error}{_FORM}")]
    user, at, host = url.netloc.rpartition("@")
    causes: list[Cause] = []
    if url.scheme != "https":
        causes.append(fields.invalid(path, url.scheme, f"'https' is the only allowed URL scheme{_FORM}"))
    if not host:
        causes.append(fields.invalid(path, host, f"host must be specified{_FORM}"))
    if at:
        causes.append(fields.invalid(path, user, "user information is not permitted in the URL"))
    if url.fragment:
        causes.append(fields.invalid(path, url.fragment, "fragments are not permitted in the URL"))
    if url.query:
        causes.append(fields.invalid(path, url.query, "query parameters are not permitted in the URL"))
    return causes


def _validate_service(service: ServiceTarget, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    # Kubernetes takes the two for each other here, and users know its answers.
    if not service.namespace:
        causes.append(fields.required(path.child("name")))
    if not service.name:
        causes.append(fields.required(path.child("namespace")))
    port = service.port or 0
    if complaints := names.port_number(port):
        causes.append(fields.invalid(path.child("port"), port, f"port is not valid: {', '.join(complaints)}"))
    if service.path:
        where = path.child("path")
        causes += [fields.invalid(where, service.path, complaint) for complaint in _complain_of_path(service.path)]
    return causes


def _complain_of_path(text: str) -> list[str]:
    if text == "/":
        return []
    if text == "//":
        return ["segment[0] may not be empty"]
    complaints = [] if text.startswith("/") else ["must start with a '/'"]
    for index, segment in enumerate(text[1:].removesuffix("/").split("/")):
        if not segment:
            complaints.append(f"segment[{index}] may not be empty")
        else:
            complaints += (f"segment[{index}]: {complaint}" for complaint in names.dns_subdomain(segment))
    return complaints
