"""How far a rollout is, and what its revisions are. Pure; the words are kubectl's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steersman.api.apps import DaemonSet, Deployment, ReplicaSet, StatefulSet

REVISION = "deployment.kubernetes.io/revision"
CAUSE = "kubernetes.io/change-cause"
RESTARTED = "kubectl.kubernetes.io/restartedAt"
HASH = "pod-template-hash"


class Stuck(Exception):
    """It will not come to an end by itself."""


@dataclass(frozen=True, slots=True)
class Progress:
    text: str
    done: bool


def of_deployment(deployment: Deployment) -> Progress:
    """Stuck when its progress deadline has passed."""
    name, spec, status = deployment.metadata.name, deployment.spec, deployment.status
    if deployment.metadata.generation > (status.observed_generation or 0):
        return Progress("Waiting for deployment spec update to be observed...", done=False)
    if any(each.type == "Progressing" and each.reason == "ProgressDeadlineExceeded" for each in status.conditions):
        raise Stuck(f'deployment "{name}" exceeded its progress deadline')
    wanted = spec.replicas if spec.replicas is not None else 1
    updated, total, available = status.updated_replicas, status.replicas, status.available_replicas
    waiting = f'Waiting for deployment "{name}" rollout to finish:'
    if updated < wanted:
        return Progress(f"{waiting} {updated} out of {wanted} new replicas have been updated...", done=False)
    if total > updated:
        return Progress(f"{waiting} {total - updated} old replicas are pending termination...", done=False)
    if available < updated:
        return Progress(f"{waiting} {available} of {updated} updated replicas are available...", done=False)
    return Progress(f'deployment "{name}" successfully rolled out', done=True)


def of_daemonset(daemonset: DaemonSet) -> Progress:
    name, status = daemonset.metadata.name, daemonset.status
    if daemonset.metadata.generation > (status.observed_generation or 0):
        return Progress("Waiting for daemon set spec update to be observed...", done=False)
    wanted, updated = status.desired_number_scheduled, status.updated_number_scheduled
    waiting = f'Waiting for daemon set "{name}" rollout to finish:'
    if updated < wanted:
        return Progress(f"{waiting} {updated} out of {wanted} new pods have been updated...", done=False)
    if status.number_available < wanted:
        return Progress(f"{waiting} {status.number_available} of {wanted} updated pods are available...", done=False)
    return Progress(f'daemon set "{name}" successfully rolled out', done=True)


def of_statefulset(statefulset: StatefulSet) -> Progress:
    spec, status = statefulset.spec, statefulset.status
    if statefulset.metadata.generation > (status.observed_generation or 0):
        return Progress("Waiting for statefulset spec update to be observed...", done=False)
    wanted = spec.replicas if spec.replicas is not None else 1
    if status.ready_replicas < wanted:
        return Progress(f"Waiting for {wanted - status.ready_replicas} pods to be ready...", done=False)
    if status.update_revision != status.current_revision:
        return Progress(
            f"waiting for statefulset rolling update to complete {status.updated_replicas} pods at revision"
            f" {status.update_revision}...",
            done=False,
        )
    return Progress(
        f"statefulset rolling update complete {status.current_replicas} pods at revision {status.current_revision}...",
        done=True,
    )


BY_KIND: dict[str, Callable[..., Progress]] = {
    "Deployment": of_deployment,
    "DaemonSet": of_daemonset,
    "StatefulSet": of_statefulset,
}


def revisions(replicasets: Sequence[ReplicaSet], owner_uid: str) -> dict[int, ReplicaSet]:
    """The states that a Deployment has had, oldest first."""
    found: dict[int, ReplicaSet] = {}
    for each in replicasets:
        number = each.metadata.annotations.get(REVISION, "")
        owned = any(owner.controller and owner.uid == owner_uid for owner in each.metadata.owner_references)
        if owned and number.isdecimal():
            found[int(number)] = each
    return dict(sorted(found.items()))


def history(found: dict[int, ReplicaSet]) -> str:
    """As a table; every line ends."""
    rows = [("REVISION", "CHANGE-CAUSE")]
    rows += [(str(number), each.metadata.annotations.get(CAUSE) or "<none>") for number, each in found.items()]
    return "".join(f"{number:<10}{cause}\n" for number, cause in rows)


def target(found: dict[int, ReplicaSet], wanted: int) -> ReplicaSet:
    """The state to go back to; 0 means the one before. ValueError if there is none."""
    if wanted:
        if wanted not in found:
            raise ValueError(f"unable to find specified revision {wanted} in history")
        return found[wanted]
    if len(found) < 2:
        raise ValueError("no rollout history found")
    return found[sorted(found)[-2]]
