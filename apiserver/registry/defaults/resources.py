"""Defaults of amounts: whole thousandths everywhere; on pods, requests that follow from limits."""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from steersman.api import podresources, quantity
from steersman.api.core import PodSpec, ResourceRequirements
from steersman.api.part import Quantity
from steersman.api.podresources import HUGE_PAGES, Side
from steersman.api.quantity import Amount

_FINER_THAN_MILLI = ("n", "u")


def rounded(amounts: dict[str, Quantity]) -> dict[str, Quantity]:
    """Every amount rounded up to thousandths; the same dict if none was finer."""
    for amount in amounts.values():
        if amount.endswith(_FINER_THAN_MILLI):
            return {name: _round_up(amount) for name, amount in amounts.items()}
    return amounts


def rounded_requirements(resources: ResourceRequirements) -> ResourceRequirements:
    limits, requests = rounded(resources.limits), rounded(resources.requests)
    if limits is resources.limits and requests is resources.requests:
        return resources
    return replace(resources, limits=limits, requests=requests)


def with_requests_from_limits(resources: ResourceRequirements) -> ResourceRequirements:
    """Who names a limit and no request asks for the limit. True of pods only: templates stay as written."""
    requests = resources.requests
    missing = {name: limit for name, limit in resources.limits.items() if name not in requests}
    return replace(resources, requests={**requests, **missing}) if missing else resources


def of_whole_pod(spec: PodSpec) -> ResourceRequirements | None:
    """`spec.resources` of a pod whose containers have their defaults: limits of huge pages, then requests."""
    resources = spec.resources
    if resources is None or not (resources.limits or resources.requests):
        return resources
    limits = _with_huge_page_limits(spec, resources)
    requests = _with_requests(spec, limits, resources.requests)
    if limits == resources.limits and requests == resources.requests:
        return resources
    return replace(resources, limits=limits, requests=requests)


def _with_huge_page_limits(spec: PodSpec, resources: ResourceRequirements) -> dict[str, Quantity]:
    limits = dict(resources.limits)
    for name, amount in podresources.effective(spec, Side.LIMITS).items():
        if name.startswith(HUGE_PAGES) and name not in resources.requests:
            limits.setdefault(name, amount)
    return limits


def _with_requests(spec: PodSpec, limits: dict[str, Quantity], given: dict[str, Quantity]) -> dict[str, Quantity]:
    if not limits:
        return given
    requests = dict(given)
    for name, amount in podresources.effective(spec, Side.REQUESTS).items():
        if name in ("cpu", "memory"):
            requests.setdefault(name, amount)
    for name, amount in limits.items():
        if name in ("cpu", "memory") or name.startswith(HUGE_PAGES):
            requests.setdefault(name, amount)
    return requests


def _round_up(amount: Quantity) -> Quantity:
    if not amount.endswith(_FINER_THAN_MILLI):
        return amount
    return quantity.render(Amount(Fraction(quantity.milli(amount), 1000), quantity.parse(amount).family))
