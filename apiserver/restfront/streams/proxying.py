"""What is said in the path of a proxied request, and which headers pass. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from steersman.api.core import Pod
from steersman.api.errors import BadRequest, quoted

SCHEMES = ("http", "https")
_OF_ONE_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_OF_THE_CALLER = frozenset({"authorization", "host", "audit-id"})
_IMPERSONATION = "impersonate-"
_UP_TO_PROXY = 8
"""So many parts has a path that ends in `proxy`, counting the nothing before its first slash."""

Fields = list[tuple[str, str]]


class Backend(NamedTuple):
    scheme: str
    name: str
    port: str


def backend_of(text: str) -> Backend | None:
    """`name`, `name:port` or `scheme:name:port`; None for anything else."""
    parts = text.split(":")
    if len(parts) > 3 or (len(parts) == 3 and parts[0] not in ("", *SCHEMES)):
        return None
    scheme = parts[0] or "http" if len(parts) == 3 else "http"
    name, port = (*parts[-2:],) if len(parts) > 1 else (parts[0], "")
    return Backend(scheme, name, port) if name else None


def port_of(pod: Pod, asked: str, scheme: str) -> int:
    """The one that is asked for, the first that the pod declares, or the scheme's own. BadRequest."""
    if asked:
        if not (asked.isascii() and asked.isdigit() and len(asked) <= 5 and 0 < int(asked) < 65_536):
            raise BadRequest(f"invalid port {quoted(asked)}")
        return int(asked)
    declared = (port.container_port for container in pod.spec.containers for port in container.ports)
    return next(declared, 443 if scheme == "https" else 80)


def below_proxy(raw_path: str) -> tuple[str, str]:
    """What comes before and after the `proxy` of a path below `/api/v1/namespaces/<namespace>/<resource>/<name>`."""
    path, mark, query = raw_path.partition("?")
    parts = path.split("/", _UP_TO_PROXY)
    rest = f"/{parts[_UP_TO_PROXY]}" if len(parts) > _UP_TO_PROXY else ""
    return "/".join(parts[:_UP_TO_PROXY]), f"{rest}{mark}{query}"


def is_sent_to_root(method: str) -> bool:
    """Whether somebody who asks for a backend without saying what of it is sent on to its root."""
    return method in ("GET", "HEAD")


def passed_on(fields: Iterable[tuple[str, str]]) -> Fields:
    """A request's headers for the pod: nothing that is between the caller and us."""
    return [(name, value) for name, value in _of_the_message(fields) if _concerns_backend(name.lower())]


def passed_back(fields: Iterable[tuple[str, str]], prefix: str) -> Fields:
    """An answer's headers for the caller. Redirections within the pod stay below `prefix`."""
    return [
        (name, f"{prefix}{value}" if name.lower() == "location" and _is_local(value) else value)
        for name, value in _of_the_message(fields)
    ]


def _of_the_message(fields: Iterable[tuple[str, str]]) -> Fields:
    return [(name, value) for name, value in fields if name.lower() not in _OF_ONE_HOP]


def _concerns_backend(name: str) -> bool:
    return name not in _OF_THE_CALLER and not name.startswith(_IMPERSONATION)


def _is_local(location: str) -> bool:
    return location.startswith("/") and not location.startswith("//")
