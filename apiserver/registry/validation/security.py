"""Rules for security contexts, of containers and of whole pods: identities, profiles, sysctls, privileges."""

from __future__ import annotations

import re

from apiserver.registry.validation import checks, filepaths, podform, windows
from steersman.api import fields
from steersman.api.core import AppArmorProfile, PodSecurityContext, PodSpec, SeccompProfile, SecurityContext, Sysctl
from steersman.api.errors import Cause
from steersman.api.fields import Path

PROFILE_TYPES = ("Localhost", "RuntimeDefault", "Unconfined")
MAX_PROFILE_LENGTH = 4095  # the longest path, without its end mark
MAX_SYSCTL_LENGTH = 253

_PROC_MOUNTS = ("Default", "Unmasked")
_FS_GROUP_CHANGES = ("Always", "OnRootMismatch")
_SUPPLEMENTAL_GROUPS = ("Merge", "Strict")
_SE_LINUX_CHANGES = ("MountOption", "Recursive")
_SYSCTL_PATTERN = "([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL = re.compile(_SYSCTL_PATTERN)
_IPC_SYSCTLS = frozenset(
    {
        "kernel.msg",
        "kernel.msgmax",
        "kernel.msgmnb",
        "kernel.msgmni",
        "kernel.sem",
        "kernel.shm",
        "kernel.shm_rmid_forced",
        "kernel.shmall",
        "kernel.shmmax",
        "kernel.shmmni",
    }
)
_NOTHING_SET = PodSecurityContext()


def validate_container_context(context: SecurityContext, path: Path, *, host_users: bool) -> list[Cause]:
    """`host_users`: the pod shares the host's user ids, so that a bare /proc would be the host's."""
    causes: list[Cause] = []
    if context.run_as_user is not None:
        causes += checks.user_or_group_id(context.run_as_user, path.child("runAsUser"))
    if context.run_as_group is not None:
        causes += checks.user_or_group_id(context.run_as_group, path.child("runAsGroup"))
    if context.proc_mount is not None:
        where = path.child("procMount")
        causes += checks.choice(context.proc_mount, where, _PROC_MOUNTS)
        if host_users and context.proc_mount == "Unmasked":
            detail = "`hostUsers` must be false to use `Unmasked`"
            causes.append(fields.invalid(where, context.proc_mount, detail))
    causes += _validate_seccomp(context.seccomp_profile, path.child("seccompProfile"))
    if context.allow_privilege_escalation is False:
        causes += _validate_no_escalation(context, path)
    causes += windows.validate_options(context.windows_options, path.child("windowsOptions"))
    return causes + validate_app_armor(context.app_armor_profile, path.child("appArmorProfile"))


def validate_pod_context(spec: PodSpec, path: Path) -> list[Cause]:
    """`spec.securityContext`, and the host's namespaces that the pod shares. `path`: of the spec."""
    context = spec.security_context
    if context is None or context == _NOTHING_SET:
        return _validate_process_namespace(spec, path)
    spec_path, path = path, path.child("securityContext")
    causes: list[Cause] = []
    if context.fs_group is not None:
        causes += checks.user_or_group_id(context.fs_group, path.child("fsGroup"))
    if context.run_as_user is not None:
        causes += checks.user_or_group_id(context.run_as_user, path.child("runAsUser"))
    if context.run_as_group is not None:
        causes += checks.user_or_group_id(context.run_as_group, path.child("runAsGroup"))
    for index, group in enumerate(context.supplemental_groups):
        causes += checks.user_or_group_id(group, path.child("supplementalGroups").index(index))
    causes += _validate_process_namespace(spec, spec_path)
    causes += _validate_sysctls(context.sysctls, spec, path.child("sysctls"))
    if context.fs_group_change_policy is not None:
        causes += checks.choice(context.fs_group_change_policy, path.child("fsGroupChangePolicy"), _FS_GROUP_CHANGES)
    causes += _validate_seccomp(context.seccomp_profile, path.child("seccompProfile"))
    causes += windows.validate_options(context.windows_options, path.child("windowsOptions"))
    causes += validate_app_armor(context.app_armor_profile, path.child("appArmorProfile"))
    if context.supplemental_groups_policy is not None:
        where = path.child("supplementalGroupsPolicy")
        causes += checks.choice(context.supplemental_groups_policy, where, _SUPPLEMENTAL_GROUPS)
    if context.se_linux_change_policy is not None:
        causes += checks.choice(context.se_linux_change_policy, path.child("seLinuxChangePolicy"), _SE_LINUX_CHANGES)
    return causes


def validate_app_armor(profile: AppArmorProfile | None, path: Path) -> list[Cause]:
    if profile is None:
        return []
    if profile.type not in PROFILE_TYPES:
        if not profile.type:
            return [fields.required(path.child("type"), "type is required when appArmorProfile is set")]
        return [fields.not_supported(path.child("type"), profile.type, PROFILE_TYPES)]
    where = path.child("localhostProfile")
    name = profile.localhost_profile
    if profile.type != "Localhost":
        detail = "can only be set when AppArmor type is Localhost"
        return [] if name is None else [fields.invalid(where, name, detail)]
    if not name:
        return [fields.required(where, "must be set when AppArmor type is Localhost")]
    causes: list[Cause] = []
    if name != name.strip():
        causes.append(fields.invalid(where, name, "must not be padded with whitespace"))
    if len(name.encode()) > MAX_PROFILE_LENGTH:
        causes.append(fields.too_long(where, MAX_PROFILE_LENGTH))
    return causes


def _validate_seccomp(profile: SeccompProfile | None, path: Path) -> list[Cause]:
    if profile is None:
        return []
    causes: list[Cause] = []
    if not profile.type:
        causes.append(fields.required(path.child("type"), "type is required when seccompProfile is set"))
    else:
        causes += checks.choice(profile.type, path.child("type"), PROFILE_TYPES)
    where = path.child("localhostProfile")
    if profile.type != "Localhost":
        if profile.localhost_profile is not None:
            detail = "can only be set when seccomp type is Localhost"
            causes.append(fields.invalid(where, podform.as_json(profile), detail))
    elif profile.localhost_profile is None:
        causes.append(fields.required(where, "must be set when seccomp type is Localhost"))
    else:
        causes += filepaths.descending(profile.localhost_profile, where)
    return causes


def _validate_no_escalation(context: SecurityContext, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    if context.privileged:
        detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        causes.append(fields.invalid(path, podform.as_json(context), detail))
    for capability in context.capabilities.add if context.capabilities is not None else ():
        if capability == "CAP_SYS_ADMIN":
            detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
            causes.append(fields.invalid(path, podform.as_json(context), detail))
    return causes


def _validate_process_namespace(spec: PodSpec, path: Path) -> list[Cause]:
    if not (spec.share_process_namespace and spec.host_pid):
        return []
    detail = "ShareProcessNamespace and HostPID cannot both be enabled"
    where = path.child("securityContext").child("shareProcessNamespace")
    return [fields.invalid(where, spec.share_process_namespace, detail)]


def _validate_sysctls(sysctls: tuple[Sysctl, ...], spec: PodSpec, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, sysctl in enumerate(sysctls):
        where = path.index(index).child("name")
        name = sysctl.name
        if not name:
            causes.append(fields.required(where))
        elif len(name) > MAX_SYSCTL_LENGTH or not _SYSCTL.fullmatch(name):
            detail = f"must have at most {MAX_SYSCTL_LENGTH} characters and match regex ^{_SYSCTL_PATTERN}$"
            causes.append(fields.invalid(where, name, detail))
        elif name in seen:
            causes.append(fields.duplicate(where, name))
        seen.add(name)
        causes += _validate_not_the_hosts(name, spec, where)
    return causes


def _validate_not_the_hosts(sysctl: str, spec: PodSpec, path: Path) -> list[Cause]:
    """A pod in a namespace of the host must not turn the host's knobs."""
    dotted = _dotted(sysctl).partition("*")[0]
    if spec.host_network and dotted.startswith("net."):
        return [fields.invalid(path, sysctl, "may not be specified when 'hostNetwork' is true")]
    if spec.host_ipc and (dotted in _IPC_SYSCTLS or dotted.startswith("fs.mqueue.")):
        return [fields.invalid(path, sysctl, "may not be specified when 'hostIPC' is true")]
    return []


def _dotted(sysctl: str) -> str:
    """A sysctl may be written with dots or with slashes; whichever comes first separates, the other is literal."""
    first = re.search(r"[./]", sysctl)
    if first is None or first[0] == ".":
        return sysctl
    return sysctl.translate(str.maketrans("./", "/."))
