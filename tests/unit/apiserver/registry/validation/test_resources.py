"""Every rule for amounts is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from tests.unit.apiserver.registry.pods import CONTAINER, DNS_LABEL, NAME_PART, Case, Manifest, check, ids, in_spec


def resources(id: str, given: Manifest, *complaints: str) -> Case:
    """Complaints begin behind `resources`. Requests stand in all cases, as pods would copy them from limits."""
    spec = {"containers": [{**CONTAINER, "resources": given}]}
    return Case(id, spec, tuple(f"spec.containers[0].resources{complaint}" for complaint in complaints))


def both(amounts: Manifest) -> Manifest:
    return {"limits": amounts, "requests": amounts}


def whole_pod(id: str, given: Manifest, containers: list[Manifest], *complaints: str) -> Case:
    listed = [{"name": f"c{index}", "image": "i:1", "resources": own} for index, own in enumerate(containers)]
    return in_spec(id, {"resources": given, "containers": listed}, *(f".resources{text}" for text in complaints))


CASES = [
    resources(
        "negative",
        both({"cpu": "-1"}),
        '.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        '.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ),
    resources(
        "more asked than allowed",
        {"limits": {"cpu": "1"}, "requests": {"cpu": "1100m"}},
        '.requests: Invalid value: "1100m": must be less than or equal to cpu limit of 1',
    ),
    resources(
        "unknown to anybody",
        both({"fun": "1"}),
        '.limits[fun]: Invalid value: "fun": must be a standard resource type or fully qualified',
        '.limits[fun]: Invalid value: "fun": must be a standard resource for containers',
        '.requests[fun]: Invalid value: "fun": must be a standard resource type or fully qualified',
        '.requests[fun]: Invalid value: "fun": must be a standard resource for containers',
    ),
    resources(
        "known, but not of containers, and not whole",
        both({"pods": "1500m"}),
        '.limits[pods]: Invalid value: "pods": must be a standard resource for containers',
        '.limits[pods]: Invalid value: "1500m": must be an integer',
        '.requests[pods]: Invalid value: "pods": must be a standard resource for containers',
        '.requests[pods]: Invalid value: "1500m": must be an integer',
    ),
    resources(
        "badly named",
        {"requests": {"a/-": "1"}, "limits": {"a/-": "1"}},
        f'.limits[a/-]: Invalid value: "a/-": {NAME_PART}',
        '.limits[a/-]: Invalid value: "a/-": doesn\'t follow extended resource name standard',
        f'.requests[a/-]: Invalid value: "a/-": {NAME_PART}',
        '.requests[a/-]: Invalid value: "a/-": doesn\'t follow extended resource name standard',
    ),
    resources(
        "half a device",
        both({"example.com/gpu": "500m"}),
        '.limits[example.com/gpu]: Invalid value: "500m": must be an integer',
        '.requests[example.com/gpu]: Invalid value: "500m": must be an integer',
    ),
    resources(
        "device named like a quota",
        both({"requests.example.com/gpu": "1"}),
        '.limits[requests.example.com/gpu]: Invalid value: "requests.example.com/gpu": '
        "doesn't follow extended resource name standard",
        '.requests[requests.example.com/gpu]: Invalid value: "requests.example.com/gpu": '
        "doesn't follow extended resource name standard",
    ),
    resources(
        "devices without a limit",
        {"requests": {"example.com/gpu": "1"}},
        ".limits: Required value: Limit must be set for non overcommitable resources",
    ),
    resources(
        "fewer devices asked than allowed",
        {"limits": {"example.com/gpu": "2"}, "requests": {"example.com/gpu": "1"}},
        '.requests: Invalid value: "1": must be equal to example.com/gpu limit of 2',
    ),
    resources(
        "huge pages alone",
        both({"hugepages-2Mi": "4Mi"}),
        ": Forbidden: HugePages require cpu or memory",
    ),
    resources(
        "half a huge page",
        both({"hugepages-2Mi": "3Mi", "cpu": "1"}),
        '.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        '.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
    ),
    resources(
        "huge pages of no size",
        both({"hugepages-x": "1", "cpu": "1"}),
        '.limits[hugepages-x]: Invalid value: "1": 1 is not positive integer multiple of hugepages-x',
        '.requests[hugepages-x]: Invalid value: "1": 1 is not positive integer multiple of hugepages-x',
    ),
    resources(
        "fewer huge pages asked than allowed",
        {"limits": {"hugepages-2Mi": "4Mi", "cpu": "1"}, "requests": {"hugepages-2Mi": "2Mi", "cpu": "1"}},
        '.requests: Invalid value: "2Mi": must be equal to hugepages-2Mi limit of 4Mi',
    ),
    resources(
        "claim without a name, claim of nothing",
        {"claims": [{"name": ""}, {"name": "x"}]},
        ".claims[0]: Required value",
        '.claims[1]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty',
    ),
    in_spec(
        "claims used twice",
        {
            "resourceClaims": [{"name": "a", "resourceClaimName": "x"}, {"name": "b", "resourceClaimName": "y"}],
            "containers": [
                {
                    **CONTAINER,
                    "resources": {
                        "claims": [
                            {"name": "a", "request": "r"},
                            {"name": "a", "request": "r"},
                            {"name": "a"},
                            {"name": "a", "request": "R"},
                            {"name": "c"},
                        ]
                    },
                }
            ],
        },
        '.containers[0].resources.claims[1]: Duplicate value: "a/r"',
        '.containers[0].resources.claims[2]: Duplicate value: "a"',
        '.containers[0].resources.claims[3]: Duplicate value: "a"',
        '.containers[0].resources.claims[4]: Not found: "c": must be one of the names in pod.spec.resourceClaims: a, b',
    ),
    in_spec(
        "claim with a bad request",
        {
            "resourceClaims": [{"name": "a", "resourceClaimName": "x"}],
            "containers": [{**CONTAINER, "resources": {"claims": [{"name": "a", "request": "R"}]}}],
        },
        f'.containers[0].resources.claims[0].request: Invalid value: "R": {DNS_LABEL}',
    ),
    in_spec(
        "negative overhead",
        {"overhead": {"cpu": "-1"}},
        '.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ),
    whole_pod(
        "whole pod with claims",
        {"claims": [{"name": "x"}]},
        [{}],
        ".claims: Forbidden: claims may not be set for Resources at pod-level",
        '.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty',
    ),
    whole_pod(
        "whole pod of what only containers have",
        {"requests": {"ephemeral-storage": "1Gi"}},
        [{}],
        '.requests[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", '
        '"memory"',
    ),
    whole_pod(
        "whole pod with less than its containers",
        {"requests": {"cpu": "1"}, "limits": {"cpu": "1500m"}},
        [{"requests": {"cpu": "700m"}}, {"requests": {"cpu": "500m"}, "limits": {"cpu": "2"}}],
        '.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 1200m',
        '.containers[1][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1500m',
    ),
    whole_pod(
        "whole pod with fewer huge pages than its containers",
        {"requests": {"cpu": "1", "hugepages-2Mi": "2Mi"}, "limits": {"hugepages-2Mi": "2Mi"}},
        [both({"hugepages-2Mi": "4Mi", "cpu": "1"})],
        '.requests[hugepages-2Mi]: Invalid value: "2Mi": '
        "must be greater than or equal to aggregate container requests of 4Mi",
        '.limits[hugepages-2Mi]: Invalid value: "2Mi": '
        "must be greater than or equal to aggregate container limits of 4Mi",
        '.containers[0][hugepages-2Mi].limits: Invalid value: "4Mi": must be less than or equal to pod limits of 2Mi',
    ),
    in_spec(
        "whole pod on Windows",
        {"resources": {"requests": {"cpu": "-1"}}, "os": {"name": "windows"}},
        ".resources: Forbidden: may not be set for a windows pod",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_resources(case: Case) -> None:
    check(case)


VALID = [
    resources("limit alone", {"limits": {"cpu": "1", "memory": "1Gi"}}),
    resources("same amount, other words", {"limits": {"memory": "1Gi"}, "requests": {"memory": "1024Mi"}}),
    resources("device", both({"example.com/gpu": "2"})),
    resources("of Kubernetes' own domain", both({"kubernetes.io/thing": "500m"})),
    resources("huge pages", both({"hugepages-2Mi": "4Mi", "memory": "1Gi"})),
    whole_pod("enough for all", {"requests": {"cpu": "2"}}, [{"requests": {"cpu": "1"}}, {"requests": {"cpu": "1"}}]),
]


@pytest.mark.parametrize("case", VALID, ids=ids(VALID))
def test_nothing_to_complain_about(case: Case) -> None:
    check(case)
