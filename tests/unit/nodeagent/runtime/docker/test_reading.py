from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from nodeagent.runtime.docker import reading
from nodeagent.runtime.docker.naming import SANDBOX, Identity
from nodeagent.runtime.seen import State
from nodeagent.runtime.specs import PodRef
from steersman.api.names import Uid

POD = PodRef(Uid("uid"), "default", "web")
NEVER = "0001-01-01T00:00:00Z"
STARTED = "2030-01-01T00:00:01.123456789Z"
FINISHED = "2030-01-01T00:00:02Z"


def inspection(status: str, **state: Any) -> dict[str, Any]:
    return {
        "Id": "id",
        "Image": "sha256:1",
        "Created": "2030-01-01T00:00:00Z",
        "HostConfig": {"NetworkMode": "pods"},
        "NetworkSettings": {"Networks": {"pods": {"IPAddress": "10.0.0.2", "GlobalIPv6Address": ""}}},
        "State": {
            "Status": status,
            "ExitCode": 0,
            "OOMKilled": False,
            "Error": "",
            "StartedAt": NEVER,
            "FinishedAt": NEVER,
            **state,
        },
    }


@pytest.mark.parametrize(
    ("inspected", "state", "exit_code"),
    [
        (inspection("created"), State.CREATED, None),
        (inspection("created", Error="no such file", ExitCode=127), State.EXITED, 127),
        (inspection("running", StartedAt=STARTED), State.RUNNING, None),
        (inspection("paused", StartedAt=STARTED), State.RUNNING, None),
        (inspection("exited", StartedAt=STARTED, FinishedAt=FINISHED, ExitCode=137), State.EXITED, 137),
        (inspection("removing", StartedAt=STARTED, FinishedAt=FINISHED, ExitCode=1), State.EXITED, 1),
        (inspection("dead", StartedAt=STARTED, FinishedAt=FINISHED, ExitCode=1), State.EXITED, 1),
    ],
    ids=["created", "could not start", "running", "paused", "exited", "removing", "dead"],
)
def test_states(inspected: dict[str, Any], state: State, exit_code: int | None) -> None:
    seen = reading.container(Identity(POD, "app", 0, "pause", {}), inspected)
    assert (seen.state, seen.exit_code) == (state, exit_code)


def test_a_container_that_runs_again_shows_no_old_end() -> None:
    seen = reading.container(
        Identity(POD, "app", 0, "pause", {}), inspection("running", StartedAt=STARTED, FinishedAt=FINISHED)
    )
    assert seen.finished_at is None


def test_a_sandbox_has_its_address_while_it_runs() -> None:
    identity = Identity(POD, SANDBOX, 0, "", {})
    assert reading.sandbox(identity, inspection("running", StartedAt=STARTED)).ips == ("10.0.0.2",)
    assert reading.sandbox(identity, inspection("exited", StartedAt=STARTED)).ip == ""


def test_pods_are_put_together_newest_first() -> None:
    def found(pod: PodRef, name: str, attempt: int) -> tuple[Identity, reading.Seen]:
        identity = Identity(pod, name, attempt, "pause", {})
        return identity, reading.seen(identity, inspection("running"))

    other = PodRef(Uid("other"), "default", "db")
    listed = [found(POD, "b", 0), found(other, "a", 0), found(POD, SANDBOX, 0), found(POD, "a", 1), found(POD, "b", 2)]
    second, first = reading.pods([*listed, found(POD, SANDBOX, 1)])
    assert (first.pod, second.pod) == (POD, other)
    assert [sandbox.attempt for sandbox in first.sandboxes] == [1, 0]
    assert [(container.name, container.attempt) for container in first.containers] == [("a", 1), ("b", 2), ("b", 0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NEVER, None),
        ("", None),
        ("2030-01-01T00:00:01.123456789Z", datetime(2030, 1, 1, 0, 0, 1, 123456, tzinfo=UTC)),
        ("2030-01-01T02:00:01.5+02:00", datetime(2030, 1, 1, 0, 0, 1, 500000, tzinfo=UTC)),
    ],
)
def test_instants(text: str, expected: datetime | None) -> None:
    assert reading.instant(text) == expected


def test_unix_time_keeps_the_microseconds() -> None:
    assert reading.unix_time(datetime(2030, 1, 1, 0, 0, 1, 42, tzinfo=UTC)) == "1893456001.000042000"


@pytest.mark.parametrize(
    ("answer", "gateway"),
    [({"Subnet": "10.1.0.0/16"}, "10.1.0.1"), ({"Subnet": "10.1.0.0/16", "Gateway": "10.1.0.9"}, "10.1.0.9")],
    ids=["the first address", "as said"],
)
def test_the_gateway_of_the_pod_network(answer: dict[str, str], gateway: str) -> None:
    network = reading.network({"Name": "pods", "IPAM": {"Config": [answer]}})
    assert (network.subnet, network.gateway) == ("10.1.0.0/16", gateway)


@pytest.mark.parametrize(
    ("stats", "working_set"),
    [({"total_inactive_file": 30, "inactive_file": 10}, 70), ({"anon": 1, "inactive_file": 40}, 60), ({}, 100)],
    ids=["cgroup v1", "cgroup v2", "unknown"],
)
def test_the_working_set_leaves_out_what_could_be_given_back(stats: dict[str, int], working_set: int) -> None:
    usage = reading.usage(
        {
            "read": STARTED,
            "cpu_stats": {"cpu_usage": {"total_usage": 5}},
            "memory_stats": {"usage": 100, "stats": stats},
        }
    )
    assert usage is not None
    assert usage.working_set_bytes == working_set


def test_what_does_not_run_uses_nothing() -> None:
    assert reading.usage({"read": NEVER, "memory_stats": {}, "cpu_stats": {}}) is None
