"""How admission says no."""

from __future__ import annotations

from steersman.api import errors
from steersman.api.core import Pod
from steersman.api.errors import Forbidden, Subject

_PODS = Subject(group="", resource="pods", kind="Pod")


def of_pod(pod: Pod, why: str) -> Forbidden:
    return errors.forbidden(_PODS, pod.metadata.name, why)
