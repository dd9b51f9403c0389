"""Who wrote outside its term."""

from __future__ import annotations

import pytest

from steersman.api.names import Revision
from tests.succession import TermBegun, Write, problems

TERMS = [TermBegun(Revision(10), "a"), TermBegun(Revision(20), ""), TermBegun(Revision(21), "b")]


@pytest.mark.parametrize(
    ("revision", "instance", "fine"),
    [
        pytest.param(11, "a", True, id="in its term"),
        pytest.param(21, "b", True, id="with its first revision"),
        pytest.param(22, "a", False, id="after the next one began"),
        pytest.param(20, "a", False, id="after its release"),
        pytest.param(9, "a", False, id="before any term"),
    ],
)
def test_a_write_belongs_to_who_leads_at_its_revision(revision: int, instance: str, fine: bool) -> None:
    assert (problems(TERMS, [Write(Revision(revision), instance, "write")]) == []) is fine
