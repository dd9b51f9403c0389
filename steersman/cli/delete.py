"""`steer delete`: by name, by label, by file, or all of a kind; and wait until they are gone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import click

from steersman.api.errors import ApiError, NotFound
from steersman.api.kinds import Kind
from steersman.base import values
from steersman.cli import arguments, files, naming, refusals, session, watching
from steersman.cli.session import Session
from steersman.client import requests
from steersman.client.client import Client
from steersman.client.requests import Propagation

_CASCADES = {
    "background": Propagation.BACKGROUND,
    "foreground": Propagation.FOREGROUND,
    "orphan": Propagation.ORPHAN,
}


@dataclass(frozen=True, slots=True)
class Doomed:
    kind: Kind
    name: str
    namespace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How objects are deleted. `patience_seconds` 0: for as long as it takes."""

    grace_seconds: int | None
    propagation: Propagation
    wait: bool
    patience_seconds: float
    ignore_not_found: bool
    forced: bool


@click.command()
@click.argument("what", nargs=-1, metavar="[TYPE [NAME…] | TYPE/NAME…]", shell_complete=arguments.complete)
@session.with_session
@files.option
@click.option("-l", "--selector", default="", help="Those with these labels.")
@click.option("--all", "everything", is_flag=True, help="All of that kind in the namespace.")
@click.option("--grace-period", type=int, default=-1, help="Seconds; negative: what the object says.")
@click.option("--now", is_flag=True, help="The same as --grace-period=1.")
@click.option("--force", is_flag=True, help="At once, without a word from the node.")
@click.option("--cascade", type=click.Choice(list(_CASCADES)), default="background", show_default=True)
@click.option("--wait/--no-wait", default=True, show_default=True, help="Return when they are gone.")
@click.option("--timeout", default="0s", help="How long to wait; 0s: as long as it takes.")
@click.option("--ignore-not-found", is_flag=True, help="What is not there is no error.")
def delete(
    session: Session,
    what: tuple[str, ...],
    filename: tuple[str, ...],
    recursive: bool,  # noqa: FBT001 -- click passes flags so
    selector: str,
    everything: bool,  # noqa: FBT001
    **flags: object,
) -> None:
    """Delete objects."""
    manner = _manner(flags, forgiving=everything or bool(selector))
    if filename:
        named = [each.placed(session.namespace) for each in files.manifests(filename, recursive=recursive)]
        doomed = [Doomed(each.kind, each.name, each.namespace) for each in named]
        refusals.carried_out(_deleted(session, doomed, manner), session.server)
        return
    wanted = arguments.understood(naming.wanted, what)
    if not all(one.names for one in wanted) and not selector and not everything:
        refusals.fail("error: resource(s) were provided, but no name was specified")
    refusals.carried_out(_chosen(session, wanted, selector, manner), session.server)


def _manner(flags: dict[str, object], *, forgiving: bool) -> Manner:
    grace = 1 if flags["now"] else int(str(flags["grace_period"]))
    if flags["force"]:
        grace = 0
    try:
        patience = values.parse_duration(str(flags["timeout"]))
    except ValueError as error:
        raise click.UsageError(f"--timeout: {error}") from error
    return Manner(
        grace_seconds=grace if grace >= 0 else None,
        propagation=_CASCADES[str(flags["cascade"])],
        wait=bool(flags["wait"]),
        patience_seconds=patience,
        ignore_not_found=forgiving or bool(flags["ignore_not_found"]),
        forced=bool(flags["force"]),
    )


async def _chosen(session: Session, wanted: Sequence[naming.Wanted], selector: str, manner: Manner) -> None:
    async with session.opened() as api:
        doomed: list[Doomed] = []
        for one in wanted:
            place = session.namespace if one.kind.namespaced else ""
            names: Sequence[str] = one.names
            if not names:
                pages = api.raw(one.kind).pages(place, label_selector=selector)
                names = [requests.identify_json(each).name async for page in pages for each in page.items]
            doomed += [Doomed(one.kind, name, place) for name in names]
        if not doomed:
            click.echo("No resources found")
        await _all(api, doomed, manner)


async def _deleted(session: Session, doomed: Sequence[Doomed], manner: Manner) -> None:
    async with session.opened() as api:
        await _all(api, doomed, manner)


async def _all(api: Client, doomed: Sequence[Doomed], manner: Manner) -> None:
    """First all are asked to go, then each is waited for: they go side by side."""
    if manner.forced:
        refusals.complain(
            "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated."
            " The resource may continue to run on the cluster indefinitely."
        )
    problems: list[str] = []
    leaving: list[tuple[Doomed, str]] = []
    for one in doomed:
        try:
            uid = await _ask(api, one, manner)
        except NotFound as error:
            if not manner.ignore_not_found:
                problems.append(refusals.text_of(error))
        except ApiError as error:
            problems.append(refusals.text_of(error))
        else:
            leaving += [(one, uid)] if uid else []
    if manner.wait:
        await _seen_off(api, leaving, manner)
    if problems:
        refusals.fail("\n".join(problems))


async def _ask(api: Client, one: Doomed, manner: Manner) -> str:
    """The uid of what still has to go; empty: it is gone."""
    done = await api.raw(one.kind).delete(
        one.name, one.namespace, grace_period_seconds=manner.grace_seconds, propagation=manner.propagation
    )
    where = f" from {one.namespace} namespace" if one.namespace else ""
    click.echo(f'{naming.qualified(one.kind)} "{one.name}" {"force " if manner.forced else ""}deleted{where}')
    return "" if done.gone or done.object is None else requests.identify_json(done.object).uid


async def _seen_off(api: Client, leaving: Sequence[tuple[Doomed, str]], manner: Manner) -> None:
    try:
        async with asyncio.timeout(manner.patience_seconds or None):
            for one, uid in leaving:
                await watching.gone(api, one.kind, one.name, one.namespace, uid)
    except TimeoutError:
        refusals.fail(f"error: timed out waiting for the condition on {one.kind.resource}/{one.name}")
