"""The rules of every kind, with the tests that break them: found by running the tests and listening.

How a test writes down what it expects does not matter. Whenever a test calls the server's code and complaints come
back, those are rules about the object that the test handed over, and so are the causes of every refusal on the way.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from deploy.dev.kinds import wording
from steersman.api import kinds
from steersman.api.errors import Cause, Invalid
from steersman.api.part import Part

TESTS = "tests/unit/apiserver/registry"
_OPTIONAL = ("PYTEST_ADDOPTS", "STEERSMAN_K8S_FACTS")


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """One complaint that can be drawn, and the first test that draws it."""

    path: str
    essence: str
    message: str
    test: str

    @property
    def key(self) -> tuple[str, str]:
        return self.path, self.essence


class BrokenTests(Exception):
    """Tests failed: what they would have shown is not known."""


Rules = Mapping[type[Part], Sequence[Rule]]


def collect(root: Path) -> Rules:
    """By Struct: that of the kind, or of a part where a test looks at the part alone (metadata, templates).

    The environment is stripped of what makes one machine run other tests than the next.
    """
    for name in _OPTIONAL:
        os.environ.pop(name, None)
    listener, said = _Listener(), io.StringIO()
    with contextlib.redirect_stdout(said):
        code = pytest.main(["-q", "-p", "no:cacheprovider", f"--rootdir={root}", str(root / TESTS)], plugins=[listener])
    if code != pytest.ExitCode.OK:
        raise BrokenTests(f"the tests under {TESTS} do not pass:\n{said.getvalue()}")
    return {struct: _distinct(heard) for struct, heard in listener.heard.items()}


def _distinct(rules: Iterable[Rule]) -> list[Rule]:
    """In the order of the paths; of several tests that break one rule, the first by name."""
    by_key: dict[tuple[str, str], Rule] = {}
    for rule in sorted(rules, key=lambda rule: (rule.path, rule.essence, rule.test, rule.message)):
        by_key.setdefault(rule.key, rule)
    return list(by_key.values())


@dataclass
class _Listener:
    """A pytest plugin. Made-up objects (hypothesis) are left out: what they draw differs from run to run."""

    heard: dict[type[Part], list[Rule]] = field(default_factory=dict)
    _now: list[tuple[type[Part], Cause]] = field(default_factory=list)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if not getattr(getattr(item, "obj", None), "is_hypothesis_test", False)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._now = []
        sys.setprofile(self._listen)
        try:
            result = yield
        finally:
            sys.setprofile(None)
        test = item.nodeid.removeprefix(f"{TESTS}/")
        for struct, cause in self._now:
            text = cause.message
            rule = Rule(wording.path(cause.field), wording.essence(text), wording.message(text), test)
            self.heard.setdefault(struct, []).append(rule)
        return result

    def _listen(self, frame: FrameType, event: str, value: Any) -> None:
        """Called at every return within a test, so the common case leaves at once."""
        if event != "return":
            return
        of = type(value)
        if of is Invalid:
            self._now.extend(_refused(value))
        elif (of is list or of is tuple) and value and type(value[0]) is Cause and _answers_a_test(frame):
            self._now.extend((struct, cause) for struct in _about(frame) for cause in value)


def _answers_a_test(frame: FrameType) -> bool:
    caller = frame.f_back
    return caller is not None and _in_tests(caller) and not _in_tests(frame)


def _in_tests(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith("tests.")


def _about(frame: FrameType) -> list[type[Part]]:
    """The first argument that is a Struct is what the complaints are about."""
    script = frame.f_code
    arguments = script.co_varnames[: script.co_argcount + script.co_kwonlyargcount]
    return [type(frame.f_locals[name]) for name in arguments if isinstance(frame.f_locals.get(name), Part)][:1]


def _refused(error: Invalid) -> list[tuple[type[Part], Cause]]:
    details = error.details
    if details is None:
        return []
    named = [kind for kind in kinds.ALL if (kind.group, kind.kind) == (details.group, details.kind)]
    return [(kind.struct, cause) for kind in named if not kind.stored_as for cause in details.causes]
