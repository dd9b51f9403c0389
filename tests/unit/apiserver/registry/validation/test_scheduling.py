"""Every rule for where pods go is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from tests.unit.apiserver.registry.pods import (
    DNS_LABEL,
    DNS_SUBDOMAIN,
    LABEL_VALUE,
    NAME_PART,
    Case,
    Manifest,
    check,
    ids,
    in_spec,
)

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def node_term(id: str, term: Manifest, *complaints: str) -> Case:
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}}
    where = f".affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0]"
    return in_spec(id, {"affinity": affinity}, *(f"{where}{complaint}" for complaint in complaints))


def pod_term(id: str, term: Manifest, *complaints: str) -> Case:
    affinity = {"podAntiAffinity": {REQUIRED: [{"topologyKey": "zone", **term}]}}
    where = f".affinity.podAntiAffinity.{REQUIRED}[0]"
    return in_spec(id, {"affinity": affinity}, *(f"{where}{complaint}" for complaint in complaints))


def toleration(id: str, given: Manifest, *complaints: str) -> Case:
    return in_spec(id, {"tolerations": [given]}, *(f".tolerations[0]{complaint}" for complaint in complaints))


def spread(id: str, given: Manifest, *complaints: str) -> Case:
    whole = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", **given}
    wanted = (f".topologySpreadConstraints[0]{complaint}" for complaint in complaints)
    return in_spec(id, {"topologySpreadConstraints": [whole]}, *wanted)


NODES = [
    in_spec(
        "node selector with bad key and value",
        {"nodeSelector": {"-": "-"}},
        f'.nodeSelector: Invalid value: "-": {NAME_PART}',
        f'.nodeSelector: Invalid value: "-": {LABEL_VALUE}',
    ),
    in_spec(
        "node affinity without terms",
        {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": []}}}},
        f".affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms: Required value: "
        "must have at least one node selector term",
    ),
    node_term(
        "one of no values",
        {"matchExpressions": [{"key": "a", "operator": "In"}]},
        ".matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ),
    node_term(
        "existing with a value",
        {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
        ".matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    ),
    node_term(
        "greater than two values",
        {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1", "2"]}]},
        ".matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
    ),
    node_term(
        "unknown operator, bad key, bad value",
        {"matchExpressions": [{"key": "-", "operator": "Like", "values": ["-"]}]},
        '.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
        f'.matchExpressions[0].key: Invalid value: "-": {NAME_PART}',
        f'.matchExpressions[0].values[0]: Invalid value: "-": {LABEL_VALUE}',
    ),
    node_term(
        "field with two values",
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a", "B"]}]},
        ".matchFields[0].values: Required value: "
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        f'.matchFields[0].values[1]: Invalid value: "B": {DNS_SUBDOMAIN}',
    ),
    node_term(
        "unknown field and operator",
        {"matchFields": [{"key": "metadata.uid", "operator": "Exists"}]},
        '.matchFields[0].operator: Invalid value: "Exists": not a valid selector operator',
        '.matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key',
    ),
    in_spec(
        "wish of no weight",
        {
            "affinity": {
                "nodeAffinity": {
                    PREFERRED: [{"weight": 0, "preference": {"matchExpressions": [{"key": "", "operator": "Exists"}]}}]
                }
            }
        },
        f".affinity.nodeAffinity.{PREFERRED}[0].weight: Invalid value: 0: must be in the range 1-100",
        f'.affinity.nodeAffinity.{PREFERRED}[0].preference.matchExpressions[0].key: Invalid value: "": '
        "name part must be non-empty",
        f'.affinity.nodeAffinity.{PREFERRED}[0].preference.matchExpressions[0].key: Invalid value: "": {NAME_PART}',
    ),
]

PODS = [
    pod_term(
        "no topology",
        {"topologyKey": ""},
        ".topologyKey: Required value: can not be empty",
        '.topologyKey: Invalid value: "": name part must be non-empty',
        f'.topologyKey: Invalid value: "": {NAME_PART}',
    ),
    pod_term(
        "bad selectors",
        {
            "labelSelector": {"matchLabels": {"-": "a"}},
            "namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "DoesNotExist", "values": ["-"]}]},
        },
        f'.labelSelector.matchLabels: Invalid value: "-": {NAME_PART}',
        ".namespaceSelector.matchExpressions[0].values: Forbidden: "
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        f'.namespaceSelector.matchExpressions[0].values[0]: Invalid value: "-": {LABEL_VALUE}',
    ),
    pod_term("bad namespace", {"namespaces": ["N"]}, f'.namespace: Invalid value: "N": {DNS_LABEL}'),
    pod_term(
        "label keys without a selector",
        {"matchLabelKeys": ["a"], "mismatchLabelKeys": ["b"]},
        ".matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
        ".mismatchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
    ),
    pod_term(
        "bad label keys, and one on both sides",
        {"labelSelector": {}, "matchLabelKeys": ["-", "b"], "mismatchLabelKeys": ["b"]},
        f'.matchLabelKeys[0]: Invalid value: "-": {NAME_PART}',
        '.matchLabelKeys[1]: Invalid value: "b": exists in both matchLabelKeys and mismatchLabelKeys',
    ),
    pod_term(
        "label key that the selector has as well",
        {
            "labelSelector": {
                "matchLabels": {"a": "1"},
                "matchExpressions": [{"key": "a", "operator": "In", "values": ["2"]}],
            },
            "matchLabelKeys": ["a"],
        },
        '[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
    ),
    in_spec(
        "wish of too much weight",
        {"affinity": {"podAffinity": {PREFERRED: [{"weight": 101, "podAffinityTerm": {"topologyKey": "-"}}]}}},
        f".affinity.podAffinity.{PREFERRED}[0].weight: Invalid value: 101: must be in the range 1-100",
        f'.affinity.podAffinity.{PREFERRED}[0].podAffinityTerm.topologyKey: Invalid value: "-": {NAME_PART}',
    ),
]

TOLERATIONS = [
    toleration(
        "equal to no key",
        {},
        '.operator: Invalid value: "": '
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ),
    toleration("bad key", {"key": "-", "operator": "Exists"}, f'.key: Invalid value: "-": {NAME_PART}'),
    toleration(
        "time without eviction",
        {"key": "a", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 1},
        ".effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
    ),
    toleration("bad value", {"key": "a", "value": "-"}, f'.operator: Invalid value: "-": {LABEL_VALUE}'),
    toleration(
        "existing with a value",
        {"key": "a", "operator": "Exists", "value": "b"},
        ".operator: Invalid value: \"b\": value must be empty when `operator` is 'Exists'",
    ),
    toleration(
        "comparison, which is not switched on",
        {"key": "a", "operator": "Gt", "value": "1"},
        '.operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"',
    ),
    toleration(
        "unknown operator",
        {"key": "a", "operator": "Like"},
        '.operator: Unsupported value: "Like": supported values: "Equal", "Exists"',
    ),
    toleration(
        "unknown effect",
        {"key": "a", "operator": "Exists", "effect": "NoRun"},
        '.effect: Unsupported value: "NoRun": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ),
]

SPREADS = [
    spread("no skew", {"maxSkew": 0}, ".maxSkew: Invalid value: 0: must be greater than zero"),
    spread("no topology", {"topologyKey": ""}, ".topologyKey: Required value: can not be empty"),
    spread(
        "unknown action",
        {"whenUnsatisfiable": "Cry"},
        '.whenUnsatisfiable: Unsupported value: "Cry": supported values: "DoNotSchedule", "ScheduleAnyway"',
    ),
    spread("no domains", {"minDomains": 0}, ".minDomains: Invalid value: 0: must be greater than zero"),
    spread(
        "domains that do not matter",
        {"minDomains": 2, "whenUnsatisfiable": "ScheduleAnyway"},
        ".minDomains: Invalid value: 2: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
    ),
    spread(
        "unknown policies",
        {"nodeAffinityPolicy": "A", "nodeTaintsPolicy": "B"},
        '.nodeAffinityPolicy: Unsupported value: "A": supported values: "Honor", "Ignore"',
        '.nodeTaintsPolicy: Unsupported value: "B": supported values: "Honor", "Ignore"',
    ),
    spread(
        "label keys without a selector",
        {"matchLabelKeys": ["a"]},
        ".matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
    ),
    spread(
        "bad selector",
        {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}},
        '.labelSelector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
    ),
    in_spec(
        "constraint twice",
        {
            "topologySpreadConstraints": [
                {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"},
                {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"},
            ]
        },
        '.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"',
    ),
]

GATES = [
    in_spec(
        "bad scheduling gate, twice",
        {"schedulingGates": [{"name": "-"}, {"name": "-"}]},
        f'.schedulingGates[0]: Invalid value: "-": {NAME_PART}',
        f'.schedulingGates[1]: Invalid value: "-": {NAME_PART}',
        '.schedulingGates[1]: Duplicate value: "-"',
    ),
    in_spec(
        "bad readiness gate",
        {"readinessGates": [{"conditionType": "-"}]},
        f'.readinessGates[0].conditionType: Invalid value: "-": {NAME_PART}',
    ),
    Case(
        "gated, and on a node already",
        {"schedulingGates": [{"name": "a/b"}], "nodeName": "n"},
        ("spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",),
        also_in_templates=False,
    ),
    in_spec(
        "group of no name",
        {"schedulingGroup": {}},
        ".schedulingGroup.podGroupName: Invalid value: null: must specify one of: `podGroupName`",
    ),
    in_spec(
        "group of a bad name",
        {"schedulingGroup": {"podGroupName": "G"}},
        f'.schedulingGroup.podGroupName: Invalid value: "G": {DNS_SUBDOMAIN}',
    ),
    in_spec(
        "unknown preemption",
        {"preemptionPolicy": "PreemptAll"},
        '.preemptionPolicy: Unsupported value: "PreemptAll": supported values: "PreemptLowerPriority", "Never"',
    ),
    in_spec("no preemption policy", {"preemptionPolicy": ""}, ".preemptionPolicy: Required value"),
    in_spec(
        "bad class, runtime and node",
        {"priorityClassName": "A", "runtimeClassName": "", "nodeName": "N"},
        f'.nodeName: Invalid value: "N": {DNS_SUBDOMAIN}',
        f'.priorityClassName: Invalid value: "A": {DNS_SUBDOMAIN}',
        f'.runtimeClassName: Invalid value: "": {DNS_SUBDOMAIN}',
    ),
]

CASES = [
    *(Case(f"node affinity: {case.id}", case.spec, case.complaints) for case in NODES),
    *(Case(f"pod affinity: {case.id}", case.spec, case.complaints) for case in PODS),
    *(Case(f"toleration: {case.id}", case.spec, case.complaints) for case in TOLERATIONS),
    *(Case(f"spread: {case.id}", case.spec, case.complaints) for case in SPREADS),
    *GATES,
]


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_scheduling(case: Case) -> None:
    check(case)


VALID = [
    toleration("everything", {"operator": "Exists"}),
    toleration("equal by default", {"key": "a", "value": "b", "effect": "NoExecute", "tolerationSeconds": -1}),
    node_term("by name", {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]}),
    node_term("newer than", {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]}),
    spread("with label keys", {"labelSelector": {"matchLabels": {"a": "b"}}, "matchLabelKeys": ["hash"]}),
]


@pytest.mark.parametrize("case", VALID, ids=ids(VALID))
def test_nothing_to_complain_about(case: Case) -> None:
    check(case)
