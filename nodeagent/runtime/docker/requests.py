"""Our specs in the words of Docker's API: the bodies of its create calls. Pure."""

from __future__ import annotations

from typing import Any

from nodeagent.runtime.docker import naming
from nodeagent.runtime.docker.naming import Identity
from nodeagent.runtime.docker.settings import DockerSettings
from nodeagent.runtime.interface import Owner
from nodeagent.runtime.specs import (
    ContainerSpec,
    HostMount,
    MemoryVolume,
    Mount,
    PartMount,
    Profile,
    Resources,
    SandboxSpec,
    Security,
)

Body = dict[str, Any]

NEVER_RESTART = {"Name": "no"}
NO_HEALTHCHECK = {"Test": ["NONE"]}  # an image's own check means nothing to Kubernetes, and costs an exec each time
PAUSE_OOM_SCORE = -998  # the last to be killed for memory: it takes the pod's network with it
PAUSE_CPU_SHARES = 2
VOLUMES_FOLDER = "/volumes"


def sandbox(spec: SandboxSpec, owner: Owner, settings: DockerSettings) -> Body:
    identity = Identity(spec.pod, naming.SANDBOX, spec.attempt, "", spec.annotations)
    ports = {} if spec.host_network else _port_bindings(spec)
    host: Body = {
        "NetworkMode": "host" if spec.host_network else settings.network,
        "IpcMode": "host" if spec.host_ipc else "shareable",
        "PidMode": "host" if spec.host_pid else "",
        "PortBindings": ports,
        "Dns": list(spec.dns.nameservers),
        "DnsSearch": list(spec.dns.searches),
        "DnsOptions": list(spec.dns.options),
        "ExtraHosts": [f"{alias.hostname}:{alias.ip}" for alias in spec.host_aliases],
        "Sysctls": dict(spec.sysctls),
        "Mounts": [_memory_volume(spec, owner, volume) for volume in spec.memory_volumes],
        "RestartPolicy": NEVER_RESTART,
        "LogConfig": {"Type": "none"},
        "OomScoreAdj": PAUSE_OOM_SCORE,
        "CpuShares": PAUSE_CPU_SHARES,
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges=true"],
    }
    if not spec.host_ipc:
        host["ShmSize"] = spec.shm_bytes
    return {
        "Image": settings.pause_image,
        "Hostname": "" if spec.host_network else spec.hostname,
        "Labels": naming.labels(owner, identity),
        "ExposedPorts": {port: {} for port in ports},
        "HostConfig": host,
    }


def container(spec: ContainerSpec, owner: Owner, settings: DockerSettings) -> Body:
    identity = Identity(spec.pod, spec.name, spec.attempt, spec.sandbox_id, spec.annotations)
    body: Body = {
        "Image": spec.image,
        "Env": [f"{name}={value}" for name, value in spec.env],
        "WorkingDir": spec.working_dir,
        "User": spec.security.user,
        "Labels": naming.labels(owner, identity),
        "Tty": spec.terminal.tty,
        "OpenStdin": spec.terminal.stdin,
        "StdinOnce": spec.terminal.stdin_once,
        "Healthcheck": NO_HEALTHCHECK,
        "HostConfig": {
            **_namespaces(spec),
            **_rights(spec.security),
            **_limits(spec.resources),
            "Mounts": [_mount(spec, owner, mount) for mount in spec.mounts],
            "RestartPolicy": NEVER_RESTART,
            "LogConfig": {
                "Type": "json-file",
                "Config": {"max-size": str(settings.log_bytes), "max-file": str(settings.log_files)},
            },
        },
    }
    if spec.command:
        body["Entrypoint"] = list(spec.command)
    if spec.args:
        body["Cmd"] = list(spec.args)
    if spec.stop_signal:
        body["StopSignal"] = spec.stop_signal
    return body


def _namespaces(spec: ContainerSpec) -> Body:
    pause = f"container:{spec.sandbox_id}"
    own_or_shared = pause if spec.share_process_namespace else ""
    pids = "host" if spec.host_pid else own_or_shared
    return {"NetworkMode": pause, "IpcMode": "host" if spec.host_ipc else pause, "PidMode": pids}


def _rights(security: Security) -> Body:
    options = ["no-new-privileges=true"] if security.no_new_privileges else []
    for rules, value in (("seccomp", security.seccomp), ("apparmor", security.apparmor)):
        if value != Profile.RUNTIME_DEFAULT:
            options.append(f"{rules}={value}")
    rights: Body = {
        "Privileged": security.privileged,
        "CapAdd": list(security.add_capabilities),
        "CapDrop": list(security.drop_capabilities),
        "GroupAdd": [str(group) for group in security.supplemental_groups],
        "ReadonlyRootfs": security.read_only_root,
        "SecurityOpt": options,
    }
    if security.unmasked_proc:
        rights |= {"MaskedPaths": [], "ReadonlyPaths": []}
    return rights


def _limits(resources: Resources) -> Body:
    """MemorySwap counts memory and swap together: equal to Memory it means no swap, as in Kubernetes."""
    limits: Body = {"CpuShares": resources.cpu_shares, "OomScoreAdj": resources.oom_score_adjustment}
    if resources.cpu_quota_microseconds:
        limits["CpuPeriod"] = resources.cpu_period_microseconds
        limits["CpuQuota"] = resources.cpu_quota_microseconds
    if resources.memory_bytes:
        limits["Memory"] = limits["MemorySwap"] = resources.memory_bytes
    if resources.pids:
        limits["PidsLimit"] = resources.pids
    return limits


def _port_bindings(spec: SandboxSpec) -> dict[str, list[dict[str, str]]]:
    bindings: dict[str, list[dict[str, str]]] = {}
    for port in spec.ports:
        inside = f"{port.container_port}/{port.protocol}"
        bindings.setdefault(inside, []).append({"HostIp": port.host_ip, "HostPort": str(port.host_port)})
    return bindings


def _memory_volume(spec: SandboxSpec, owner: Owner, volume: MemoryVolume) -> Body:
    """Docker unmounts a volume with its last container: the pause container is there to keep the tmpfs."""
    wishes = [f"size={volume.size_bytes}"] if volume.size_bytes else []
    if volume.group is not None:
        wishes += [f"gid={volume.group}", "mode=2777"]
    options = {"type": "tmpfs", "device": "tmpfs", **({"o": ",".join(wishes)} if wishes else {})}
    return {
        "Type": "volume",
        "Source": naming.volume_name(owner, spec.pod.uid, volume.name),
        "Target": f"{VOLUMES_FOLDER}/{volume.name}",
        "VolumeOptions": {
            "NoCopy": True,
            "Labels": naming.pod_labels(owner, spec.pod.uid),
            "DriverConfig": {"Name": "local", "Options": options},
        },
    }


def _mount(spec: ContainerSpec, owner: Owner, mount: Mount) -> Body:
    if isinstance(mount, HostMount):
        return {
            "Type": "bind",
            "Source": mount.source,
            "Target": mount.target,
            "ReadOnly": mount.read_only,
            "BindOptions": {
                "Propagation": mount.propagation.value,
                "ReadOnlyNonRecursive": mount.read_only and not mount.recursive_read_only,
            },
        }
    if isinstance(mount, PartMount):
        return _part(spec, owner, mount)
    return {
        "Type": "volume",
        "Source": naming.volume_name(owner, spec.pod.uid, mount.volume),
        "Target": mount.target,
        "ReadOnly": mount.read_only,
        "VolumeOptions": {"NoCopy": True},
    }


def _part(spec: ContainerSpec, owner: Owner, mount: PartMount) -> Body:
    """A volume over the folder, because only in volumes Docker looks for a part without being led astray."""
    options = {"type": "none", "o": "bind", "device": mount.source}
    return {
        "Type": "volume",
        "Source": naming.volume_name(owner, spec.pod.uid, mount.volume),
        "Target": mount.target,
        "ReadOnly": mount.read_only,
        "VolumeOptions": {
            "NoCopy": True,
            "Subpath": mount.part,
            "Labels": naming.pod_labels(owner, spec.pod.uid),
            "DriverConfig": {"Name": "local", "Options": options},
        },
    }
