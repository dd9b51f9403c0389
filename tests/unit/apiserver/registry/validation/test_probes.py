"""Every rule for probes and lifecycle hooks is broken once, and the complaints are exactly these."""

from __future__ import annotations

from typing import Any

import pytest

from apiserver.registry.validation.pod import validate_pod
from tests.unit.apiserver.registry.pods import CONTAINER, Case, Manifest, check, ids, in_container, make_pod, shown

HEADER = (
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for "
    "validation is '[-A-Za-z0-9]+')"
)
EXEC = {"exec": {"command": ["true"]}}


def liveness(id: str, probe: Manifest, *complaints: str) -> Case:
    return in_container(id, {"livenessProbe": probe}, *(f".livenessProbe{complaint}" for complaint in complaints))


def hook(id: str, handler: Manifest, *complaints: str, **spec: Any) -> Case:
    wanted = (f".lifecycle.preStop{complaint}" for complaint in complaints)
    return in_container(id, {"lifecycle": {"preStop": handler}}, *wanted, **spec)


def signal(id: str, name: str, spec: Manifest, *complaints: str) -> Case:
    container = {**CONTAINER, "lifecycle": {"stopSignal": name}}
    wanted = tuple(f"spec.containers[0].lifecycle.stopSignal{complaint}" for complaint in complaints)
    return Case(id, {"containers": [container], **spec}, wanted)


CASES = [
    liveness("no handler", {}, ": Required value: must specify a handler type"),
    liveness(
        "two handlers",
        {**EXEC, "tcpSocket": {"port": 1}, "grpc": {"port": 1}},
        ".tcpSocket: Forbidden: may not specify more than 1 handler type",
        ".grpc: Forbidden: may not specify more than 1 handler type",
    ),
    liveness(
        "command and http",
        {**EXEC, "httpGet": {"port": 1}},
        ".httpGet: Forbidden: may not specify more than 1 handler type",
    ),
    liveness("no command", {"exec": {}}, ".exec.command: Required value"),
    liveness(
        "http on port zero",
        {"httpGet": {"port": 0}},
        ".httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive",
    ),
    liveness(
        "http on a port without a name",
        {"httpGet": {"port": ""}},
        '.httpGet.port: Invalid value: "": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        '.httpGet.port: Invalid value: "": must contain at least one letter (a-z)',
    ),
    liveness(
        "http of an unknown scheme",
        {"httpGet": {"port": 1, "scheme": "GOPHER"}},
        '.httpGet.scheme: Unsupported value: "GOPHER": supported values: "HTTP", "HTTPS"',
    ),
    liveness(
        "http with a bad header",
        {"httpGet": {"port": 1, "httpHeaders": [{"name": "a b", "value": ""}]}},
        f'.httpGet.httpHeaders: Invalid value: "a b": {HEADER}',
    ),
    liveness(
        "tcp port too high",
        {"tcpSocket": {"port": 65536}},
        ".tcpSocket.port: Invalid value: 65536: must be between 1 and 65535, inclusive",
    ),
    liveness(
        "grpc port zero",
        {"grpc": {"port": 0}},
        ".grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive",
    ),
    liveness(
        "numbers below zero",
        {
            **EXEC,
            "initialDelaySeconds": -1,
            "timeoutSeconds": -2,
            "periodSeconds": -3,
            "successThreshold": -4,
            "failureThreshold": -5,
        },
        ".initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0",
        ".timeoutSeconds: Invalid value: -2: must be greater than or equal to 0",
        ".periodSeconds: Invalid value: -3: must be greater than or equal to 0",
        ".successThreshold: Invalid value: -4: must be greater than or equal to 0",
        ".failureThreshold: Invalid value: -5: must be greater than or equal to 0",
        ".successThreshold: Invalid value: -4: must be 1",
    ),
    liveness(
        "grace of nothing",
        {**EXEC, "terminationGracePeriodSeconds": 0},
        ".terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0",
    ),
    liveness(
        "alive only after two successes",
        {**EXEC, "successThreshold": 2},
        ".successThreshold: Invalid value: 2: must be 1",
    ),
    in_container(
        "started only after two successes",
        {"startupProbe": {**EXEC, "successThreshold": 2}},
        ".startupProbe.successThreshold: Invalid value: 2: must be 1",
    ),
    in_container(
        "grace for being unready",
        {"readinessProbe": {**EXEC, "terminationGracePeriodSeconds": 5}},
        ".readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes",
    ),
    hook("hook without a handler", {}, ": Required value: must specify a handler type"),
    hook(
        "hook with two handlers",
        {**EXEC, "sleep": {"seconds": 1}},
        ".sleep: Forbidden: may not specify more than 1 handler type",
    ),
    hook(
        "sleep backwards",
        {"sleep": {"seconds": -1}},
        ".sleep: Invalid value: -1: must be non-negative and less than terminationGracePeriodSeconds (30)",
    ),
    hook(
        "sleep beyond the end",
        {"sleep": {"seconds": 11}},
        ".sleep: Invalid value: 11: must be non-negative and less than terminationGracePeriodSeconds (10)",
        terminationGracePeriodSeconds=10,
    ),
    in_container(
        "hook at the start, on a bad port",
        {"lifecycle": {"postStart": {"tcpSocket": {"port": "-"}}}},
        '.lifecycle.postStart.tcpSocket.port: Invalid value: "-": must contain at least one letter (a-z)',
        '.lifecycle.postStart.tcpSocket.port: Invalid value: "-": must not begin or end with a hyphen',
    ),
    signal(
        "signal for an unknown system",
        "SIGTERM",
        {},
        ": Forbidden: may not be set for containers with empty `spec.os.name`",
    ),
    signal(
        "signal unknown to Windows",
        "SIGHUP",
        {"os": {"name": "windows"}},
        ': Unsupported value: "SIGHUP": supported values: "SIGKILL", "SIGTERM"',
    ),
]


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_probes(case: Case) -> None:
    check(case)


def test_a_signal_unknown_to_linux_draws_the_list_of_all_in_order() -> None:
    container = {**CONTAINER, "lifecycle": {"stopSignal": "SIGNORE"}}
    [complaint] = shown(validate_pod(make_pod({"os": {"name": "linux"}, "containers": [container]})))
    first = 'stopSignal: Unsupported value: "SIGNORE": supported values: "SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", '
    assert complaint.startswith(f"spec.containers[0].lifecycle.{first}")
    assert ', "SIGPWR", "SIGQUIT", "SIGRTMAX", "SIGRTMAX-1", "SIGRTMAX-10", ' in complaint
    assert complaint.endswith(', "SIGXCPU", "SIGXFSZ"')


VALID = [
    hook("sleep not at all", {"sleep": {"seconds": 0}}),
    signal("real time signal", "SIGRTMIN+15", {"os": {"name": "linux"}}),
    liveness("port by name that no container has", {"httpGet": {"port": "http"}}),
    in_container("ready after two successes", {"readinessProbe": {**EXEC, "successThreshold": 2}}),
]


@pytest.mark.parametrize("case", VALID, ids=ids(VALID))
def test_nothing_to_complain_about(case: Case) -> None:
    check(case)
