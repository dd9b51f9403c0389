"""ComponentStatuses: well, or why not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from apiserver.registry import componentstatus
from steersman.api import codec
from steersman.api.coordination import Lease
from tests.unit.apiserver.registry.pods import decode

NOW = datetime(2026, 11, 18, 7, 0, 10, tzinfo=UTC)
WELL = {"type": "Healthy", "status": "True", "message": "ok"}


def lease(**spec: Any) -> Lease:
    held = {"holderIdentity": "a_1", "leaseDurationSeconds": 4, "renewTime": "2026-11-18T07:00:08.000000Z"}
    return decode(Lease, {"metadata": {"name": "kube-scheduler"}, "spec": {**held, **spec}})


def sick(error: str) -> dict[str, str]:
    return {"type": "Healthy", "status": "False", "error": error}


LATE = "2026-11-18T07:00:05.000000Z"
CASES = [
    ("led", lease(), WELL),
    ("no lease", None, sick("nobody leads")),
    ("released", lease(holderIdentity=""), sick("nobody leads")),
    ("never renewed", lease(renewTime=None), sick("nobody leads")),
    ("run out", lease(renewTime=LATE), sick(f"a_1 has not been heard of since {LATE}")),
]


@pytest.mark.parametrize(("held", "condition"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_components_that_lead(held: Lease | None, condition: dict[str, str]) -> None:
    assert codec.to_dict(componentstatus.of_lease("scheduler", held, NOW)) == {
        "apiVersion": "v1",
        "kind": "ComponentStatus",
        "metadata": {"name": "scheduler"},
        "conditions": [condition],
    }


def test_the_store() -> None:
    assert codec.to_dict(componentstatus.of_store())["conditions"] == [WELL]
    assert codec.to_dict(componentstatus.of_store("no answer"))["conditions"] == [sick("no answer")]
