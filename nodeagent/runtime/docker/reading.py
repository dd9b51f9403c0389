"""Docker's answers in our words. Pure: its JSON in, what was seen out."""

from __future__ import annotations

import ipaddress
import itertools
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from nodeagent.runtime.docker import naming
from nodeagent.runtime.docker.naming import Identity
from nodeagent.runtime.interface import Owner
from nodeagent.runtime.seen import (
    DiskUse,
    Engine,
    Image,
    PodNetwork,
    SeenContainer,
    SeenPod,
    SeenSandbox,
    State,
    Usage,
)
from nodeagent.runtime.specs import PodRef
from steersman.api.names import Uid

Json = Mapping[str, Any]
Seen = SeenSandbox | SeenContainer

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RUNNING = {"running", "paused", "restarting"}


def instant(text: str) -> datetime | None:
    """RFC 3339 with up to nanoseconds, which Python cuts to microseconds. None for Go's zero time: "never"."""
    if not text or text.startswith("0001-"):
        return None
    return datetime.fromisoformat(text).astimezone(UTC)


def state_of(inspected: Json) -> State:
    state = inspected["State"]
    if state["Status"] in _RUNNING:
        return State.RUNNING
    # Docker leaves a container that could not be started as "created", with the reason.
    if state["Status"] == "created" and not state["Error"]:
        return State.CREATED
    return State.EXITED


def seen(identity: Identity, inspected: Json) -> Seen:
    return sandbox(identity, inspected) if identity.is_sandbox else container(identity, inspected)


def sandbox(identity: Identity, inspected: Json) -> SeenSandbox:
    state = state_of(inspected)
    addresses = _addresses(inspected) if state is State.RUNNING else ()
    return SeenSandbox(
        id=inspected["Id"],
        attempt=identity.attempt,
        state=state,
        ip=addresses[0] if addresses else "",
        ips=addresses,
        host_network=inspected["HostConfig"]["NetworkMode"] == "host",
        created_at=instant(inspected["Created"]) or EPOCH,
        started_at=instant(inspected["State"]["StartedAt"]),
        finished_at=instant(inspected["State"]["FinishedAt"]),
        annotations=identity.annotations,
    )


def container(identity: Identity, inspected: Json) -> SeenContainer:
    state = state_of(inspected)
    return SeenContainer(
        id=inspected["Id"],
        name=identity.container,
        attempt=identity.attempt,
        sandbox_id=identity.sandbox_id,
        state=state,
        image_id=inspected["Image"],
        created_at=instant(inspected["Created"]) or EPOCH,
        started_at=instant(inspected["State"]["StartedAt"]),
        finished_at=instant(inspected["State"]["FinishedAt"]) if state is State.EXITED else None,
        exit_code=inspected["State"]["ExitCode"] if state is State.EXITED else None,
        oom_killed=inspected["State"]["OOMKilled"],
        error=inspected["State"]["Error"],
        annotations=identity.annotations,
    )


def pods(found: Iterable[tuple[Identity, Seen]]) -> tuple[SeenPod, ...]:
    def uid(item: tuple[Identity, Seen]) -> Uid:
        return item[0].pod.uid

    groups = itertools.groupby(sorted(found, key=uid), key=uid)
    return tuple(_pod([*items]) for _, items in groups)


def pod(uid: Uid, found: Iterable[tuple[Identity, Seen]]) -> SeenPod:
    items = [*found]
    return _pod(items) if items else SeenPod(pod=PodRef(uid, "", ""))


def _pod(items: Sequence[tuple[Identity, Seen]]) -> SeenPod:
    sandboxes = [thing for _, thing in items if isinstance(thing, SeenSandbox)]
    containers = [thing for _, thing in items if isinstance(thing, SeenContainer)]
    return SeenPod(
        pod=items[0][0].pod,
        sandboxes=tuple(sorted(sandboxes, key=lambda seen: -seen.attempt)),
        containers=tuple(sorted(containers, key=lambda seen: (seen.name, -seen.attempt))),
    )


def _addresses(inspected: Json) -> tuple[str, ...]:
    networks = inspected["NetworkSettings"]["Networks"].values()
    found = (network.get(field) for network in networks for field in ("IPAddress", "GlobalIPv6Address"))
    return tuple(address for address in found if address)


def image(answer: Json) -> Image:
    """Of `/images/…/json`, or one entry of the list, which does not know the user."""
    config = answer.get("Config")
    return Image(
        id=answer["Id"],
        tags=tuple(answer.get("RepoTags") or ()),
        digests=tuple(answer.get("RepoDigests") or ()),
        size_bytes=answer["Size"],
        user=None if config is None else config.get("User", ""),
    )


def engine(version: Json, info: Json) -> Engine:
    return Engine(
        name="docker",
        version=version["Version"],
        operating_system=info["OperatingSystem"],
        os_type=info["OSType"],
        architecture=version["Arch"],
        kernel=info["KernelVersion"],
        cpus=info["NCPU"],
        memory_bytes=info["MemTotal"],
        data_root=info["DockerRootDir"],
    )


def network(answer: Json) -> PodNetwork:
    """Docker takes the first address for the gateway, but says so only once somebody is on the network."""
    config = (answer["IPAM"]["Config"] or [{}])[0]
    subnet = config.get("Subnet", "")
    gateway = config.get("Gateway") or (str(ipaddress.ip_network(subnet)[1]) if subnet else "")
    return PodNetwork(answer["Name"], subnet, gateway)


def usage(answer: Json) -> Usage | None:
    at = instant(answer["read"])
    memory = answer["memory_stats"]
    if at is None or "usage" not in memory:
        return None
    # The page cache that could be given back at once does not count (cgroup v2 and v1 name it differently).
    details = memory.get("stats") or {}
    reclaimable = details.get("inactive_file", 0) if "anon" in details else details.get("total_inactive_file", 0)
    networks = (answer.get("networks") or {}).values()
    return Usage(
        at=at,
        cpu_nanoseconds=answer["cpu_stats"]["cpu_usage"]["total_usage"],
        memory_bytes=memory["usage"],
        working_set_bytes=max(0, memory["usage"] - reclaimable),
        received_bytes=sum(card["rx_bytes"] for card in networks),
        sent_bytes=sum(card["tx_bytes"] for card in networks),
        pids=(answer.get("pids_stats") or {}).get("current", 0),
    )


def disk_use(answer: Json, owner: Owner) -> DiskUse:
    ours = [item for item in answer["Containers"] or () if naming.owner_of(item["Labels"] or {}) == owner]
    return DiskUse(
        image_bytes=answer["LayersSize"],
        writable_bytes={item["Id"]: item.get("SizeRw", 0) for item in ours},
    )


def unix_time(moment: datetime) -> str:
    """Seconds and nanoseconds, as the `since` of logs and events wants them."""
    passed = moment - EPOCH
    return f"{passed // timedelta(seconds=1)}.{passed.microseconds:06d}000"
