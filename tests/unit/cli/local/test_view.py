"""What a person sees of a cluster."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from rich.console import Console, RenderableType

from steersman.cli import ages
from steersman.cli.local import view
from steersman.cli.local.ledger import Ledger, Part, Pid, Role, State
from steersman.cli.local.survey import CONTROLLERS, SCHEDULER, EventGlance, NodeGlance, Survey
from steersman.cli.local.view import Scene

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def part(name: str, role: Role = Role.CONTROLLER_MANAGER, **changes: object) -> Part:
    given = {"state": State.RUNNING, "log": f"/logs/{name}", "pid": Pid(7, "1"), "started_at": NOW, **changes}
    return Part(name=name, role=role, **given)  # type: ignore[arg-type]


def ledger(*parts: Part, otlp: str = "") -> Ledger:
    return Ledger(
        name="t",
        keeper=Pid(1, "1"),
        began_at=NOW,
        grpc=("h:2",),
        rest=("h:1",),
        runtime="hollow",
        kubeconfig="/k",
        otlp=otlp,
        parts=parts,
    )


def drawn(what: RenderableType) -> str:
    output = StringIO()
    Console(file=output, width=160).print(what)
    return output.getvalue()


def roles_of(holders: dict[str, str]) -> dict[str, str]:
    known = ledger(part("cm/0"), part("cm/1"))
    return view.roles(known, Survey(holders=holders), lambda where, holder: where.part(holder))


@pytest.mark.parametrize(
    ("holders", "expected"),
    [
        pytest.param({}, ["standby", "standby"], id="nobody-leads"),
        pytest.param(
            {CONTROLLERS: "cm/1", SCHEDULER: "cm/1"},
            ["standby", "LEADER (controllers + scheduler)"],
            id="one-leads-all",
        ),
        pytest.param(
            {CONTROLLERS: "cm/0", SCHEDULER: "cm/1"},
            ["LEADER (controllers)", "LEADER (scheduler)"],
            id="each-leads-one",
        ),
        pytest.param({CONTROLLERS: "gone"}, ["standby", "standby"], id="a-holder-of-elsewhere"),
    ],
)
def test_roles(holders: dict[str, str], expected: list[str]) -> None:
    assert list(roles_of(holders).values()) == expected


def test_the_whole_view_names_everything() -> None:
    waiting = part("cm/1", state=State.WAITING, pid=None, exit_code=-9, next_start_at=NOW + timedelta(seconds=2))
    seen = Survey(
        nodes=(NodeGlance("node-0", ready=True, runtime="hollow://", pods=3), NodeGlance("node-1", False, "", 0)),
        phases={"Running": 2, "Pending": 1},
        events=(EventGlance("2026-01-01T10:11:12Z", "Warning", "BackOff", "pod/web", "again"),),
    )
    text = drawn(view.whole(Scene(ledger(part("cm/0"), waiting, otlp="http://j:4317"), NOW, seen, {"cm/0": "LEADER"})))
    for expected in (
        "LEADER",
        "starts in 2.0 s (exit -9)",
        "NotReady",
        "pods 3  2 Running  1 Pending",
        "10:11:12",
        "export KUBECONFIG=/k",
        "http://j:16686",
    ):
        assert expected in text


def test_a_silent_api_server_is_said() -> None:
    assert "does not answer" in drawn(view.whole(Scene(ledger(part("cm/0")), NOW)))


def test_a_paused_component_is_not_called_running() -> None:
    table = drawn(view.components(Scene(ledger(part("cm/0")), NOW, paused=frozenset({"cm/0"}))))
    assert "paused" in table
    assert "running" not in table


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (119, "119s"), (120, "2m"), (247, "4m7s"), (3_600, "60m"), (12_000, "3h20m"), (187_200, "2d4h")],
)
def test_age(seconds: int, text: str) -> None:
    assert ages.age(timedelta(seconds=seconds)) == text


def test_nodes_count_only_when_heard_of_in_this_life() -> None:
    seen = Survey(
        nodes=(NodeGlance("a", True, "", 0, "5"), NodeGlance("b", True, "", 0, "3"), NodeGlance("c", False, "", 0))
    )
    assert seen.lacks(["a", "b", "c", "d"], since="4") == ["b", "c", "d"]
