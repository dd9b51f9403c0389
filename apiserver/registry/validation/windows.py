"""Rules that depend on the pod's operating system: Windows options, host processes, and what each system lacks."""

from __future__ import annotations

import re

from apiserver.registry.validation import checks, walking
from steersman.api import fields, names
from steersman.api.core import (
    PodSecurityContext,
    PodSpec,
    WindowsSecurityContextOptions,
)
from steersman.api.errors import Cause
from steersman.api.fields import Path

SYSTEMS = ("linux", "windows")
MAX_CREDENTIAL_KIB = 64
MAX_DOMAIN_LENGTH = 256
MAX_USER_LENGTH = 104

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NET_BIOS = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}')
_DNS_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DNS_NAME = re.compile(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*")
_FORBIDDEN_IN_USER = re.compile(r'["/\\:;|=,+*?<>@\[\]]')
_DOTS_AND_SPACES = re.compile(r"[. ]+")

_NOT_ON_WINDOWS = "cannot be set for a windows pod"
_CONTAINER_FIELDS = (
    ("app_armor_profile", "appArmorProfile"),
    ("se_linux_options", "seLinuxOptions"),
    ("seccomp_profile", "seccompProfile"),
    ("capabilities", "capabilities"),
    ("read_only_root_filesystem", "readOnlyRootFilesystem"),
    ("privileged", "privileged"),
    ("allow_privilege_escalation", "allowPrivilegeEscalation"),
    ("proc_mount", "procMount"),
    ("run_as_user", "runAsUser"),
    ("run_as_group", "runAsGroup"),
)


def validate_system(spec: PodSpec, path: Path) -> list[Cause]:
    """`spec.os`, and the fields that its system does not have."""
    if spec.os is None:
        return []
    where = path.child("os")
    if not spec.os.name:
        return [fields.required(where.child("name"))]
    if spec.os.name not in SYSTEMS:
        return [fields.not_supported(where, spec.os.name, SYSTEMS)]
    return _validate_linux(spec, path) if spec.os.name == "linux" else _validate_windows(spec, path)


def validate_host_processes(spec: PodSpec, path: Path) -> list[Cause]:
    """Host processes do not mix with containers, and live in the host's network."""
    context = spec.security_context
    whole_pod = None if context is None or context.windows_options is None else context.windows_options.host_process
    causes: list[Cause] = []
    count = host_processes = 0
    for container, where in walking.every_container(spec, path):
        count += 1
        own = None
        if container.security_context is not None and container.security_context.windows_options is not None:
            own = container.security_context.windows_options.host_process
        if whole_pod is not None and own is not None and whole_pod != own:
            shown = "true" if whole_pod else "false"
            detail = f"pod hostProcess value must be identical if both are specified, was {shown}"
            where = where.child("securityContext").child("windowsOptions").child("hostProcess")
            causes.append(fields.invalid(where, own, detail))
        host_processes += bool(whole_pod if own is None else own)
    if host_processes:
        if host_processes != count:
            detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
            causes.append(fields.invalid(path, "", detail))
        if not spec.host_network:
            detail = "hostNetwork must be true if pod contains any hostProcess containers"
            causes.append(fields.invalid(path.child("hostNetwork"), spec.host_network, detail))
    return causes


def validate_options(options: WindowsSecurityContextOptions | None, path: Path) -> list[Cause]:
    if options is None:
        return []
    causes: list[Cause] = []
    if options.gmsa_credential_spec_name is not None:
        where = path.child("gmsaCredentialSpecName")
        causes += checks.name(options.gmsa_credential_spec_name, where, names.dns_subdomain)
    credential = options.gmsa_credential_spec
    if credential is not None:
        where = path.child("gmsaCredentialSpec")
        if not credential:
            causes.append(fields.invalid(where, credential, "gmsaCredentialSpec cannot be an empty string"))
        elif len(credential.encode()) > MAX_CREDENTIAL_KIB * 1024:
            detail = f"gmsaCredentialSpec size must be under {MAX_CREDENTIAL_KIB} KiB"
            causes.append(fields.invalid(where, credential, detail))
    if options.run_as_user_name is not None:
        user = options.run_as_user_name
        where = path.child("runAsUserName")
        causes += [fields.invalid(where, user, complaint) for complaint in _user_name(user)]
    return causes


def _user_name(text: str) -> list[str]:
    """Complaints about `DOMAIN\\USER`, where the domain may be missing."""
    if not text:
        return ["runAsUserName cannot be an empty string"]
    if _CONTROL.search(text):
        return ["runAsUserName cannot contain control characters"]
    if text.count("\\") > 1:
        return ["runAsUserName cannot contain more than one backslash"]
    domain, backslash, user = text.rpartition("\\")
    complaints: list[str] = []
    if len(domain) >= MAX_DOMAIN_LENGTH:
        complaints.append(f"runAsUserName's Domain length must be under {MAX_DOMAIN_LENGTH} characters")
    if backslash and not _NET_BIOS.fullmatch(domain) and not _DNS_NAME.fullmatch(domain):
        complaints.append("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
    if not user:
        complaints.append("runAsUserName's User cannot be empty")
    elif len(user) > MAX_USER_LENGTH:
        complaints.append(f"runAsUserName's User length must not be longer than {MAX_USER_LENGTH} characters")
    if _DOTS_AND_SPACES.fullmatch(user):
        complaints.append("runAsUserName's User cannot contain only periods or spaces")
    if _FORBIDDEN_IN_USER.search(user):
        complaints.append("runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]")
    return complaints


def _validate_linux(spec: PodSpec, path: Path) -> list[Cause]:
    detail = "windows options cannot be set for a linux pod"
    causes: list[Cause] = []
    if spec.security_context is not None and spec.security_context.windows_options is not None:
        causes.append(fields.forbidden(path.child("securityContext").child("windowsOptions"), detail))
    for container, where in walking.every_container(spec, path):
        if container.security_context is not None and container.security_context.windows_options is not None:
            causes.append(fields.forbidden(where.child("securityContext").child("windowsOptions"), detail))
    return causes


def _validate_windows(spec: PodSpec, path: Path) -> list[Cause]:
    causes: list[Cause] = []
    context_path = path.child("securityContext")
    for value, shown, of_context in _unknown_to_windows(spec):
        if value is not None and value != ():
            causes.append(fields.forbidden((context_path if of_context else path).child(shown), _NOT_ON_WINDOWS))
    for container, where in walking.every_container(spec, path):
        if container.security_context is None:
            continue
        for attribute, shown in _CONTAINER_FIELDS:
            if getattr(container.security_context, attribute) is not None:
                causes.append(fields.forbidden(where.child("securityContext").child(shown), _NOT_ON_WINDOWS))
    return causes


def _unknown_to_windows(spec: PodSpec) -> tuple[tuple[object, str, bool], ...]:
    """(value, name, whether it belongs to the security context) in Kubernetes' order; None and () are not set."""
    context = spec.security_context or PodSecurityContext()
    return (
        (context.app_armor_profile, "appArmorProfile", True),
        (context.se_linux_options, "seLinuxOptions", True),
        (spec.host_users, "hostUsers", False),
        (spec.host_pid or None, "hostPID", False),
        (spec.host_ipc or None, "hostIPC", False),
        (context.seccomp_profile, "seccompProfile", True),
        (context.fs_group, "fsGroup", True),
        (context.fs_group_change_policy, "fsGroupChangePolicy", True),
        (context.sysctls, "sysctls", True),
        (spec.share_process_namespace, "shareProcessNamespace", False),
        (context.run_as_user, "runAsUser", True),
        (context.run_as_group, "runAsGroup", True),
        (context.supplemental_groups, "supplementalGroups", True),
        (context.supplemental_groups_policy, "supplementalGroupsPolicy", True),
        (context.se_linux_change_policy, "seLinuxChangePolicy", True),
    )
