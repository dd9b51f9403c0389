"""`steer why`: what an object waits for, as a chain from it down to the containers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import click

from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.core import Event, Pod
from steersman.api.kinds import Kind
from steersman.api.meta import Object
from steersman.api.names import TRACEPARENT
from steersman.base import tracing
from steersman.base.clock import SystemClock
from steersman.cli import arguments, naming, reasons, refusals, session
from steersman.cli.reasons import Link
from steersman.cli.session import Session
from steersman.client.client import Client


@click.command()
@click.argument("what", nargs=-1, metavar="TYPE/NAME", shell_complete=arguments.complete)
@session.with_session
def why(session: Session, what: tuple[str, ...]) -> None:
    """Say what an object waits for, from it down to the containers.

    Exit code 0 if it waits for nothing, 1 if it does.
    """
    kind, name = arguments.understood(naming.one, what)
    link = refusals.carried_out(_looked(session, kind, name), session.server)
    click.echo("\n".join(reasons.drawn(link)))
    click.echo(reasons.verdict(link))
    if not link.is_well:
        raise click.exceptions.Exit(1)


async def _looked(session: Session, kind: Kind, name: str) -> Link:
    async with session.opened() as api:
        place = session.namespace if kind.namespaced else ""
        top = await api.of(kind).get(name, place)
        return await _Family(api, place, session.jaeger).link(kind, top)


class _Family:
    """What was read once for the whole chain."""

    def __init__(self, api: Client, namespace: str, jaeger: str) -> None:
        self._api = api
        self._namespace = namespace
        self._jaeger = jaeger
        self._now = SystemClock().now()

    async def link(self, kind: Kind, top: Object) -> Link:
        events = (await self._api.of(Event).list(self._namespace)).items
        below: list[Object] = []
        if kind.kind != "Pod" and kind.namespaced:
            below += (await self._api.of(ReplicaSet).list(self._namespace)).items
            below += (await self._api.of(Pod).list(self._namespace)).items
        return self._made(naming.reference(kind, top.metadata.name), top, below, events)

    def _made(self, title: str, value: Object, others: Sequence[Object], events: Sequence[Event]) -> Link:
        state, waits_for = _state(value, self._now)
        children = [each for each in others if _is_child(each, value.metadata.uid)]
        below = tuple(
            self._made(f"{type(each).__name__.lower()}/{each.metadata.name}", each, others, events) for each in children
        )
        is_well = not waits_for and all(link.is_well for link in below)
        happened = () if is_well else tuple(reasons.warnings(events, value, self._now))
        return Link(title, state, tuple(waits_for), happened, self._trace(value), below)

    def _trace(self, value: Object) -> str:
        """Where the trace of its last change is to be seen; its id where nobody shows it."""
        found = tracing.parse((value.metadata.annotations or {}).get(TRACEPARENT, ""))
        if found is None:
            return ""
        number = f"{found.trace_id:032x}"
        return f"{self._jaeger}/trace/{number}" if self._jaeger else number


def _state(value: Object, now: datetime) -> tuple[str, list[str]]:
    if isinstance(value, Pod):
        return reasons.of_pod(value, now)
    if isinstance(value, Deployment):
        return reasons.of_deployment(value)
    if isinstance(value, ReplicaSet):
        return reasons.of_replicaset(value)
    return "", []


def _is_child(value: Object, uid: str) -> bool:
    """ReplicaSets that are kept only as history have nothing to tell."""
    if isinstance(value, ReplicaSet) and value.spec.replicas == 0 and not value.status.replicas:
        return False
    return any(owner.controller and owner.uid == uid for owner in value.metadata.owner_references)
