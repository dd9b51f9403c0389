"""Lists of indexes as Jobs write them: `1,3-5,7`, increasing, each below the number of completions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from steersman.api.errors import quoted

_NUMBER = re.compile("[+-]?[0-9]{1,18}")


def count(text: str, completions: int) -> int:
    """How many indexes there are; ValueError in Kubernetes' words when it is no such list."""
    total, last = 0, -1
    if not text:
        return total
    for fragment in text.split(","):
        first, final = _interval(fragment, completions)
        if total and last >= first:
            raise ValueError(f"non-increasing order, previous: {last}, current: {first}")
        total += final - first + 1
        last = final
    return total


def first_in_both(left: str, right: str, completions: int) -> int | None:
    """The first index that stands in both lists. What is no interval is passed over: `count` complains of it."""
    ours, theirs = sorted(_intervals(left, completions)), sorted(_intervals(right, completions))
    at, other_at = 0, 0
    while at < len(ours) and other_at < len(theirs):
        (first, final), (other_first, other_final) = ours[at], theirs[other_at]
        if final < other_first:
            at += 1
        elif other_final < first:
            other_at += 1
        else:
            return max(first, other_first)
    return None


def _intervals(text: str, completions: int) -> Iterator[tuple[int, int]]:
    for fragment in text.split(",") if text else ():
        try:
            yield _interval(fragment, completions)
        except ValueError:
            continue


def _interval(fragment: str, completions: int) -> tuple[int, int]:
    limits = fragment.split("-")
    if len(limits) > 2:
        raise ValueError(
            f"the fragment {quoted(fragment)} violates the requirement that an index interval can have at most two "
            "parts separated by '-'"
        )
    first = _index(limits[0], completions)
    if len(limits) == 1:
        return first, first
    final = _index(limits[1], completions)
    if first >= final:
        raise ValueError(f"non-increasing order, previous: {first}, current: {final}")
    return first, final


def _index(text: str, completions: int) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(f"cannot convert string to integer for index: {quoted(text)}")
    index = int(text)
    if index >= completions:
        raise ValueError(f"too large index: {quoted(text)}")
    return index
