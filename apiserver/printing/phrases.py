"""The turns of phrase that cells of several kinds share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from steersman.api import selectors
from steersman.api.core import Container, LoadBalancerIngress
from steersman.api.meta import LabelSelector
from steersman.api.networking import IngressLoadBalancerIngress

NONE, UNSET, UNKNOWN = "<none>", "<unset>", "<unknown>"
SHOWN = 3
"""How many of a list are named before the rest is only counted."""


def labels(given: Mapping[str, str]) -> str:
    return ",".join([f"{key}={given[key]}" for key in sorted(given)]) or NONE


def selector(given: LabelSelector | None) -> str:
    return selector_text(given, invalid="<error>") or NONE


def selector_text(given: LabelSelector | None, *, invalid: str) -> str:
    """Empty for one that selects nothing, and for one that selects everything."""
    try:
        matcher = selectors.of_struct(given)
    except ValueError:
        return invalid  # stored before it would have been refused
    return "" if matcher is None else str(matcher)


def container_names(containers: Iterable[Container]) -> str:
    return ",".join([container.name for container in containers])


def container_images(containers: Iterable[Container]) -> str:
    return ",".join([container.image for container in containers])


def first_of(texts: Sequence[str], shown: int = SHOWN, separator: str = ",") -> str:
    """The first of them, and how many more there are."""
    named = separator.join(texts[:shown])
    return f"{named} + {len(texts) - shown} more..." if len(texts) > shown else named


def balancer_addresses(ingress: Iterable[LoadBalancerIngress | IngressLoadBalancerIngress]) -> list[str]:
    """Where load balancers can be reached, each once."""
    return sorted({point.ip or point.hostname for point in ingress if point.ip or point.hostname})


def yes_or_no(value: bool | None) -> str:  # noqa: FBT001 - the value itself is what is shown
    return UNSET if value is None else str(value)
