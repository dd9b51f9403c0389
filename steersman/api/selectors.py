"""Label and field selectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from steersman.api.errors import BadRequest
from steersman.api.kinds import Kind
from steersman.api.meta import LabelSelector

SELECTABLE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "pods": ("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName"),
    "namespaces": ("status.phase",),
}


class Labels:
    def __init__(self, tests: list[Callable[[Mapping[str, str]], bool]]) -> None:
        self._tests = tests

    def matches(self, labels: Mapping[str, str]) -> bool:
        return all(test(labels) for test in self._tests)


class Fields:
    def __init__(self, wanted: list[tuple[str, bool, str]]) -> None:
        self._wanted = wanted

    def matches(self, fields: Mapping[str, str]) -> bool:
        return all((fields.get(name, "") == value) is equal for name, equal, value in self._wanted)

    def exact(self, name: str) -> str | None:
        return next((value for field, equal, value in self._wanted if field == name and equal), None)


def parse_labels(text: str) -> Labels:
    tests: list[Callable[[Mapping[str, str]], bool]] = []
    for part in re.split(r",(?![^(]*\))", text):
        part = part.strip()
        if m := re.fullmatch(r"(\S+) (in|notin) \(([^()]*)\)", part):
            key, values, is_in = m[1], {v.strip() for v in m[3].split(",")}, m[2] == "in"
            tests.append((lambda l, k=key, v=values: l.get(k) in v) if is_in else (lambda l, k=key, v=values: l.get(k) not in v))
        elif m := re.fullmatch(r"([^=!]+)!=(.*)", part):
            tests.append(lambda l, k=m[1], v=m[2]: l.get(k) != v)
        elif m := re.fullmatch(r"([^=!]+)==?([^=]*)", part):
            tests.append(lambda l, k=m[1], v=m[2]: l.get(k) == v)
        elif m := re.fullmatch(r"!([\w./-]+)", part):
            tests.append(lambda l, k=m[1]: k not in l)
        elif m := re.fullmatch(r"[\w./-]+", part):
            tests.append(lambda l, k=part: k in l)
        else:
            raise BadRequest(f"unable to parse requirement: {part}")
    return Labels(tests)


def parse_fields(text: str, kind: Kind) -> Fields:
    wanted = []
    for part in text.split(","):
        m = re.fullmatch(r"([\w.]+)(!=|==|=)(.*)", part)
        if m is None:
            raise BadRequest(f"invalid selector: {part}")
        if m[1] not in ("metadata.name", "metadata.namespace", *SELECTABLE_FIELDS.get(kind.qualified_resource, ())):
            raise BadRequest(f"field label not supported: {m[1]}")
        wanted.append((m[1], m[2] != "!=", m[3]))
    return Fields(wanted)


def text_of(selector: LabelSelector) -> str:
    return ",".join(f"{k}={v}" for k, v in sorted(selector.match_labels.items()))
