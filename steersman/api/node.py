"""The node group, v1: runtime classes."""

from typing import Annotated

from msgspec import field

from steersman.api.core import Toleration
from steersman.api.meta import Object
from steersman.api.part import At, Part, Quantity, atomic


class Overhead(Part):
    pod_fixed: Annotated[dict[str, Quantity], At(1)] = field(default_factory=dict)


class Scheduling(Part):
    node_selector: Annotated[dict[str, str], At(1, map_type="atomic")] = field(default_factory=dict)
    tolerations: Annotated[tuple[Toleration, ...], atomic(2)] = ()


class RuntimeClass(Object):
    """A way to run containers, by name."""

    handler: Annotated[str, At(2)] = field(default_factory=str)
    overhead: Annotated[Overhead | None, At(3)] = None
    scheduling: Annotated[Scheduling | None, At(4)] = None
