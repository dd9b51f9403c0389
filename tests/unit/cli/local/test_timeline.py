"""A take-over told by what was recorded of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import click
import pytest

from steersman.cli.local import kill, timeline
from steersman.cli.local.timeline import LeaseWrite, Mark, Moment

ZERO = datetime(2026, 1, 1, tzinfo=UTC)


def at(milliseconds: int) -> datetime:
    return ZERO + timedelta(milliseconds=milliseconds)


HISTORY = [
    LeaseWrite(1, "old", at(-1500), at(-1500)),
    LeaseWrite(4, "old", at(-1500), at(-500)),
    LeaseWrite(7, "", at(-1500), at(-500)),
    LeaseWrite(9, "new", at(350), at(350)),
    LeaseWrite(12, "new", at(350), at(1350)),
]


def test_the_lease_tells_the_last_renewal_the_release_and_the_election() -> None:
    told = timeline.of_leases(HISTORY, "old", {"old": "cm/1", "new": "cm/0"})
    assert [(moment.at, moment.revision, moment.what) for moment in told] == [
        (at(-500), 4, "cm/1 renews for the last time"),
        (None, 7, "the Lease is released"),
        (at(350), 9, "cm/0 is elected"),
    ]


def test_without_a_release_the_lease_ran_out() -> None:
    told = timeline.of_leases([HISTORY[1], HISTORY[3]], "old", {})
    assert [moment.what for moment in told] == ["old renews for the last time", "new is elected"]


@pytest.mark.parametrize(
    ("writes", "expected"),
    [
        pytest.param(HISTORY, 9, id="somebody-else"),
        pytest.param(HISTORY[:3], None, id="nobody-yet"),
        pytest.param([*HISTORY[:3], LeaseWrite(8, "old", at(1), at(1))], None, id="the-same-again"),
    ],
)
def test_successor(writes: list[LeaseWrite], expected: int | None) -> None:
    found = timeline.successor(writes, "old")
    assert (None if found is None else found.revision) == expected


def test_what_has_no_time_stands_where_its_revision_puts_it() -> None:
    told = timeline.ordered(
        [
            Moment(at(350), 9, "c", ""),
            Moment(None, 7, "b", ""),
            Moment(at(-500), 4, "a", ""),
            Moment(at(0), 0, "signal", ""),
        ]
    )
    assert [moment.what for moment in told] == ["a", "signal", "b", "c"]


MARKS = [Mark(f"wish-{number}", revision, at(100 * number)) for number, revision in enumerate((3, 5, 8, 10))]


@pytest.mark.parametrize(
    ("revision", "names"),
    [
        pytest.param(4, ("wish-0", "wish-2"), id="the-next-was-under-way-with-it"),
        pytest.param(6, ("wish-1", "wish-3"), id="so-it-is-the-one-after-that"),
        pytest.param(9, None, id="not-known-yet"),
        pytest.param(2, None, id="before-the-first"),
    ],
)
def test_a_write_without_a_moment_lies_between_two_that_have_one(revision: int, names: tuple[str, str] | None) -> None:
    found = timeline.placed(revision, MARKS)
    assert (None if found is None else (found[0].name, found[1].name)) == names


def test_between_the_release_and_the_election_nobody_writes() -> None:
    assert list(timeline.without_leader(HISTORY, "old")) == [8]
    assert not timeline.without_leader([HISTORY[1], HISTORY[3]], "old")


def test_a_bound_is_marked_as_one() -> None:
    assert timeline.milliseconds(Moment(at(1500), 1, "", "", is_bound=True), ZERO) == "≤ +1,500"
    assert timeline.milliseconds(Moment(at(-5), 1, "", ""), ZERO) == "-5"
    assert timeline.milliseconds(Moment(None, 1, "", ""), ZERO) == ""


def test_a_log_line_counts_only_after_the_signal_and_for_that_lease() -> None:
    lines = [
        {"event": "in office", "lease": "a", "timestamp": "2025-12-31T23:59:59.5Z"},
        {"event": "in office", "lease": "b", "timestamp": "2026-01-01T00:00:00.1Z"},
        {"event": "in office", "lease": "a", "timestamp": "2026-01-01T00:00:00.2Z"},
    ]
    assert timeline.said_at(lines, "in office", ZERO, lease="a") == at(200)
    assert timeline.said_at(lines, "in office", ZERO, lease="c") is None


@pytest.mark.parametrize("text", ["KILL", "sigkill", "9"])
def test_signals_by_any_of_their_names(text: str) -> None:
    assert kill.parse_signal(text).name == "SIGKILL"


@pytest.mark.parametrize("text", ["NOPE", "999", ""])
def test_what_is_no_signal(text: str) -> None:
    with pytest.raises(click.UsageError, match="no signal"):
        kill.parse_signal(text)
