"""When a candidate may take a Lease."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from steersman.api.coordination import Lease, LeaseSpec
from steersman.api.names import Revision
from steersman.control import candidacy
from steersman.control.candidacy import Vigil

NOW = datetime(2030, 1, 1, tzinfo=UTC)
SEVEN, EIGHT = Revision(7), Revision(8)


def held_by(holder: str | None) -> Lease:
    return Lease(spec=LeaseSpec(holder_identity=holder, lease_transitions=3))


@pytest.mark.parametrize(
    ("lease", "watched_seconds", "may"),
    [
        pytest.param(None, 0.0, True, id="no Lease"),
        pytest.param(held_by(None), 0.0, True, id="released"),
        pytest.param(held_by(""), 0.0, True, id="released with an empty name"),
        pytest.param(held_by("me"), 0.0, True, id="our own former term"),
        pytest.param(held_by("other"), 3.9, False, id="held by another"),
        pytest.param(held_by("other"), 4.0, True, id="run out"),
    ],
)
def test_who_may_stand(lease: Lease | None, watched_seconds: float, may: bool) -> None:
    assert candidacy.may_stand(lease, "me", watched_seconds, 4.0) is may


Sight = tuple[Revision, float, float] | None


@pytest.mark.parametrize(
    ("sights", "seconds"),
    [
        pytest.param([(SEVEN, 0.0, 0.1)], 0.0, id="once"),
        pytest.param([(SEVEN, 0.0, 0.1), (SEVEN, 0.6, 0.7), (SEVEN, 1.2, 1.3)], 1.0, id="from answer to question"),
        pytest.param([(SEVEN, 0.0, 0.1), (SEVEN, 1.1, 1.2), (EIGHT, 1.7, 1.8)], 0.0, id="renewed"),
        pytest.param([(SEVEN, 0.0, 0.1), None, (SEVEN, 1.1, 1.2), (SEVEN, 1.7, 1.8)], 0.5, id="out of sight"),
        pytest.param([(SEVEN, 0.0, 0.1), (SEVEN, 90.0, 90.1), (SEVEN, 90.6, 90.7)], 0.5, id="asleep"),
    ],
)
def test_only_time_that_was_watched_counts(sights: list[Sight], seconds: float) -> None:
    vigil = Vigil()
    for sight in sights:
        vigil = vigil.interrupted() if sight is None else vigil.seen(sight[0], asked=sight[1], answered=sight[2])
    assert vigil.seconds == pytest.approx(seconds)


def test_two_terms_of_one_holder_in_one_instant_differ() -> None:
    first = candidacy.taken(held_by(None), "me", 4, NOW)
    second = candidacy.taken(first, "me", 4, NOW)
    assert (first.spec.lease_transitions, second.spec.lease_transitions) == (4, 5)
