"""Names and labels: how a container says whose it is. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from nodeagent.runtime.interface import Owner
from nodeagent.runtime.specs import PodRef
from steersman.api.names import Uid

SANDBOX = "POD"
"""What the pause container is called within its pod. Upper case, so no container of a pod can have the name."""

CLUSTER = "steersman.io/cluster"
NODE = "steersman.io/node"
UID = "steersman.io/pod-uid"
NAMESPACE = "steersman.io/pod-namespace"
POD = "steersman.io/pod"
CONTAINER = "steersman.io/container"
ATTEMPT = "steersman.io/attempt"
SANDBOX_ID = "steersman.io/sandbox"
ANNOTATIONS = "steersman.io/annotations"


@dataclass(frozen=True, slots=True)
class Identity:
    """What a container's labels say."""

    pod: PodRef
    container: str
    attempt: int
    sandbox_id: str
    annotations: Mapping[str, str]

    @property
    def is_sandbox(self) -> bool:
        return self.container == SANDBOX


def container_name(owner: Owner, uid: Uid, container: str, attempt: int) -> str:
    """Unique on an engine: Docker's own guard against two agents that start the same thing."""
    return f"steersman_{owner.cluster}_{uid}_{container}_{attempt}"


def trial_name(owner: Owner) -> str:
    return f"steersman_{owner.cluster}_{owner.node}_trial"


def volume_name(owner: Owner, uid: Uid, volume: str) -> str:
    return f"steersman_{owner.cluster}_{uid}_{volume}"


def labels(owner: Owner, identity: Identity) -> dict[str, str]:
    return {
        **pod_labels(owner, identity.pod.uid),
        NAMESPACE: identity.pod.namespace,
        POD: identity.pod.name,
        CONTAINER: identity.container,
        ATTEMPT: str(identity.attempt),
        SANDBOX_ID: identity.sandbox_id,
        ANNOTATIONS: msgspec.json.encode(identity.annotations).decode(),
    }


def pod_labels(owner: Owner, uid: Uid) -> dict[str, str]:
    return {CLUSTER: owner.cluster, NODE: owner.node, UID: uid}


def owner_of(labels: Mapping[str, str]) -> Owner:
    return Owner(labels.get(CLUSTER, ""), labels.get(NODE, ""))


def identity_of(labels: Mapping[str, str]) -> Identity | None:
    """None for labels that are not (wholly) ours: somebody has made a container that looks like ours."""
    try:
        return Identity(
            pod=PodRef(Uid(labels[UID]), labels[NAMESPACE], labels[POD]),
            container=labels[CONTAINER],
            attempt=int(labels[ATTEMPT]),
            sandbox_id=labels[SANDBOX_ID],
            annotations=msgspec.json.decode(labels[ANNOTATIONS], type=dict[str, str]),
        )
    except (KeyError, ValueError, msgspec.DecodeError):
        return None


def label_filter(owner: Owner, uid: Uid | None = None, **further: Sequence[str]) -> str:
    """The `filters` of a query for what is ours (and one pod's)."""
    wanted = [f"{CLUSTER}={owner.cluster}", f"{NODE}={owner.node}"]
    if uid is not None:
        wanted.append(f"{UID}={uid}")
    return msgspec.json.encode({"label": wanted, **further}).decode()
