"""Policies of Jobs: every rule about failures and successes is broken once, and the complaints are exactly these."""

from __future__ import annotations

import pytest

from tests.unit.apiserver.registry.tables import Patch, Row, ids
from tests.unit.apiserver.registry.test_job import INDEXED, NOT_NEGATIVE, RULE, SUBJECT, spec


def failure(id: str, rule: Patch, *complaints: str) -> Row:
    """Complaints begin behind `spec.podFailurePolicy.rules[0]`."""
    wanted = (f".podFailurePolicy.rules[0]{complaint}" for complaint in complaints)
    return spec(id, {"podFailurePolicy": {"rules": [rule]}}, *wanted)


def codes(id: str, given: Patch, *complaints: str) -> Row:
    """Complaints begin behind `onExitCodes`."""
    rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1], **given}}
    return failure(id, rule, *(f".onExitCodes{complaint}" for complaint in complaints))


ACTIONS = '"Count" "FailIndex" "FailJob" "Ignore"'
FAILURES = [
    failure("a condition", RULE),
    codes("a code", {"values": [1, 42], "containerName": "c"}),
    codes("all but these codes", {"operator": "NotIn", "values": [0]}),
    failure("no action", {**RULE, "action": ""}, f".action: Required value: valid values: [{ACTIONS}]"),
    failure(
        "no such action",
        {**RULE, "action": "Panic"},
        f'.action: Unsupported value: "Panic": supported values: {ACTIONS.replace(" ", ", ")}',
    ),
    failure(
        "an index of a Job without",
        {**RULE, "action": "FailIndex"},
        '.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
    ),
    failure(
        "no reason",
        {"action": "Ignore"},
        ": Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
    ),
    failure(
        "two reasons",
        {**RULE, "onExitCodes": {"operator": "In", "values": [1]}},
        ": Invalid value: specifying both OnExitCodes and OnPodConditions is not supported",
    ),
    failure(
        "a condition that cannot be",
        {"action": "Ignore", "onPodConditions": [{"type": "Ready", "status": "Maybe"}]},
        '.onPodConditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
    ),
    failure(
        "too many conditions",
        {"action": "Ignore", "onPodConditions": [{"type": "Ready"}] * 21},
        ".onPodConditions: Too many: 21: must have at most 20 items",
    ),
    codes("no operator", {"operator": ""}, '.operator: Required value: valid values: ["In" "NotIn"]'),
    codes(
        "no such operator",
        {"operator": "Like"},
        '.operator: Unsupported value: "Like": supported values: "In", "NotIn"',
    ),
    codes(
        "no such container",
        {"containerName": "x"},
        '.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template',
    ),
    codes("no codes", {"values": []}, ".values: Invalid value: []: at least one value is required"),
    codes("success", {"values": [0]}, ".values[0]: Invalid value: 0: must not be 0 for the In operator"),
    codes(
        "a code twice, out of order",
        {"values": [3, 1, 3]},
        ".values[2]: Duplicate value: 3",
        ".values: Invalid value: [3,1,3]: must be ordered",
    ),
    codes(
        "too many codes",
        {"values": list(range(1, 257))},
        ".values: Too many: 256: must have at most 255 items",
    ),
    spec(
        "too many rules",
        {"podFailurePolicy": {"rules": [RULE] * 21}},
        ".podFailurePolicy.rules: Too many: 21: must have at most 20 items",
    ),
]


@pytest.mark.parametrize("case", FAILURES, ids=ids(FAILURES))
def test_rules_of_failure(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)


def success(id: str, rule: Patch, *complaints: str) -> Row:
    """Of five indexes. Complaints begin behind `spec.successPolicy.rules[0]`."""
    wanted = (f".successPolicy.rules[0]{complaint}" for complaint in complaints)
    return spec(id, {**INDEXED, "successPolicy": {"rules": [rule]}}, *wanted)


def indexes(text: str, why: str) -> Row:
    complaint = f'.succeededIndexes: Invalid value: "{text}": error parsing succeededIndexes: {why}'
    return success(f"indexes {text}", {"succeededIndexes": text}, complaint)


SUCCESSES = [
    success("enough of them", {"succeededCount": 2}),
    success("the first and two more", {"succeededIndexes": "0,2-4", "succeededCount": 3}),
    success("no index in particular", {"succeededIndexes": ""}),
    spec(
        "successes without end",
        {"completionMode": "Indexed", "parallelism": 1, "successPolicy": {"rules": [{"succeededCount": 1}]}},
        ".completions: Required value: when completion mode is Indexed",
    ),
    spec(
        "no rule",
        {**INDEXED, "successPolicy": {"rules": []}},
        ".successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is "
        "specified",
    ),
    spec(
        "too many rules",
        {**INDEXED, "successPolicy": {"rules": [{"succeededCount": 1}] * 21}},
        ".successPolicy.rules: Too many: 21: must have at most 20 items",
    ),
    success("nothing", {}, ": Required value: at least one of succeededCount or succeededIndexes must be specified"),
    success("a negative count", {"succeededCount": -1}, f".succeededCount: Invalid value: -1: {NOT_NEGATIVE}"),
    success(
        "more than run",
        {"succeededCount": 6},
        ".succeededCount: Invalid value: 6: must be less than or equal to 5 (the number of specified completions)",
    ),
    success(
        "more than listed",
        {"succeededCount": 3, "succeededIndexes": "1,3"},
        ".succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified "
        "succeededIndexes field)",
    ),
    success(
        "a very long list",
        {"succeededIndexes": "0," * 40000},
        ".succeededIndexes: Too long: may not be more than 65536 bytes",
        f'.succeededIndexes: Invalid value: "{"0," * 40000}": error parsing succeededIndexes: '
        "non-increasing order, previous: 0, current: 0",
    ),
    indexes("x", 'cannot convert string to integer for index: "x"'),
    indexes("1-x", 'cannot convert string to integer for index: "x"'),
    indexes("5", 'too large index: "5"'),
    indexes("1-5", 'too large index: "5"'),
    indexes("3-2", "non-increasing order, previous: 3, current: 2"),
    indexes("2,1", "non-increasing order, previous: 2, current: 1"),
    indexes(
        "1-2-3",
        'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated '
        "by '-'",
    ),
]


@pytest.mark.parametrize("case", SUCCESSES, ids=ids(SUCCESSES))
def test_rules_of_success(case: Row) -> None:
    assert SUBJECT.complaints(case.patch) == list(case.complaints)
