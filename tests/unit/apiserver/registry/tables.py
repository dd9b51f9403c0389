"""Table tests of one kind: a valid manifest, changes that break it, and the complaints that follow.

A change is a merge patch on the manifest, so a row names only what matters (None takes a field away).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apiserver.registry.patching import mergepatch
from apiserver.registry.strategy import Strategy
from steersman.api import codec
from steersman.api.meta import Object
from tests.unit.apiserver.registry.pods import decode, shown

Patch = dict[str, Any]

TEMPLATE: Patch = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "c", "image": "nginx:1.27"}]},
}
DEFAULTED_TEMPLATE_SPEC: Patch = {
    "containers": [
        {
            "name": "c",
            "image": "nginx:1.27",
            "imagePullPolicy": "IfNotPresent",
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
        }
    ],
    "dnsPolicy": "ClusterFirst",
    "restartPolicy": "Always",
    "schedulerName": "default-scheduler",
    "securityContext": {},
    "terminationGracePeriodSeconds": 30,
}


@dataclass(frozen=True)
class Row:
    """A change and what comes of it."""

    id: str
    patch: Patch
    complaints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """A change of a stored object and the complaints about it; `before` is what made the stored one."""

    id: str
    patch: Patch
    complaints: tuple[str, ...] = ()
    before: Patch | None = None


def row(id: str, patch: Patch, *complaints: str) -> Row:
    return Row(id, patch, complaints)


def step(id: str, patch: Patch, *complaints: str, before: Patch | None = None) -> Step:
    return Step(id, patch, complaints, before)


@dataclass(frozen=True)
class Subject:
    """A kind under test."""

    struct: type[Object]
    strategy: Strategy
    manifest: Patch

    def make(self, patch: Patch | None = None) -> Any:
        """The object as it is stored: with its defaults."""
        return self._read(mergepatch.apply(self.manifest, patch or {}))

    def defaulted(self, patch: Patch | None = None) -> dict[str, Any]:
        return codec.to_dict(self.make(patch))

    def complaints(self, patch: Patch) -> list[str]:
        """About a new object with this change."""
        new = self.make(patch)
        return shown([*self.strategy.validate(new), *self.strategy.validate_create(new)])

    def complaints_about_step(self, step: Step) -> list[str]:
        """About the change of an object that was created as `before` says, and has got its status since."""
        before = dict(step.before or {})
        status = before.pop("status", None)
        stored = mergepatch.apply(self.defaulted(before), {"status": status} if status else {})
        old = self._read(stored)
        new = self.strategy.prepare_update(self._read(mergepatch.apply(stored, step.patch)), old)
        return shown(self.strategy.validate_update(new, old))

    def _read(self, document: Patch) -> Any:
        return self.strategy.default(decode(self.struct, document))


def ids(rows: Sequence[Row] | Sequence[Step]) -> list[str]:
    names = [each.id for each in rows]
    assert len(set(names)) == len(names)
    return names
