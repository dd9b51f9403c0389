"""Owners that an object names twice: once is enough, and whoever wrote it is told. Pure."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from steersman.api.meta import OwnerReference

_SINCE: Final = "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24"
_TWICE: Final = ".metadata.ownerReferences contains duplicate entries"
SENT: Final = f"{_TWICE}; {_SINCE}; please fix your requests"
PATCHED: Final = f"{_TWICE} after mutating admission happens; {_SINCE}; please fix your requests"


def once(new: Any, complaint: str) -> tuple[Any, list[str]]:
    """The object without repetitions, and the warning about them: `complaint`, with the owners' uids."""
    if len(new.metadata.owner_references) < 2:
        return new, []
    kept: list[OwnerReference] = []
    repeated: list[str] = []
    for owner in new.metadata.owner_references:
        if owner in kept:
            repeated.append(owner.uid)
        else:
            kept.append(owner)
    if not repeated:
        return new, []
    warning = f"{complaint}; duplicate UID(s) observed: {', '.join(repeated)}"
    return replace(new, metadata=replace(new.metadata, owner_references=tuple(kept))), [warning]
