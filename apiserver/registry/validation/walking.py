"""The containers of a pod, whatever sort they are, each with its path."""

from __future__ import annotations

from collections.abc import Iterator

from steersman.api.core import Container, EphemeralContainer, PodSpec
from steersman.api.fields import Path


def every_container(spec: PodSpec, path: Path) -> Iterator[tuple[Container | EphemeralContainer, Path]]:
    """In the order in which they come to life. `path`: of the spec."""
    for index, init in enumerate(spec.init_containers):
        yield init, path.child("initContainers").index(index)
    for index, container in enumerate(spec.containers):
        yield container, path.child("containers").index(index)
    for index, ephemeral in enumerate(spec.ephemeral_containers):
        yield ephemeral, path.child("ephemeralContainers").index(index)
