"""`steer rollout`: watch, list, undo, pause, resume and restart rollouts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any

import click
import msgspec

from steersman.api import codec, times
from steersman.api.apps import Deployment, ReplicaSet
from steersman.api.kinds import Kind
from steersman.base import values
from steersman.base.clock import SystemClock
from steersman.cli import arguments, naming, refusals, rollouts, session, watching
from steersman.cli.session import Session
from steersman.client.client import Client
from steersman.client.requests import PatchType

Act = Callable[[Client, Kind, str, str], Coroutine[Any, Any, None]]


@click.group()
def rollout() -> None:
    """Watch, list, undo, pause, resume and restart rollouts."""


def _taking_one(command: Callable[..., Any]) -> Callable[..., Any]:
    what = click.argument("what", nargs=-1, metavar="TYPE/NAME", shell_complete=arguments.complete)
    return what(session.with_session(command))


def _on_one(session: Session, what: tuple[str, ...], act: Act) -> None:
    kind, name = arguments.understood(naming.one, what)
    if kind.kind not in rollouts.BY_KIND:
        refusals.fail(f"error: no rollouts of {kind.resource}: only of deployments, daemonsets and statefulsets")

    async def run() -> None:
        async with session.opened() as api:
            await act(api, kind, name, session.namespace)

    refusals.carried_out(run(), session.server)


def _only_deployments(kind: Kind, verb: str) -> None:
    if kind.kind != "Deployment":
        refusals.fail(f"error: {kind.resource} {verb} is not supported: only deployments can be")


@rollout.command()
@_taking_one
@click.option("-w", "--watch/--no-watch", default=True, show_default=True, help="Until it is done.")
@click.option("--timeout", default="0s", help="How long to watch; 0s: as long as it takes.")
def status(session: Session, what: tuple[str, ...], watch: bool, timeout: str) -> None:  # noqa: FBT001 -- a flag
    """Show how far a rollout is, until it is done."""
    try:
        patience = values.parse_duration(timeout)
    except ValueError as error:
        raise click.UsageError(f"--timeout: {error}") from error

    async def follow(api: Client, kind: Kind, name: str, namespace: str) -> None:
        try:
            async with asyncio.timeout(patience or None):
                await _followed(api, kind, name, namespace, watch=watch)
        except TimeoutError:
            refusals.fail("error: timed out waiting for the condition")
        except rollouts.Stuck as error:
            refusals.fail(f"error: {error}")

    _on_one(session, what, follow)


async def _followed(api: Client, kind: Kind, name: str, namespace: str, *, watch: bool) -> None:
    """Each new line once."""
    await api.raw(kind).get(name, namespace)
    said = ""
    async for state in watching.states(api, kind, name, namespace):
        if state is None:
            refusals.fail("error: object has been deleted")
        progress = rollouts.BY_KIND[kind.kind](codec.load(kind.struct, msgspec.json.encode(state)))
        if progress.text != said:
            click.echo(progress.text)
            said = progress.text
        if progress.done or not watch:
            return


@rollout.command()
@_taking_one
@click.option("--revision", type=click.IntRange(min=0), default=0, help="Show what that one looked like.")
def history(session: Session, what: tuple[str, ...], revision: int) -> None:
    """List the revisions of a Deployment."""

    async def show(api: Client, kind: Kind, name: str, namespace: str) -> None:
        _only_deployments(kind, "history")
        found = await _revisions(api, name, namespace)
        if revision:
            replicaset = _target(found, revision)
            click.echo(f"{naming.reference(kind, name)} with revision #{revision}")
            for container in replicaset.spec.template.spec.containers:
                click.echo(f"  {container.name}: {container.image}")
        else:
            click.echo(f"{naming.reference(kind, name)} \n{rollouts.history(found)}")

    _on_one(session, what, show)


@rollout.command()
@_taking_one
@click.option("--to-revision", type=click.IntRange(min=0), default=0, help="Which one; 0: the one before.")
def undo(session: Session, what: tuple[str, ...], to_revision: int) -> None:
    """Go back to an earlier revision."""

    async def back(api: Client, kind: Kind, name: str, namespace: str) -> None:
        _only_deployments(kind, "undo")
        deployment = await api.of(Deployment).get(name, namespace)
        if deployment.spec.paused:
            refusals.fail('error: you cannot rollback a paused deployment; resume it first with "steer rollout resume"')
        earlier = _target(await _revisions(api, name, namespace), to_revision)
        template = _without_hash(msgspec.json.decode(codec.encode(earlier))["spec"]["template"])
        present = _without_hash(msgspec.json.decode(codec.encode(deployment))["spec"]["template"])
        if template == present:
            number = earlier.metadata.annotations[rollouts.REVISION]
            click.echo(
                f"{naming.reference(kind, name)} skipped rollback (current template already matches revision {number})"
            )
            return
        # Replaced, not merged: what the earlier one did not have must go.
        steps = [
            {"op": "test", "path": "/metadata/resourceVersion", "value": deployment.metadata.resource_version},
            {"op": "replace", "path": "/spec/template", "value": template},
        ]
        await api.raw(kind).patch(name, namespace, msgspec.json.encode(steps), PatchType.JSON)
        click.echo(f"{naming.reference(kind, name)} rolled back")

    _on_one(session, what, back)


def _without_hash(template: dict[str, Any]) -> dict[str, Any]:
    """The label by which a ReplicaSet tells its pods from those of its siblings is not part of what was asked for."""
    metadata = template.get("metadata") or {}
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != rollouts.HASH}
    return {**template, "metadata": {**metadata, "labels": labels}}


def _target(found: dict[int, ReplicaSet], revision: int) -> ReplicaSet:
    try:
        return rollouts.target(found, revision)
    except ValueError as error:
        refusals.fail(f"error: {error}")


async def _revisions(api: Client, name: str, namespace: str) -> dict[int, ReplicaSet]:
    deployment = await api.of(Deployment).get(name, namespace)
    replicasets = (await api.of(ReplicaSet).list(namespace)).items
    return rollouts.revisions(replicasets, deployment.metadata.uid)


@rollout.command()
@_taking_one
def pause(session: Session, what: tuple[str, ...]) -> None:
    """Let changes of a Deployment's template rest."""
    _on_one(session, what, _pausing(wanted=True))


@rollout.command()
@_taking_one
def resume(session: Session, what: tuple[str, ...]) -> None:
    """Go on with a Deployment that was paused."""
    _on_one(session, what, _pausing(wanted=False))


def _pausing(*, wanted: bool) -> Act:
    async def act(api: Client, kind: Kind, name: str, namespace: str) -> None:
        _only_deployments(kind, "pausing")
        deployment = await api.of(Deployment).get(name, namespace)
        if deployment.spec.paused == wanted:
            refusals.fail(f'error: {kind.resource}.{kind.group} "{name}" is {"already" if wanted else "not"} paused')
        patch = msgspec.json.encode({"spec": {"paused": wanted}})
        await api.raw(kind).patch(name, namespace, patch, PatchType.MERGE)
        click.echo(f"{naming.reference(kind, name)} {'paused' if wanted else 'resumed'}")

    return act


@rollout.command()
@_taking_one
def restart(session: Session, what: tuple[str, ...]) -> None:
    """Replace all pods, a few at a time."""
    now = SystemClock().now()

    async def act(api: Client, kind: Kind, name: str, namespace: str) -> None:
        await api.raw(kind).patch(name, namespace, restart_patch(now), PatchType.STRATEGIC)
        click.echo(f"{naming.reference(kind, name)} restarted")

    _on_one(session, what, act)


def restart_patch(now: datetime) -> bytes:
    """An annotation of the template is a change of the template."""
    annotations = {rollouts.RESTARTED: str(times.from_datetime(now))}
    return msgspec.json.encode({"spec": {"template": {"metadata": {"annotations": annotations}}}})
