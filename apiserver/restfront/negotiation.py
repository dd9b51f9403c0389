"""What a client accepts, and which of it we can give. Pure.

A clause of an Accept header may ask for another form than the object itself (`as=Table;v=v1;g=meta.k8s.io`); one that
cannot be given is passed over for the next.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from steersman.api.errors import NotAcceptable

JSON, YAML = "application/json", "application/yaml"
_GIVEN = {JSON: JSON, YAML: YAML, "*/*": JSON, "application/*": JSON}
ACCEPTED = (JSON, YAML)


@dataclass(frozen=True, slots=True)
class Transform:
    """Another form than the object itself, such as a Table of meta.k8s.io in v1."""

    form: str
    group: str
    version: str


@dataclass(frozen=True, slots=True)
class Accepted:
    media_type: str = JSON
    transform: Transform | None = None


PLAIN_JSON = Accepted()


@lru_cache(maxsize=256)
def choose(accept: str, transforms: Collection[Transform] = frozenset()) -> Accepted:
    """The first clause by preference that we can give; NotAcceptable when there is none."""
    if not accept:
        return PLAIN_JSON
    for media_type, parameters in clauses(accept):
        given = _GIVEN.get(media_type)
        if given is None:
            continue
        form = parameters.get("as", "")
        if not form:
            return Accepted(given)
        transform = Transform(form, parameters.get("g", ""), parameters.get("v", ""))
        if transform in transforms:
            return Accepted(given, transform)
    raise not_acceptable(ACCEPTED)


def not_acceptable(accepted: Collection[str]) -> NotAcceptable:
    return NotAcceptable(f"only the following media types are accepted: {', '.join(accepted)}")


def clauses(accept: str) -> list[tuple[str, dict[str, str]]]:
    """Media types with their parameters, the preferred first; equal ones in the order in which they stand."""
    clauses = []
    for clause in accept.split(","):
        media_type, *given = (part.strip() for part in clause.split(";"))
        parameters = {
            name.strip(): value.strip().strip('"') for name, _, value in (each.partition("=") for each in given)
        }
        weight = _weight(parameters.pop("q", "1"))
        if weight > 0:
            clauses.append((weight, media_type.lower(), parameters))
    clauses.sort(key=lambda clause: -clause[0])
    return [(media_type, parameters) for _, media_type, parameters in clauses]


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0
