"""Every rule for security contexts and operating systems is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from tests.unit.apiserver.registry.pods import CONTAINER, DNS_SUBDOMAIN, Case, Manifest, check, ids, in_spec

ID_RANGE = "must be between 0 and 2147483647, inclusive"
PROFILES = 'supported values: "Localhost", "RuntimeDefault", "Unconfined"'
SYSCTL = (
    r"must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*"
    "[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"
)
NOT_ON_WINDOWS = "Forbidden: cannot be set for a windows pod"


def context(id: str, given: Manifest, *complaints: str, **spec: object) -> Case:
    """Complaints begin behind the container's `securityContext`."""
    wanted = tuple(f"spec.containers[0].securityContext{complaint}" for complaint in complaints)
    return Case(id, {**spec, "containers": [{**CONTAINER, "securityContext": given}]}, wanted)


def pod_context(id: str, given: Manifest, *complaints: str, **spec: object) -> Case:
    """Complaints begin behind the pod's `securityContext`."""
    return Case(id, {**spec, "securityContext": given}, tuple(f"spec.securityContext{text}" for text in complaints))


def user(id: str, name: str, *complaints: str) -> Case:
    quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\x01", "\\u0001")
    wanted = (f'.windowsOptions.runAsUserName: Invalid value: "{quoted}": {complaint}' for complaint in complaints)
    return context(id, {"windowsOptions": {"runAsUserName": name}}, *wanted)


CONTAINERS = [
    context(
        "user and group below zero",
        {"runAsUser": -1, "runAsGroup": -2},
        f".runAsUser: Invalid value: -1: {ID_RANGE}",
        f".runAsGroup: Invalid value: -2: {ID_RANGE}",
    ),
    context(
        "unknown proc mount",
        {"procMount": "Half"},
        '.procMount: Unsupported value: "Half": supported values: "Default", "Unmasked"',
    ),
    context(
        "bare proc of the host",
        {"procMount": "Unmasked"},
        '.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
    ),
    context(
        "seccomp without a type",
        {"seccompProfile": {"type": ""}},
        ".seccompProfile.type: Required value: type is required when seccompProfile is set",
    ),
    context(
        "seccomp of unknown type",
        {"seccompProfile": {"type": "Magic"}},
        f'.seccompProfile.type: Unsupported value: "Magic": {PROFILES}',
    ),
    context(
        "seccomp of the host without a file",
        {"seccompProfile": {"type": "Localhost"}},
        ".seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost",
    ),
    context(
        "seccomp of the host, elsewhere",
        {"seccompProfile": {"type": "Localhost", "localhostProfile": "/x"}},
        '.seccompProfile.localhostProfile: Invalid value: "/x": must be a relative path',
    ),
    context(
        "seccomp of the runtime with a file",
        {"seccompProfile": {"type": "RuntimeDefault", "localhostProfile": "x"}},
        '.seccompProfile.localhostProfile: Invalid value: {"Type":"RuntimeDefault","LocalhostProfile":"x"}: '
        "can only be set when seccomp type is Localhost",
    ),
    context(
        "privileged without escalation",
        {"privileged": True, "allowPrivilegeEscalation": False},
        ': Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,'
        '"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,'
        '"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: '
        "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
    ),
    context(
        "administrator without escalation",
        {"capabilities": {"add": ["CAP_SYS_ADMIN"]}, "allowPrivilegeEscalation": False},
        ': Invalid value: {"Capabilities":{"Add":["CAP_SYS_ADMIN"],"Drop":null},"Privileged":null,'
        '"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,'
        '"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,'
        '"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
    ),
    context(
        "AppArmor without a type",
        {"appArmorProfile": {"type": ""}},
        ".appArmorProfile.type: Required value: type is required when appArmorProfile is set",
    ),
    context(
        "AppArmor of unknown type",
        {"appArmorProfile": {"type": "Magic"}},
        f'.appArmorProfile.type: Unsupported value: "Magic": {PROFILES}',
    ),
    context(
        "AppArmor of the host without a name",
        {"appArmorProfile": {"type": "Localhost"}},
        ".appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost",
    ),
    context(
        "AppArmor of the host with a padded name",
        {"appArmorProfile": {"type": "Localhost", "localhostProfile": " x"}},
        '.appArmorProfile.localhostProfile: Invalid value: " x": must not be padded with whitespace',
    ),
    context(
        "AppArmor of the host with a long name",
        {"appArmorProfile": {"type": "Localhost", "localhostProfile": "x" * 4096}},
        ".appArmorProfile.localhostProfile: Too long: may not be more than 4095 bytes",
    ),
    context(
        "AppArmor of the runtime with a name",
        {"appArmorProfile": {"type": "RuntimeDefault", "localhostProfile": "x"}},
        '.appArmorProfile.localhostProfile: Invalid value: "x": can only be set when AppArmor type is Localhost',
    ),
]

PODS = [
    pod_context(
        "ids below zero",
        {"fsGroup": -1, "runAsUser": -2, "runAsGroup": -3, "supplementalGroups": [0, 2**31]},
        f".fsGroup: Invalid value: -1: {ID_RANGE}",
        f".runAsUser: Invalid value: -2: {ID_RANGE}",
        f".runAsGroup: Invalid value: -3: {ID_RANGE}",
        f".supplementalGroups[1]: Invalid value: 2147483648: {ID_RANGE}",
    ),
    in_spec(
        "processes shared twice",
        {"shareProcessNamespace": True, "hostPID": True},
        ".securityContext.shareProcessNamespace: Invalid value: true: "
        "ShareProcessNamespace and HostPID cannot both be enabled",
    ),
    pod_context("sysctl without a name", {"sysctls": [{"name": "", "value": ""}]}, ".sysctls[0].name: Required value"),
    pod_context(
        "sysctl with a bad name",
        {"sysctls": [{"name": "a..b", "value": ""}]},
        f'.sysctls[0].name: Invalid value: "a..b": {SYSCTL}',
    ),
    pod_context(
        "sysctl twice",
        {"sysctls": [{"name": "a.b", "value": ""}, {"name": "a.b", "value": ""}]},
        '.sysctls[1].name: Duplicate value: "a.b"',
    ),
    pod_context(
        "sysctl of the host's network",
        {"sysctls": [{"name": "net/ipv4/ip_forward", "value": "1"}]},
        ".sysctls[0].name: Invalid value: \"net/ipv4/ip_forward\": may not be specified when 'hostNetwork' is true",
        hostNetwork=True,
    ),
    pod_context(
        "sysctls of the host's memory",
        {"sysctls": [{"name": "kernel.shmmax", "value": "1"}, {"name": "fs.mqueue.msg_max", "value": "1"}]},
        ".sysctls[0].name: Invalid value: \"kernel.shmmax\": may not be specified when 'hostIPC' is true",
        ".sysctls[1].name: Invalid value: \"fs.mqueue.msg_max\": may not be specified when 'hostIPC' is true",
        hostIPC=True,
    ),
    pod_context(
        "unknown policies",
        {"fsGroupChangePolicy": "A", "supplementalGroupsPolicy": "B", "seLinuxChangePolicy": "C"},
        '.fsGroupChangePolicy: Unsupported value: "A": supported values: "Always", "OnRootMismatch"',
        '.supplementalGroupsPolicy: Unsupported value: "B": supported values: "Merge", "Strict"',
        '.seLinuxChangePolicy: Unsupported value: "C": supported values: "MountOption", "Recursive"',
    ),
    pod_context(
        "profiles of the pod",
        {"seccompProfile": {"type": ""}, "appArmorProfile": {"type": ""}},
        ".seccompProfile.type: Required value: type is required when seccompProfile is set",
        ".appArmorProfile.type: Required value: type is required when appArmorProfile is set",
    ),
    in_spec(
        "own users and the host's namespaces",
        {
            "hostUsers": False,
            "hostNetwork": True,
            "hostPID": True,
            "hostIPC": True,
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "d"}}],
            "containers": [{**CONTAINER, "volumeDevices": [{"name": "v", "devicePath": "/dev/x"}]}],
        },
        ".hostNetwork: Forbidden: when `hostUsers` is false",
        ".HostPID: Forbidden: when `hostUsers` is false",
        ".HostIPC: Forbidden: when `hostUsers` is false",
        ".containers[0].volumeDevices: Forbidden: when `hostUsers` is false",
    ),
]

WINDOWS = [
    context(
        "bad credential",
        {"windowsOptions": {"gmsaCredentialSpecName": "A", "gmsaCredentialSpec": ""}},
        f'.windowsOptions.gmsaCredentialSpecName: Invalid value: "A": {DNS_SUBDOMAIN}',
        '.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string',
    ),
    context(
        "large credential",
        {"windowsOptions": {"gmsaCredentialSpec": "x" * 65537}},
        f'.windowsOptions.gmsaCredentialSpec: Invalid value: "{"x" * 65537}": '
        "gmsaCredentialSpec size must be under 64 KiB",
    ),
    user("user without a name", "", "runAsUserName cannot be an empty string"),
    user("user with a bell", "a\x01", "runAsUserName cannot contain control characters"),
    user("user with two backslashes", "a\\b\\c", "runAsUserName cannot contain more than one backslash"),
    user("domain without a user", "a\\", "runAsUserName's User cannot be empty"),
    user(
        "user of no domain",
        "\\b",
        "runAsUserName's Domain doesn't match the NetBios nor the DNS format",
    ),
    user(
        "user of a long domain",
        f"{'a' * 256}\\b",
        "runAsUserName's Domain length must be under 256 characters",
        "runAsUserName's Domain doesn't match the NetBios nor the DNS format",
    ),
    user("user with a long name", "a" * 105, "runAsUserName's User length must not be longer than 104 characters"),
    user("user of dots", ". .", "runAsUserName's User cannot contain only periods or spaces"),
    user("user with a star", "a*", "runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"),
    in_spec(
        "some host processes",
        {
            "hostNetwork": True,
            "containers": [
                {**CONTAINER, "securityContext": {"windowsOptions": {"hostProcess": True}}},
                {"name": "d", "image": "i:1"},
            ],
        },
        ': Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess '
        "containers",
    ),
    in_spec(
        "host processes outside the host's network, and one that is none",
        {
            "securityContext": {"windowsOptions": {"hostProcess": True}},
            "containers": [
                CONTAINER,
                {"name": "d", "image": "i:1", "securityContext": {"windowsOptions": {"hostProcess": False}}},
            ],
        },
        ".containers[1].securityContext.windowsOptions.hostProcess: Invalid value: false: "
        "pod hostProcess value must be identical if both are specified, was true",
        ': Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess '
        "containers",
        ".hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers",
    ),
    in_spec("system without a name", {"os": {"name": ""}}, ".os.name: Required value"),
    in_spec(
        "unknown system",
        {"os": {"name": "plan9"}},
        '.os: Unsupported value: "plan9": supported values: "linux", "windows"',
    ),
    in_spec(
        "Windows options on Linux",
        {
            "os": {"name": "linux"},
            "securityContext": {"windowsOptions": {}},
            "initContainers": [{"name": "i", "image": "i:1", "securityContext": {"windowsOptions": {}}}],
        },
        ".securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
        ".initContainers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
    ),
    in_spec(
        "a pod of Linux on Windows",
        {
            "os": {"name": "windows"},
            "hostUsers": True,
            "hostPID": True,
            "hostIPC": True,
            "shareProcessNamespace": False,
            "securityContext": {
                "appArmorProfile": {"type": "RuntimeDefault"},
                "seLinuxOptions": {},
                "seccompProfile": {"type": "RuntimeDefault"},
                "fsGroup": 0,
                "fsGroupChangePolicy": "Always",
                "sysctls": [{"name": "a", "value": ""}],
                "runAsUser": 0,
                "runAsGroup": 0,
                "supplementalGroups": [0],
                "supplementalGroupsPolicy": "Merge",
                "seLinuxChangePolicy": "Recursive",
            },
        },
        f".securityContext.appArmorProfile: {NOT_ON_WINDOWS}",
        f".securityContext.seLinuxOptions: {NOT_ON_WINDOWS}",
        f".hostUsers: {NOT_ON_WINDOWS}",
        f".hostPID: {NOT_ON_WINDOWS}",
        f".hostIPC: {NOT_ON_WINDOWS}",
        f".securityContext.seccompProfile: {NOT_ON_WINDOWS}",
        f".securityContext.fsGroup: {NOT_ON_WINDOWS}",
        f".securityContext.fsGroupChangePolicy: {NOT_ON_WINDOWS}",
        f".securityContext.sysctls: {NOT_ON_WINDOWS}",
        f".shareProcessNamespace: {NOT_ON_WINDOWS}",
        f".securityContext.runAsUser: {NOT_ON_WINDOWS}",
        f".securityContext.runAsGroup: {NOT_ON_WINDOWS}",
        f".securityContext.supplementalGroups: {NOT_ON_WINDOWS}",
        f".securityContext.supplementalGroupsPolicy: {NOT_ON_WINDOWS}",
        f".securityContext.seLinuxChangePolicy: {NOT_ON_WINDOWS}",
    ),
    context(
        "a container of Linux on Windows",
        {
            "appArmorProfile": {"type": "RuntimeDefault"},
            "seLinuxOptions": {},
            "seccompProfile": {"type": "RuntimeDefault"},
            "capabilities": {},
            "readOnlyRootFilesystem": False,
            "privileged": False,
            "allowPrivilegeEscalation": True,
            "procMount": "Default",
            "runAsUser": 0,
            "runAsGroup": 0,
        },
        *(
            f".{field}: {NOT_ON_WINDOWS}"
            for field in (
                "appArmorProfile",
                "seLinuxOptions",
                "seccompProfile",
                "capabilities",
                "readOnlyRootFilesystem",
                "privileged",
                "allowPrivilegeEscalation",
                "procMount",
                "runAsUser",
                "runAsGroup",
            )
        ),
        os={"name": "windows"},
    ),
]

CASES = [*CONTAINERS, *PODS, *WINDOWS]


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_security(case: Case) -> None:
    check(case)


VALID = [
    user("user of a domain", "NT AUTHORITY\\NETWORK SERVICE"),
    context("bare proc with own users", {"procMount": "Unmasked"}, hostUsers=False),
    context("privileged", {"privileged": True}),
    pod_context("sysctl with slashes", {"sysctls": [{"name": "net/ipv4/conf/eth0.100/forwarding", "value": "1"}]}),
    pod_context("root", {"runAsUser": 0, "fsGroup": 2**31 - 1}),
]


@pytest.mark.parametrize("case", VALID, ids=ids(VALID))
def test_nothing_to_complain_about(case: Case) -> None:
    check(case)
