"""The node's sign of life: a Lease in kube-node-lease, renewed every few seconds, whatever else goes on."""

from __future__ import annotations

from msgspec import structs

from nodeagent.measures import Measures
from steersman.api import times
from steersman.api.coordination import Lease, LeaseSpec
from steersman.api.core import Node
from steersman.api.errors import ApiError, Conflict, NotFound
from steersman.api.meta import ObjectMeta, OwnerReference
from steersman.base import log
from steersman.base.clock import Clock
from steersman.client.client import Resource
from steersman.client.requests import WriteOptions

NAMESPACE = "kube-node-lease"
MISSES_ALLOWED = 3

_log = log.get("heartbeat")


class Heartbeat:
    def __init__(
        self, leases: Resource[Lease], node: Node, clock: Clock, measures: Measures, *, interval_seconds: float
    ) -> None:
        self._measures = measures
        self._leases = leases
        self._node = node
        self._clock = clock
        self._interval_seconds = interval_seconds
        self._lease: Lease | None = None
        self._options = WriteOptions(timeout_seconds=interval_seconds)

    async def run(self) -> None:
        """Until cancelled. A beat that cannot be sent is not sent late: the next one is newer."""
        is_silent = False
        while True:
            began = self._clock.monotonic()
            try:
                try:
                    await self._beat()
                except Conflict:  # a namesake of ours, or somebody's label: what is there now is what to renew
                    self._lease = None
                    await self._beat()
                is_silent = False
                self._measures.beat(self._node.metadata.name, "sent")
            except ApiError as error:
                self._lease = None
                self._measures.beat(self._node.metadata.name, "missed")
                if not is_silent:
                    _log.warning("heartbeat missed", node=self._node.metadata.name, reason=error.message)
                is_silent = True
            await self._clock.sleep(self._interval_seconds - (self._clock.monotonic() - began))

    async def _beat(self) -> None:
        """Starts from the Lease as our last beat left it, so that it costs one call."""
        now = times.micro_from_datetime(self._clock.now())
        lease = self._lease if self._lease is not None else await self._read()
        if lease is None:
            spec = LeaseSpec(
                holder_identity=self._node.metadata.name,
                lease_duration_seconds=round(self._interval_seconds * MISSES_ALLOWED) or 1,
                renew_time=now,
            )
            self._lease = (await self._leases.create(self._new(spec), options=self._options)).object
            return
        spec = structs.replace(lease.spec, holder_identity=self._node.metadata.name, renew_time=now)
        written = await self._leases.update(structs.replace(lease, spec=spec), options=self._options)
        self._lease = written.object

    async def _read(self) -> Lease | None:
        try:
            return await self._leases.get(
                self._node.metadata.name, NAMESPACE, timeout_seconds=self._options.timeout_seconds
            )
        except NotFound:
            return None

    def _new(self, spec: LeaseSpec) -> Lease:
        meta = self._node.metadata
        owner = OwnerReference(api_version="v1", kind="Node", name=meta.name, uid=meta.uid)
        return Lease(
            metadata=ObjectMeta(name=meta.name, namespace=NAMESPACE, owner_references=(owner,) if meta.uid else ()),
            spec=spec,
            api_version="coordination.k8s.io/v1",
            kind="Lease",
        )
