"""Containers: what runs, with what, how it is watched and confined, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.api import core
from steersman.api.part import Part

_CONTAINER = {
    "name": "The container's name, unique in the pod.",
    "image": "The image to run.",
    "command": "What to start instead of the image's entry point. $(VAR) is replaced by the variable's value.",
    "args": "The arguments, instead of those of the image. $(VAR) is replaced by the variable's value.",
    "workingDir": "The directory to start in, instead of the image's.",
    "ports": "Ports that the container listens on. Others are reachable all the same.",
    "envFrom": "ConfigMaps and Secrets whose keys all become variables.",
    "env": "Variables; they win over those from envFrom.",
    "resources": "How much the container is promised, and how much it may use.",
    "resizePolicy": "Whether the container has to restart when its resources change.",
    "restartPolicy": "Always makes an init container a sidecar, which runs beside those that follow.",
    "restartPolicyRules": "Exceptions from the restart policy, by exit code; the first that fits counts.",
    "volumeMounts": "Where the pod's volumes appear in the container.",
    "volumeDevices": "Where the pod's block devices appear in the container.",
    "livenessProbe": "When this fails, the container is restarted.",
    "readinessProbe": "While this fails, the container gets no traffic from services.",
    "startupProbe": "Until this has succeeded once, the other probes wait.",
    "lifecycle": "What to do right after the start and before the stop.",
    "terminationMessagePath": "A file whose content becomes the message of a container that ended.",
    "terminationMessagePolicy": "Where that message comes from: the file, or after a failure the end of the log.",
    "imagePullPolicy": "When to ask the registry for the image: always, never, or when the node has none.",
    "securityContext": "What the container may do; this wins over the pod's settings.",
    "stdin": "Whether to keep the standard input open.",
    "stdinOnce": "Whether the input closes when the first client that attached leaves.",
    "tty": "Whether the process has a terminal; needs stdin.",
}

_PROGRAMS: Mapping[type[Part], Mapping[str, str]] = {
    core.Container: _CONTAINER,
    core.EphemeralContainer: {
        **_CONTAINER,
        "targetContainerName": "The container whose processes this one can see.",
    },
    core.ContainerPort: {
        "name": "A name by which services can refer to the port.",
        "hostPort": "The same port on the node, if wanted; few pods need that.",
        "containerPort": "The port in the pod.",
        "protocol": "UDP, TCP or SCTP.",
        "hostIP": "The node's address on which hostPort is bound.",
    },
    core.EnvVar: {
        "name": "The variable's name.",
        "value": "Its value. $(VAR) is replaced by the value of an earlier variable.",
        "valueFrom": "Where to take the value from instead.",
    },
    core.EnvVarSource: {
        "fieldRef": "A field of the pod, such as metadata.name or status.podIP.",
        "resourceFieldRef": "A resource that the container was promised or is limited to.",
        "configMapKeyRef": "A key of a ConfigMap.",
        "secretKeyRef": "A key of a Secret.",
        "fileKeyRef": "A key of a file in one of the pod's volumes.",
    },
    core.EnvFromSource: {
        "prefix": "Put before each key to make the variable's name.",
        "configMapRef": "The ConfigMap to take keys from.",
        "secretRef": "The Secret to take keys from.",
    },
    core.ConfigMapEnvSource: {
        "name": "The name of the ConfigMap.",
        "optional": "Whether it may be missing.",
    },
    core.SecretEnvSource: {"name": "The name of the Secret.", "optional": "Whether it may be missing."},
    core.ConfigMapKeySelector: {
        "name": "The name of the ConfigMap.",
        "key": "The key in it.",
        "optional": "Whether the ConfigMap or the key may be missing.",
    },
    core.SecretKeySelector: {
        "name": "The name of the Secret.",
        "key": "The key in it.",
        "optional": "Whether the Secret or the key may be missing.",
    },
    core.FileKeySelector: {
        "volumeName": "The volume with the file.",
        "path": "The file's path in the volume.",
        "key": "The key in the file.",
        "optional": "Whether the file or the key may be missing.",
    },
    core.ObjectFieldSelector: {
        "apiVersion": "The version in which the path is written.",
        "fieldPath": "The path of the field.",
    },
    core.ResourceFieldSelector: {
        "containerName": "The container; may be left out in a container's own variables.",
        "resource": "The resource, such as limits.cpu.",
        "divisor": "The unit in which the amount is told.",
    },
    core.ResourceRequirements: {
        "limits": "The most that may be used, by resource.",
        "requests": "What the scheduler sets aside, by resource; the limits if nothing is said.",
        "claims": "Claims of the pod for devices that are used here.",
    },
    core.ResourceClaim: {
        "name": "The name of one of the pod's claims.",
        "request": "One request in the claim; empty means all.",
    },
    core.ContainerResizePolicy: {
        "resourceName": "The resource: cpu or memory.",
        "restartPolicy": "NotRequired, or RestartContainer.",
    },
    core.ContainerRestartRule: {
        "action": "What to do; there is only Restart, and RestartAllContainers where it is enabled.",
        "exitCodes": "For which exit codes.",
    },
    core.ContainerRestartRuleOnExitCodes: {
        "operator": "In or NotIn.",
        "values": "The exit codes.",
    },
    core.VolumeMount: {
        "name": "The name of one of the pod's volumes.",
        "readOnly": "Whether the container may only read it.",
        "recursiveReadOnly": "Whether mounts below it are read-only as well.",
        "mountPath": "Where it appears in the container.",
        "subPath": "A path in the volume to mount instead of its root.",
        "mountPropagation": "Whether mounts made later are seen on the other side.",
        "subPathExpr": "Like subPath, with variables of the container replaced.",
        "bindMountOptions": "Options of the mount.",
    },
    core.VolumeDevice: {
        "name": "The name of a claim of the pod.",
        "devicePath": "Where the device appears in the container.",
    },
}

_CARE: Mapping[type[Part], Mapping[str, str]] = {
    core.Probe: {
        "exec": "Runs a command; 0 is success.",
        "httpGet": "Asks by HTTP; any code from 200 to 399 is success.",
        "tcpSocket": "Opens a TCP connection.",
        "grpc": "Asks the gRPC health service.",
        "initialDelaySeconds": "How long to wait after the container has started.",
        "timeoutSeconds": "How long one probe may take.",
        "periodSeconds": "How long from one probe to the next.",
        "successThreshold": "How many successes in a row end a failure.",
        "failureThreshold": "How many failures in a row count as one.",
        "terminationGracePeriodSeconds": "How long the container may take to end when the probe has failed.",
    },
    core.ExecAction: {"command": "The command and its arguments; no shell is involved."},
    core.GRPCAction: {
        "port": "The port of the gRPC service.",
        "service": "The service whose health is asked for.",
        "mode": "Whether the connection is encrypted.",
    },
    core.HTTPGetAction: {
        "path": "The path to ask for.",
        "port": "The port, by number or name.",
        "host": "The host to ask; the pod's address if nothing is said.",
        "scheme": "HTTP or HTTPS; certificates are not checked.",
        "httpHeaders": "Further headers of the request.",
        "protocol": "The version of HTTP.",
    },
    core.HTTPHeader: {"name": "The header's name.", "value": "The header's value."},
    core.TCPSocketAction: {
        "port": "The port, by number or name.",
        "host": "The host; the pod's address if nothing is said.",
    },
    core.SleepAction: {"seconds": "How long to wait."},
    core.LifecycleHandler: {
        "exec": "Runs a command in the container.",
        "httpGet": "Asks the container by HTTP.",
        "tcpSocket": "No longer supported.",
        "sleep": "Waits.",
    },
    core.Lifecycle: {
        "postStart": "Done right after the container was created; if it fails, the container is stopped.",
        "preStop": "Done before the container is stopped, within the grace period.",
        "stopSignal": "The signal that asks the container to end, instead of the image's.",
    },
    core.SecurityContext: {
        "capabilities": "Capabilities to add and to drop.",
        "privileged": "Whether the container may do what root on the node may.",
        "seLinuxOptions": "The SELinux label of the processes.",
        "windowsOptions": "Settings for Windows containers.",
        "runAsUser": "The user id to run as, instead of the image's.",
        "runAsGroup": "The group id to run as.",
        "runAsNonRoot": "Refuse to start the container as root.",
        "readOnlyRootFilesystem": "Whether the container's own file system is read-only.",
        "allowPrivilegeEscalation": "Whether a process may gain more privileges than its parent has.",
        "procMount": "How /proc is mounted.",
        "seccompProfile": "Which system calls are allowed.",
        "appArmorProfile": "Which AppArmor profile applies.",
    },
    core.Capabilities: {"add": "Capabilities to add.", "drop": "Capabilities to drop."},
    core.SELinuxOptions: {
        "user": "The user part of the label.",
        "role": "The role part of the label.",
        "type": "The type part of the label.",
        "level": "The level part of the label.",
    },
    core.SeccompProfile: {
        "type": "Which kind of profile: the runtime's, one of the node's files, or none.",
        "localhostProfile": "The file on the node, for type Localhost.",
    },
    core.AppArmorProfile: {
        "type": "Which kind of profile: the runtime's, one loaded on the node, or none.",
        "localhostProfile": "The profile on the node, for type Localhost.",
    },
    core.WindowsSecurityContextOptions: {
        "gmsaCredentialSpecName": "The name of the credential spec.",
        "gmsaCredentialSpec": "The credential spec itself.",
        "runAsUserName": "The user to run as.",
        "hostProcess": "Whether it runs as a process of the host.",
    },
}

_STATUSES: Mapping[type[Part], Mapping[str, str]] = {
    core.ContainerStatus: {
        "name": "The container's name.",
        "state": "What it is doing now.",
        "lastState": "How it ended last time.",
        "ready": "Whether its readiness probe succeeds.",
        "restartCount": "How often it was restarted.",
        "image": "The image that it runs.",
        "imageID": "The image by its digest.",
        "containerID": "Its id in the runtime, with the runtime's name in front.",
        "started": "Whether it runs and its startup probe has succeeded.",
        "allocatedResources": "What the node has set aside for it.",
        "resources": "The requests and limits that are in force.",
        "volumeMounts": "The state of its mounts.",
        "user": "The user that its first process began as.",
        "allocatedResourcesStatus": "The health of devices that it was given.",
        "stopSignal": "The signal that asks it to end.",
    },
    core.ContainerState: {
        "waiting": "It does not run yet.",
        "running": "It runs.",
        "terminated": "It has ended.",
    },
    core.ContainerStateWaiting: {
        "reason": "What it waits for, in one word.",
        "message": "What it waits for, in a sentence.",
    },
    core.ContainerStateRunning: {"startedAt": "When it was started."},
    core.ContainerStateTerminated: {
        "exitCode": "The code that it ended with.",
        "signal": "The signal that ended it.",
        "reason": "Why it ended, in one word.",
        "message": "What it had to say about that.",
        "startedAt": "When it was started.",
        "finishedAt": "When it ended.",
        "containerID": "Its id in the runtime.",
    },
    core.ContainerUser: {"linux": "The user on Linux."},
    core.LinuxContainerUser: {
        "uid": "The user id.",
        "gid": "The group id.",
        "supplementalGroups": "Further group ids.",
    },
    core.VolumeMountStatus: {
        "name": "The volume's name.",
        "mountPath": "Where it is mounted.",
        "readOnly": "Whether it can only be read.",
        "recursiveReadOnly": "Whether mounts below it can only be read too.",
        "volumeStatus": "More about the volume.",
    },
    core.VolumeStatus: {"image": "About a volume that is an image."},
    core.ImageVolumeStatus: {"imageRef": "The image by its digest."},
    core.ResourceStatus: {"name": "The resource.", "resources": "The health of each device of it."},
    core.ResourceHealth: {
        "resourceID": "The device.",
        "health": "Healthy, Unhealthy or Unknown.",
        "message": "Why, in a sentence.",
    },
}

DESCRIPTIONS: Mapping[type[Part], Mapping[str, str]] = {**_PROGRAMS, **_CARE, **_STATUSES}
