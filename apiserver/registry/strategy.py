"""What may differ from kind to kind: a few hooks, all pure. Everything else the registry does alike for every kind.

A strategy sees typed, frozen objects and returns new ones. Complaints are lists of causes in field order; an empty list
means the object is fine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apiserver.auth.identity import Caller
from apiserver.registry.claiming import NOTHING, Claiming
from apiserver.registry.requests import Propagation
from steersman.api import names
from steersman.api.errors import Cause

METADATA = ("labels", "annotations", "finalizers", "owner_references")
"""What users may change of an object's metadata."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """Hooks for one kind. The objects are of the kind's Struct; `Any` because one table holds them all."""

    default: Callable[[Any], Any] = lambda new: new
    """Fill in what the user left out. Runs on every write, before admission."""

    validate: Callable[[Any], Sequence[Cause]] = lambda _: ()
    """Complaints about an object on its own (metadata is checked by the registry)."""

    validate_create: Callable[[Any], Sequence[Cause]] = lambda _: ()
    """Complaints about a new object that an existing one would be forgiven; `validate` has been asked already."""

    validate_update: Callable[[Any, Any], Sequence[Cause]] = lambda _new, _old: ()
    """Complaints about the step from old to new, called as (new, old); `validate` has been asked already."""

    prepare_update: Callable[[Any, Any], Any] = lambda new, _old: new
    """Carry over what an update of the main endpoint may not change, called as (new, old)."""

    prepare_status_update: Callable[[Any, Any], Any] = lambda new, _old: new
    """Carry over what an update of the status endpoint may not change, called as (new, old)."""

    validate_status_update: Callable[[Any, Any], Sequence[Cause]] | None = None
    """Complaints about such an update. None: `validate` and `validate_update` see to both endpoints."""

    made_by: Callable[[Any, Caller], Any] = lambda new, _caller: new
    """Note on a new object who makes it."""

    stamp: Callable[[Any, Any, datetime], Any] = lambda new, _old, _now: new
    """Note when something happened that this write brings about, called as (new, old or None, now)."""

    warn: Callable[[Any, Any], Sequence[str]] = lambda _new, _old: ()
    """What to tell the writer of an object that is accepted all the same, called as (new, old or None)."""

    warn_of_status: Callable[[Any], Sequence[str]] = lambda _new: ()
    """The same of an update of the status endpoint."""

    warn_of_deletion: Callable[[Propagation], Sequence[str]] = lambda _propagation: ()
    """The same of a deletion, by what was said about the dependents."""

    status_keeps: tuple[str, ...] = ()
    """Parts of the metadata (`METADATA`) that an update of the status endpoint leaves as they are."""

    orphans: bool = False
    """Whether dependents outlive their owner when nobody says what is to become of them."""

    keeps_status_on_create: bool = False
    """Whether whoever creates the object may say its status too (a node agent registering its node)."""

    claiming: Claiming = NOTHING
    """What objects of this kind occupy that no other may have, and how it is chosen for them."""

    name_rule: Callable[[str], Sequence[str]] = names.dns_subdomain
    """Complaints about a name."""
