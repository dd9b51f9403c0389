"""What a pod's status says, and what it never takes back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from nodeagent import admission, picture, podstatus
from nodeagent.picture import Ousting, Seen, Trouble
from nodeagent.podmachine import Stage
from nodeagent.podstatus import Host
from nodeagent.probing import Health
from nodeagent.runtime.seen import SeenContainer
from steersman.api.core import (
    Container,
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStatus,
    Pod,
    PodCondition,
    PodReadinessGate,
    PodStatus,
    Probe,
    ResourceRequirements,
    VolumeMount,
)
from steersman.api.part import Quantity, Time
from tests.unit.nodeagent.views import (
    DEAD,
    NEVER,
    NOTHING,
    NOW,
    after,
    container,
    created,
    exited,
    pod,
    running,
    seen,
    sidecar,
)

HOST = Host(("192.0.2.1",), "docker")


def status_of(pod: Pod, view: Seen, stage: Stage = Stage.SYNC) -> PodStatus:
    return podstatus.generate(pod, stage, picture.completed(pod, view), HOST, NOW)


def condition(status: PodStatus, kind: str) -> PodCondition:
    return next(each for each in status.conditions if each.type == kind)


def told(status: PodStatus, kind: str) -> tuple[str, str, str]:
    found = condition(status, kind)
    return found.status, found.reason, found.message


# --- Containers


def test_a_running_container() -> None:
    status = status_of(pod(), seen(running())).container_statuses[0]
    assert status.state == ContainerState(running=ContainerStateRunning(started_at=Time("2030-01-01T11:59:00Z")))
    assert (status.ready, status.started, status.restart_count) == (True, True, 0)
    assert status.container_id == "docker://main-0"
    assert status.last_state == ContainerState()


@pytest.mark.parametrize(
    ("ended", "reason", "code"),
    [
        (exited(code=0), "Completed", 0),
        (exited(code=3), "Error", 3),
        (exited(code=137, oom_killed=True), "OOMKilled", 137),
        (exited(code=128, error="no such file"), "StartError", 128),
    ],
    ids=["completed", "error", "oom", "start error"],
)
def test_an_ended_container(ended: SeenContainer, reason: str, code: int) -> None:
    view = seen(ended, messages={"main-0": "bye"})
    terminated = status_of(pod(policy=NEVER), view).container_statuses[0].state.terminated
    assert terminated is not None
    assert (terminated.reason, terminated.exit_code) == (reason, code)
    assert terminated.message == "bye"
    assert terminated.finished_at == Time("2030-01-01T11:59:59Z")


@pytest.mark.parametrize(
    ("setbacks", "shown"), [(1, "10s"), (2, "20s"), (3, "40s"), (4, "1m20s"), (5, "2m40s"), (6, "5m0s"), (60, "5m0s")]
)
def test_crash_loop_back_off(setbacks: int, shown: str) -> None:
    status = status_of(pod(), seen(exited(code=1, attempt=setbacks, setbacks=setbacks))).container_statuses[0]
    assert status.state.waiting is not None
    assert status.state.waiting.reason == "CrashLoopBackOff"
    assert status.state.waiting.message == f"back-off {shown} restarting failed container=main pod=web_default(uid-1)"
    assert status.last_state.terminated is not None
    assert status.last_state.terminated.exit_code == 1
    assert status.restart_count == setbacks
    assert not status.ready


def test_the_attempt_before_is_the_last_state() -> None:
    status = status_of(pod(), seen(running(attempt=2), exited(attempt=1, code=5))).container_statuses[0]
    assert status.state.running is not None
    assert status.last_state.terminated is not None
    assert status.last_state.terminated.exit_code == 5
    assert status.restart_count == 2


@pytest.mark.parametrize(
    ("init", "view", "reason"),
    [
        ((), NOTHING, "ContainerCreating"),
        ((), seen(created()), "ContainerCreating"),
        ((container("i"),), NOTHING, "PodInitializing"),
        ((), seen(troubles={"main": Trouble("ErrImagePull", "no such image", after(1))}), "ErrImagePull"),
        ((), seen(troubles={"main": Trouble("ImagePullBackOff", "Back-off", after(1))}), "ImagePullBackOff"),
    ],
    ids=["nothing", "created", "init first", "pull failed", "pull back-off"],
)
def test_waiting_for_the_first_time(init: tuple[Container, ...], view: Seen, reason: str) -> None:
    state = status_of(pod(init=init), view).container_statuses[0].state
    assert state.waiting is not None
    assert state.waiting.reason == reason


def test_probes_decide_about_ready_and_started() -> None:
    slow = container(startup_probe=Probe(), readiness_probe=Probe())
    before = status_of(pod(slow), seen(running())).container_statuses[0]
    assert (before.started, before.ready) == (False, False)
    started = status_of(pod(slow), seen(running(), health={"main-0": Health(ready=False)})).container_statuses[0]
    assert (started.started, started.ready) == (True, False)
    ready = status_of(pod(slow), seen(running(), health={"main-0": Health()})).container_statuses[0]
    assert (ready.started, ready.ready) == (True, True)


def test_an_init_container_is_ready_when_it_has_succeeded() -> None:
    status = status_of(pod(init=(container("i"), sidecar())), seen(exited("i"), running("proxy")))
    first, second = status.init_container_statuses
    assert (first.ready, first.started) == (True, False)
    assert (second.ready, second.started) == (True, True)


def test_resources_and_mounts_are_repeated() -> None:
    wanted = ResourceRequirements(requests={"cpu": Quantity("100m")}, limits={"cpu": Quantity("200m")})
    mounts = (VolumeMount(name="v", mount_path="/v", read_only=True), VolumeMount(name="w", mount_path="/w"))
    status = status_of(pod(container(resources=wanted, volume_mounts=mounts)), seen(running()))
    shown = status.container_statuses[0]
    assert shown.allocated_resources == {"cpu": "100m"}
    assert shown.resources == wanted
    assert [each.recursive_read_only for each in shown.volume_mounts] == ["Disabled", None]
    assert status.allocated_resources == {"cpu": "100m"}
    assert status.resources == wanted


# --- Conditions


def test_conditions_of_a_pod_that_is_well() -> None:
    status = status_of(pod(), seen(running()))
    assert [(each.type, each.status) for each in status.conditions] == [
        ("PodReadyToStartContainers", "True"),
        ("Initialized", "True"),
        ("Ready", "True"),
        ("ContainersReady", "True"),
        ("PodScheduled", "True"),
    ]
    assert all(each.observed_generation == 1 for each in status.conditions)
    assert all(each.last_transition_time == Time("2030-01-01T12:00:00Z") for each in status.conditions)


def test_conditions_of_a_new_pod() -> None:
    status = status_of(pod(container("a"), container("b"), init=(container("i"),)), NOTHING)
    assert told(status, "PodReadyToStartContainers") == ("False", "PodSandboxNotReady", "no pod sandbox exists")
    assert told(status, "Initialized") == (
        "False",
        "ContainersNotInitialized",
        "containers with incomplete status: [i]",
    )
    for kind in ("Ready", "ContainersReady"):
        assert told(status, kind) == ("False", "ContainersNotReady", "containers with unready status: [a b]")


def test_conditions_of_finished_pods() -> None:
    succeeded = status_of(pod(policy=NEVER), seen(exited(), sandboxes=()), Stage.TERMINATED)
    assert told(succeeded, "Initialized") == ("True", "PodCompleted", "")
    assert told(succeeded, "Ready") == ("False", "PodCompleted", "")
    failed = status_of(pod(policy=NEVER), seen(exited(code=1), sandboxes=()), Stage.TERMINATED)
    assert told(failed, "Initialized") == ("True", "", "")
    assert told(failed, "ContainersReady") == ("False", "PodFailed", "")


@pytest.mark.parametrize(
    ("present", "message"),
    [
        ((), 'corresponding condition of pod readiness gate "example.com/up" does not exist.'),
        (
            (PodCondition(type="example.com/up", status="False"),),
            'the status of pod readiness gate "example.com/up" is not "True", but False',
        ),
        ((PodCondition(type="example.com/up", status="True"),), ""),
    ],
    ids=["missing", "false", "true"],
)
def test_readiness_gates(present: tuple[PodCondition, ...], message: str) -> None:
    gated = pod(
        readiness_gates=(PodReadinessGate(condition_type="example.com/up"),), status=PodStatus(conditions=present)
    )
    status = status_of(gated, seen(running()))
    assert told(status, "Ready") == (("False", "ReadinessGatesNotReady", message) if message else ("True", "", ""))
    assert condition(status, "ContainersReady").status == "True"


# --- Never backwards


def test_a_condition_keeps_its_time_until_it_changes() -> None:
    first = status_of(pod(), seen(running()))
    later = podstatus.generate(
        pod(status=first), Stage.SYNC, seen(running(), health={"main-0": Health(ready=False)}), HOST, after(60)
    )
    assert condition(later, "PodScheduled").last_transition_time == Time("2030-01-01T12:00:00Z")
    assert condition(later, "Ready").last_transition_time == Time("2030-01-01T12:01:00Z")


def test_nothing_new_is_the_very_same_status() -> None:
    first = status_of(pod(), seen(running()))
    assert podstatus.generate(pod(status=first), Stage.SYNC, seen(running()), HOST, after(60)) == first


def test_foreign_conditions_are_kept() -> None:
    foreign = PodCondition(type="DisruptionTarget", status="True", reason="EvictionByEvictionAPI")
    status = status_of(pod(status=PodStatus(conditions=(foreign,))), seen(running()))
    assert foreign in status.conditions


@pytest.mark.parametrize("ended", ["Succeeded", "Failed"])
def test_a_finished_pod_stays_as_it_is(ended: str) -> None:
    before = PodStatus(phase=ended, reason="Evicted", message="for a reason")
    status = status_of(pod(status=before), seen(running()))
    assert (status.phase, status.reason, status.message) == (ended, "Evicted", "for a reason")


def test_merging_into_a_newer_status_takes_nothing_back() -> None:
    ours = status_of(pod(), seen(running()))
    theirs = structs.replace(ours, container_statuses=(ContainerStatus(name="main", restart_count=4),), phase="Failed")
    merged = podstatus.merge(ours, theirs, NOW)
    assert merged.container_statuses[0].restart_count == 4
    assert merged.phase == "Failed"


def test_the_deadline_is_told() -> None:
    late = pod(active_deadline_seconds=60, status=PodStatus(phase="Running", start_time=Time("2030-01-01T11:00:00Z")))
    status = status_of(late, seen(running()), Stage.TERMINATING)
    assert (status.phase, status.reason) == ("Failed", "DeadlineExceeded")
    done = podstatus.generate(
        structs.replace(late, status=status), Stage.TERMINATED, seen(exited(code=137)), HOST, after(9)
    )
    assert (done.phase, done.reason) == ("Failed", "DeadlineExceeded")


def test_a_pod_that_ends_before_it_began_has_failed() -> None:
    assert status_of(pod(deleted=True), NOTHING, Stage.TERMINATED).phase == "Failed"


def test_a_deleted_pod_runs_until_it_has_ended() -> None:
    assert status_of(pod(deleted=True), seen(running()), Stage.TERMINATING).phase == "Running"


def test_an_ended_pod_keeps_its_address() -> None:
    before = status_of(pod(), seen(running()))
    assert before.pod_ip == "10.0.0.7"
    ended = status_of(pod(status=before, policy=NEVER), seen(exited(), sandboxes=()), Stage.TERMINATED)
    assert ended.pod_ip == "10.0.0.7"
    assert status_of(pod(status=before), seen(exited(), sandboxes=DEAD)).pod_ip == ""


def test_a_pod_on_the_hosts_network_has_its_address() -> None:
    assert status_of(pod(host_network=True), NOTHING).pod_ip == "192.0.2.1"


# --- What the engine lost


def _before(state: ContainerState, restarts: int = 0) -> PodStatus:
    known = ContainerStatus(name="main", state=state, restart_count=restarts, container_id="docker://main-0")
    return PodStatus(phase="Running", container_statuses=(known,))


def test_a_container_that_the_engine_lost_has_failed() -> None:
    ran = ContainerState(running=ContainerStateRunning(started_at=Time("2030-01-01T11:59:00Z")))
    status = status_of(pod(policy=NEVER, status=_before(ran)), seen())
    ended = status.container_statuses[0].state.terminated
    assert status.phase == "Failed"
    assert ended is not None
    assert (ended.reason, ended.exit_code) == ("ContainerStatusUnknown", 137)


def test_how_a_lost_container_ended_is_remembered() -> None:
    ended = ContainerStateTerminated(exit_code=0, reason="Completed", finished_at=Time("2030-01-01T11:59:30Z"))
    status = status_of(pod(policy=NEVER, status=_before(ContainerState(terminated=ended))), seen())
    assert status.phase == "Succeeded"


def test_a_status_of_what_is_still_here_adds_nothing() -> None:
    ran = ContainerState(running=ContainerStateRunning(started_at=Time("2030-01-01T11:59:00Z")))
    view = seen(running())
    assert picture.completed(pod(status=_before(ran)), view) is view
    newer = seen(replace(running(attempt=1)))
    assert picture.completed(pod(status=_before(ran)), newer) is newer


def test_a_refused_pod() -> None:
    status = podstatus.refused(pod(), admission.Refusal("OutOfcpu", "no room"), NOW)
    assert (status.phase, status.reason, status.message) == ("Failed", "OutOfcpu", "Pod was rejected: no room")


# --- Ended by the node

EVICTION = Ousting("Evicted", "The node was low on resource: memory. ", after(1), is_disruption=True)


@pytest.mark.parametrize(
    ("view", "stage", "policy", "expected"),
    [
        pytest.param(seen(running()), Stage.TERMINATING, "Always", ("Running", ""), id="not before it has ended"),
        pytest.param(seen(exited(), sandboxes=()), Stage.TERMINATED, "Always", ("Failed", "Evicted"), id="ended"),
        pytest.param(seen(exited()), Stage.TERMINATING, NEVER, ("Failed", "Evicted"), id="never a success"),
    ],
)
def test_a_pod_that_its_node_has_ended(view: Seen, stage: Stage, policy: str, expected: tuple[str, str]) -> None:
    ousted = pod(policy=policy, status=PodStatus(phase="Running"))
    status = status_of(ousted, replace(view, ousting=EVICTION), stage)
    assert (status.phase, status.reason) == expected
    assert status.message == (EVICTION.message if expected[0] == "Failed" else "")
    assert told(status, "DisruptionTarget") == ("True", "TerminationByKubelet", EVICTION.message)
    again = status_of(structs.replace(ousted, status=status), replace(view, ousting=EVICTION), stage)
    assert again == status


def test_a_pod_that_had_finished_is_not_ended_again() -> None:
    done = pod(policy=NEVER, status=PodStatus(phase="Succeeded"))
    status = status_of(done, seen(exited(), sandboxes=(), ousting=EVICTION), Stage.TERMINATED)
    assert (status.phase, status.reason) == ("Succeeded", "")
    assert "DisruptionTarget" not in [each.type for each in status.conditions]


def test_a_disruption_that_others_tell_of_is_theirs() -> None:
    theirs = PodCondition(type="DisruptionTarget", status="True", reason="EvictionByEvictionAPI")
    before = pod(status=PodStatus(phase="Running", conditions=(theirs,)))
    assert condition(status_of(before, seen(running())), "DisruptionTarget") == theirs
