"""What may change in a Job and in its status, and what is said when something else does."""

from __future__ import annotations

import pytest

from tests.unit.apiserver.registry.tables import Patch, Step, ids, step
from tests.unit.apiserver.registry.test_job import INDEXED, RULE, SUBJECT, UID

ENDED = {"startTime": "2026-11-18T07:00:00Z", "completionTime": "2026-11-18T08:00:00Z"}
NOT_NEGATIVE = "must be greater than or equal to 0"


def conditions(*types: str) -> list[Patch]:
    return [{"type": each, "status": "True"} for each in types]


def spec(id: str, patch: Patch, *complaints: str, before: Patch | None = None) -> Step:
    """Complaints begin behind `spec`; `before` is the spec as it was created with."""
    wanted = (f"spec{complaint}" for complaint in complaints)
    return step(id, {"spec": patch}, *wanted, before=None if before is None else {"spec": before})


def annotated(value: str) -> Patch:
    return {"template": {"metadata": {"annotations": {"a": value}}}}


SPECS = [
    spec("nothing", {}),
    spec("what may change", {"parallelism": 3, "activeDeadlineSeconds": 5, "suspend": True, "backoffLimit": 1}),
    spec("other completions", {"completions": 2}, ".completions: Invalid value: 2: field is immutable"),
    spec("growing in tandem", {"completions": 7, "parallelism": 7}, before=INDEXED),
    spec(
        "growing alone",
        {"completions": 7},
        ".completions: Invalid value: 7: can only be modified in tandem with spec.parallelism",
        before=INDEXED,
    ),
    spec(
        "another selector",
        {"selector": {"matchLabels": {"a": "b"}}},
        f'.selector: Invalid value: {{"matchLabels":{{"a":"b","batch.kubernetes.io/controller-uid":"{UID}"}}}}: '
        "field is immutable",
    ),
    spec(
        "another mode",
        {"completionMode": "NonIndexed"},
        '.completionMode: Invalid value: "NonIndexed": field is immutable',
        before=INDEXED,
    ),
    spec(
        "another policy for failures",
        {"podFailurePolicy": {"rules": [RULE]}, "podReplacementPolicy": "Failed"},
        '.podFailurePolicy: Invalid value: {"Rules":[{"Action":"Ignore","OnExitCodes":null,'
        '"OnPodConditions":[{"Type":"DisruptionTarget","Status":"True"}]}]}: field is immutable',
    ),
    spec(
        "another limit per index",
        {"backoffLimitPerIndex": 2, "backoffLimit": 6},
        ".backoffLimitPerIndex: Invalid value: 2: field is immutable",
        before=INDEXED,
    ),
    spec(
        "another manager",
        {"managedBy": "acme.io/x"},
        '.managedBy: Invalid value: "acme.io/x": field is immutable',
    ),
    spec(
        "another policy for successes",
        {"successPolicy": None},
        ".successPolicy: Invalid value: null: field is immutable",
        before={**INDEXED, "successPolicy": {"rules": [{"succeededCount": 1}]}},
    ),
]


@pytest.mark.parametrize("case", SPECS, ids=ids(SPECS))
def test_steps_of_the_spec(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)


GPU = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "gpu", "operator": "Exists"}]}]
        }
    }
}
APART = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}}
SMALLER = {"containers": [{"name": "c", "image": "nginx:1.27", "resources": {"requests": {"cpu": "1"}}}]}
OTHER = {"containers": [{"name": "c", "image": "nginx:1.28"}]}
MOVES: list[tuple[str, Patch, Patch, str]] = [
    # (what, the job before, the new template, where the complaint points)
    ("a running one", {}, {"spec": {"nodeSelector": {"a": "b"}}}, "spec.template"),
    ("a suspended one to other nodes", {"spec": {"suspend": True}}, {"spec": {"nodeSelector": {"a": "b"}}}, ""),
    (
        "a suspended one to tolerate",
        {"spec": {"suspend": True}},
        {"spec": {"tolerations": [{"operator": "Exists"}]}},
        "",
    ),
    ("a suspended one with labels", {"spec": {"suspend": True}}, {"metadata": {"labels": {"x": "y"}}}, ""),
    (
        "a suspended one with a gate",
        {"spec": {"suspend": True}},
        {"spec": {"schedulingGates": [{"name": "x.io/y"}]}},
        "",
    ),
    ("a suspended one with other needs", {"spec": {"suspend": True}}, {"spec": SMALLER}, ""),
    ("a suspended one towards a node", {"spec": {"suspend": True}}, {"spec": {"affinity": GPU}}, ""),
    (
        "a suspended one away from a node",
        {"spec": {"suspend": True, "template": {"spec": {"affinity": GPU}}}},
        {"spec": {"affinity": None}},
        "",
    ),
    (
        "a suspended one away from others",
        {"spec": {"suspend": True}},
        {"spec": {"affinity": APART}},
        "spec.template.spec",
    ),
    ("a suspended one of another image", {"spec": {"suspend": True}}, {"spec": OTHER}, "spec.template.spec"),
    (
        "a suspended one with another container",
        {"spec": {"suspend": True}},
        {"spec": {"containers": [*OTHER["containers"], {"name": "d", "image": "e:1"}]}},
        "spec.template.spec",
    ),
    (
        "a suspended one whose pods still run",
        {"spec": {"suspend": True}, "status": {"active": 1}},
        {"spec": SMALLER},
        "spec.template",
    ),
    (
        "a suspended one that had started",
        {"spec": {"suspend": True}, "status": {"startTime": ENDED["startTime"]}},
        {"spec": SMALLER},
        "spec.template",
    ),
    (
        "one that is seen to be suspended",
        {
            "spec": {"suspend": True},
            "status": {"startTime": ENDED["startTime"], "conditions": conditions("Suspended")},
        },
        {"spec": SMALLER},
        "",
    ),
]


@pytest.mark.parametrize(("before", "template", "where"), [case[1:] for case in MOVES], ids=[case[0] for case in MOVES])
def test_templates_move_while_nothing_runs(before: Patch, template: Patch, where: str) -> None:
    found = SUBJECT.complaints_about_step(step("", {"spec": {"template": template}}, before=before))
    assert [complaint.split(": ")[0] for complaint in found] == ([where] if where else [])
    assert all(complaint.endswith(": field is immutable") for complaint in found)


def test_the_template_is_shown_as_kubernetes_holds_it() -> None:
    [complaint] = SUBJECT.complaints_about_step(step("", {"spec": annotated("b")}))
    begin = f'spec.template: Invalid value: {{"labels":{{"batch.kubernetes.io/controller-uid":"{UID}",'
    assert complaint.startswith(begin)
    assert (
        '"annotations":{"a":"b"},"Spec":{"Volumes":null,"InitContainers":null,"Containers":[{"Name":"c",' in complaint
    )


def status(id: str, patch: Patch, *complaints: str, before: Patch | None = None, spec: Patch | None = None) -> Step:
    """Complaints begin behind `status`."""
    wanted = (f"status{complaint}" for complaint in complaints)
    return step(id, {"status": patch}, *wanted, before={"spec": spec or {}, "status": before or {}})


COUNTS = ("active", "succeeded", "failed", "ready", "terminating")
COMPLETE = {**ENDED, "succeeded": 1, "conditions": conditions("SuccessCriteriaMet", "Complete")}
BROKEN = {"startTime": ENDED["startTime"], "failed": 1, "conditions": conditions("FailureTarget", "Failed")}
SCALED = {"completionMode": "Indexed", "completions": 5, "parallelism": 5}
STATUSES = [
    status("under way", {"active": 2, "ready": 1, "startTime": ENDED["startTime"]}),
    status("complete", COMPLETE),
    status("failed", BROKEN),
    status(
        "negative counts",
        dict.fromkeys(COUNTS, -1),
        *(f".{field}: Invalid value: -1: {NOT_NEGATIVE}" for field in COUNTS),
        ".failed: Invalid value: -1: cannot decrease the failed counter",
        ".succeeded: Invalid value: -1: cannot decrease the succeeded counter",
    ),
    status(
        "pods that are nobody, or twice",
        {"uncountedTerminatedPods": {"succeeded": ["", "a"], "failed": ["a"]}},
        '.uncountedTerminatedPods.succeeded[0]: Invalid value: "": must not be empty',
        '.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
    ),
    status(
        "complete and failed",
        {**COMPLETE, "conditions": conditions("SuccessCriteriaMet", "Complete", "FailureTarget", "Failed")},
        ".conditions: Invalid value: cannot set Complete=True and Failed=true conditions",
        ".conditions: Invalid value: cannot set Complete=True and FailureTarget=true conditions",
        ".conditions: Invalid value: cannot set SuccessCriteriaMet=True and Failed=true conditions",
        ".conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
    ),
    status(
        "completed, but not complete",
        ENDED,
        f'.completionTime: Invalid value: "{ENDED["completionTime"]}": cannot set completionTime when there is no '
        "Complete=True condition",
    ),
    status(
        "complete, but not completed",
        {"startTime": ENDED["startTime"], "conditions": COMPLETE["conditions"]},
        ".completionTime: Required value: completionTime is required for Complete jobs",
    ),
    status(
        "completed before it started",
        {**COMPLETE, "completionTime": "2026-11-18T06:00:00Z"},
        '.completionTime: Invalid value: "2026-11-18T06:00:00Z": must be equal to or after `startTime`',
    ),
    status(
        "failed without a cause",
        {**BROKEN, "conditions": conditions("Failed")},
        ".conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition",
    ),
    status(
        "complete without a cause",
        {**ENDED, "conditions": conditions("Complete")},
        ".conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    ),
    status(
        "finished while pods run",
        {**COMPLETE, "active": 1, "terminating": 1},
        ".active: Invalid value: 1: active>0 is invalid for finished job",
        ".terminating: Invalid value: 1: terminating>0 is invalid for finished job",
    ),
    status(
        "finished, never started",
        {**BROKEN, "startTime": None},
        ".startTime: Required value: startTime is required for finished job",
    ),
    status(
        "finished, not all counted",
        {**COMPLETE, "uncountedTerminatedPods": {"failed": ["a"]}},
        '.uncountedTerminatedPods: Invalid value: {"Succeeded":null,"Failed":["a"]}: must be empty for finished job',
    ),
    status(
        "some indexes done",
        {"completedIndexes": "0,2-3", "failedIndexes": "1"},
        spec={**INDEXED, "backoffLimitPerIndex": 1},
    ),
    status(
        "indexes that are no list",
        {"completedIndexes": "a", "failedIndexes": "9"},
        '.completedIndexes: Invalid value: "a": error parsing completedIndexes: cannot convert string to integer for '
        'index: "a"',
        '.failedIndexes: Invalid value: "9": error parsing failedIndexes: too large index: "9"',
        spec={**INDEXED, "backoffLimitPerIndex": 1},
    ),
    status(
        "indexes of a Job without",
        {"completedIndexes": "0", "failedIndexes": ""},
        '.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
        '.failedIndexes: Invalid value: "": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
    ),
    status(
        "done and failed at once",
        {"completedIndexes": "0,2-4", "failedIndexes": "1,3"},
        '.failedIndexes: Invalid value: "1,3": failedIndexes and completedIndexes overlap at index: 3',
        spec={**INDEXED, "backoffLimitPerIndex": 1},
    ),
    status(
        "more ready than there are",
        {"ready": 2, "active": 1},
        ".ready: Invalid value: 2: cannot set more ready pods than active",
    ),
    status(
        "complete against its policy",
        {**ENDED, "conditions": conditions("Complete")},
        ".conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
        ".conditions: Invalid value: cannot set Complete=True for Job with SuccessPolicy unless "
        "SuccessCriteriaMet=True",
        spec={**INDEXED, "successPolicy": {"rules": [{"succeededCount": 1}]}},
    ),
    status(
        "no longer failed",
        {"conditions": None},
        ".conditions: Invalid value: cannot disable the terminal Failed=True condition",
        ".conditions: Invalid value: cannot disable the terminal FailureTarget=True condition",
        before=BROKEN,
    ),
    status(
        "no longer complete",
        {"conditions": None, "completionTime": None},
        ".conditions: Invalid value: cannot disable the terminal Complete=True condition",
        ".conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition",
        before=COMPLETE,
    ),
    status(
        "fewer than before",
        {"failed": 1, "succeeded": 1},
        ".failed: Invalid value: 1: cannot decrease the failed counter",
        ".succeeded: Invalid value: 1: cannot decrease the succeeded counter",
        before={"failed": 2, "succeeded": 2},
    ),
    status("fewer after shrinking", {"succeeded": 1}, before={"succeeded": 2}, spec=SCALED),
    status(
        "completed at another time",
        {"completionTime": "2026-11-18T09:00:00Z"},
        '.completionTime: Invalid value: "2026-11-18T09:00:00Z": field is immutable',
        before=COMPLETE,
    ),
    status(
        "started at another time",
        {"startTime": "2026-11-18T07:30:00Z"},
        '.startTime: Invalid value: "2026-11-18T07:30:00Z": field is immutable for unsuspended job once set',
        before={"startTime": ENDED["startTime"]},
    ),
    status(
        "started again",
        {"startTime": "2026-11-18T07:30:00Z", "conditions": [{"type": "Suspended", "status": "False"}]},
        before={"startTime": ENDED["startTime"], "conditions": conditions("Suspended")},
    ),
    status(
        "the cause after the fact",
        {"conditions": conditions("Complete", "SuccessCriteriaMet")},
        ".conditions: Invalid value: cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
        before={**ENDED, "conditions": conditions("Complete")},
    ),
    status("an old fault stays quiet", {"active": 0}, before={"active": 1, "conditions": conditions("Failed")}),
]


@pytest.mark.parametrize("case", STATUSES, ids=ids(STATUSES))
def test_steps_of_the_status(case: Step) -> None:
    assert SUBJECT.complaints_about_step(case) == list(case.complaints)
