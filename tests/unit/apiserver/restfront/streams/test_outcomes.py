"""How a command ended, in the words that clients read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apiserver.restfront.streams import outcomes
from apiserver.restfront.streams.outcomes import Exited, Outcome
from steersman.api.errors import NotFound

NOT_FOUND = outcomes.not_begun(NotFound('container not found ("main")'))


@pytest.mark.parametrize(
    ("outcome", "status", "text"),
    [
        pytest.param(Exited(0), {"metadata": {}, "status": "Success"}, "", id="success"),
        pytest.param(Exited(None), {"metadata": {}, "status": "Success"}, "", id="still running"),
        pytest.param(
            Exited(3),
            {
                "metadata": {},
                "status": "Failure",
                "message": "command terminated with non-zero exit code: exit status 3",
                "reason": "NonZeroExitCode",
                "details": {"causes": [{"reason": "ExitCode", "message": "3"}]},
            },
            "command terminated with non-zero exit code: exit status 3",
            id="an exit code",
        ),
    ],
)
def test_exits(outcome: Outcome, status: dict[str, Any], text: str) -> None:
    assert json.loads(outcomes.as_status(outcome)) == status
    assert outcomes.as_text(outcome).decode() == text


def test_a_refusal_of_the_agent() -> None:
    status = json.loads(outcomes.as_status(NOT_FOUND))
    told = 'unable to upgrade connection: container not found ("main")'
    assert (status["code"], status["reason"]) == (500, "InternalError")
    assert status["message"] == f"Internal error occurred: {told}"
    assert status["details"]["causes"] == [{"message": told}]
