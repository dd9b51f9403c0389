"""As whom and with which rights a container runs: the pod's security context under the container's own. Pure."""

from __future__ import annotations

from nodeagent import waiting
from nodeagent.environment import ConfigProblem
from nodeagent.runtime.seen import Image
from nodeagent.runtime.specs import Profile, Security
from steersman.api.core import (
    AppArmorProfile,
    Capabilities,
    Container,
    Pod,
    PodSecurityContext,
    SeccompProfile,
    SecurityContext,
)


def of(pod: Pod, container: Container, image: Image) -> Security:
    """Raises ConfigProblem when the container must not run as root and would."""
    common = pod.spec.security_context or PodSecurityContext()
    own = container.security_context or SecurityContext()
    user = own.run_as_user if own.run_as_user is not None else common.run_as_user
    group = own.run_as_group if own.run_as_group is not None else common.run_as_group
    non_root = own.run_as_non_root if own.run_as_non_root is not None else common.run_as_non_root
    if non_root:
        _check_non_root(pod, container, user, image)
    groups = common.supplemental_groups + ((common.fs_group,) if common.fs_group is not None else ())
    capabilities = own.capabilities or Capabilities()
    privileged = bool(own.privileged)
    return Security(
        user=_user(user, group),
        supplemental_groups=tuple(dict.fromkeys(groups)),
        privileged=privileged,
        add_capabilities=tuple(each.removeprefix("CAP_") for each in capabilities.add),
        drop_capabilities=tuple(each.removeprefix("CAP_") for each in capabilities.drop),
        read_only_root=bool(own.read_only_root_filesystem),
        no_new_privileges=own.allow_privilege_escalation is False and not privileged,
        seccomp=_seccomp(own.seccomp_profile or common.seccomp_profile),
        apparmor=_apparmor(own.app_armor_profile or common.app_armor_profile),
        unmasked_proc=own.proc_mount == "Unmasked",
    )


def _user(user: int | None, group: int | None) -> str:
    if user is None and group is None:
        return ""
    return f"{'' if user is None else user}{'' if group is None else f':{group}'}"


def _check_non_root(pod: Pod, container: Container, user: int | None, image: Image) -> None:
    whom = f'(pod: "{waiting.pod_label(pod)}", container: {container.name})'
    if user is not None:
        if user == 0:
            raise ConfigProblem(f"container's runAsUser breaks non-root policy {whom}")
        return
    named = (image.user or "").partition(":")[0]
    if not named or named == "0":
        raise ConfigProblem(f"container has runAsNonRoot and image will run as root {whom}")
    if not named.isdecimal():
        told = f"container has runAsNonRoot and image has non-numeric user ({named}), cannot verify user is non-root"
        raise ConfigProblem(f"{told} {whom}")


def _seccomp(profile: SeccompProfile | None) -> str:
    """Without any wish, none is applied: so has the kubelet always done."""
    if profile is None or profile.type == "Unconfined":
        return Profile.UNCONFINED
    if profile.type == "RuntimeDefault":
        return Profile.RUNTIME_DEFAULT
    raise ConfigProblem("seccomp profiles from files are not supported on this node")


def _apparmor(profile: AppArmorProfile | None) -> str:
    if profile is None or profile.type == "RuntimeDefault":
        return Profile.RUNTIME_DEFAULT
    return Profile.UNCONFINED if profile.type == "Unconfined" else profile.localhost_profile or ""
