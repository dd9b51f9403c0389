"""How admission says no."""

from __future__ import annotations

from steersman.api import errors
from steersman.api.core import Pod
from steersman.api.errors import Forbidden, Subject

_PODS = Subject(group="", resource="pods", kind="Pod")


def of_pod(pod: Pod, why: str) -> Forbidden:
    """A name that the server is still drawing is not told: the next try would have another."""
    name, drawn_from = pod.metadata.name, pod.metadata.generate_name
    return errors.forbidden(_PODS, drawn_from if drawn_from and name.startswith(drawn_from) else name, why)
