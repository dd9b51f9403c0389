"""What a client's `resourceVersion` and `resourceVersionMatch` ask for, as Kubernetes defines them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from apiserver.registry.requests import Selection, WatchOptions
from apiserver.storage.interface import NO_REVISION
from steersman.api import errors, fields
from steersman.api.errors import BadRequest, Cause, Details, Subject, Timeout
from steersman.api.names import Revision

_LIST_OPTIONS = Subject(group="meta.k8s.io", resource="listoptions", kind="ListOptions")
_MATCHES = ("", "Exact", "NotOlderThan")


class Freshness(Enum):
    NEWEST = auto()
    """Everything acknowledged before the call."""
    ANY = auto()
    """Whatever is at hand."""
    NOT_OLDER = auto()
    """At least `revision`."""
    EXACT = auto()
    """Just as it was at `revision`."""


@dataclass(frozen=True, slots=True)
class Wanted:
    freshness: Freshness
    revision: Revision = NO_REVISION


def parse_revision(text: str) -> Revision:
    """BadRequest unless `text` is a decimal number that fits 64 bits."""
    if text.isascii() and text.isdigit() and len(text) <= 20 and int(text) < 2**63:
        return Revision(int(text))
    raise BadRequest(f"invalid resource version {errors.quoted(text)}: must be a decimal number")


def of_get(resource_version: str) -> Wanted:
    return _plain(resource_version)


def of_list(selection: Selection) -> Wanted:
    _check_match(selection)
    if selection.limit < 0:
        raise errors.invalid(
            _LIST_OPTIONS,
            "",
            [fields.invalid(fields.Path("limit"), selection.limit, "must be greater than or equal to 0")],
        )
    if selection.continue_token and selection.resource_version not in ("", "0"):
        raise BadRequest("specifying resource version is not allowed when using continue")
    wanted = _plain(selection.resource_version)
    exact_by_paging = selection.limit > 0 and not selection.resource_version_match
    if wanted.freshness is Freshness.NOT_OLDER and (selection.resource_version_match == "Exact" or exact_by_paging):
        return Wanted(Freshness.EXACT, wanted.revision)
    return wanted


def of_watch(options: WatchOptions) -> Wanted:
    """Where the state comes from that a watch begins with; for NOT_OLDER without initial events: where it resumes."""
    selection = options.selection
    match = selection.resource_version_match
    if options.initial_events is None:
        if match:
            raise _refused(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            )
    elif match != "NotOlderThan":
        raise _refused(
            "resourceVersionMatch",
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        )
    return _plain(selection.resource_version)


def too_large(wanted: Revision, current: Revision) -> Timeout:
    """A revision that no write has reached. Kubernetes' clients know it by the cause and list anew."""
    cause = Cause("ResourceVersionTooLarge", "Too large resource version")
    return Timeout(
        f"Too large resource version: {wanted}, current: {current}",
        details=Details(causes=(cause,), retry_after_seconds=1),
    )


def _plain(resource_version: str) -> Wanted:
    if not resource_version:
        return Wanted(Freshness.NEWEST)
    revision = parse_revision(resource_version)
    return Wanted(Freshness.NOT_OLDER, revision) if revision else Wanted(Freshness.ANY)


def _check_match(selection: Selection) -> None:
    match = selection.resource_version_match
    if match not in _MATCHES:
        raise errors.invalid(
            _LIST_OPTIONS,
            "",
            [fields.not_supported(fields.Path("resourceVersionMatch"), match, ("Exact", "NotOlderThan"))],
        )
    if not match:
        return
    if selection.continue_token:
        raise _refused("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided")
    if not selection.resource_version:
        raise _refused("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided")
    if match == "Exact" and selection.resource_version == "0":
        raise _refused("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')


def _refused(field: str, why: str) -> errors.Invalid:
    return errors.invalid(_LIST_OPTIONS, "", [fields.forbidden(fields.Path(field), why)])
