"""`steer describe`: all about objects, with what happened to them."""

from __future__ import annotations

from collections.abc import Sequence

import click
import msgspec

from steersman.api import codec
from steersman.api.core import Event
from steersman.api.errors import NotFound
from steersman.api.kinds import Kind
from steersman.base.clock import SystemClock
from steersman.cli import arguments, describing, happenings, naming, refusals, session
from steersman.cli.naming import Wanted
from steersman.cli.pages import around, catalog
from steersman.cli.pages.page import Page
from steersman.cli.session import Session
from steersman.client import requests
from steersman.client.client import Client
from steersman.client.requests import Identity


@click.command()
@click.argument("what", nargs=-1, metavar="TYPE [NAME…] | TYPE/NAME…", shell_complete=arguments.complete)
@session.with_session
@click.option("-l", "--selector", default="", help="Only objects with these labels.")
@click.option("-A", "--all-namespaces", is_flag=True, help="In every namespace.")
@click.option("--show-events/--no-show-events", default=True, help="What happened to them.")
def describe(
    session: Session,
    what: tuple[str, ...],
    selector: str,
    all_namespaces: bool,  # noqa: FBT001 -- click passes flags so
    show_events: bool,  # noqa: FBT001
) -> None:
    """Show all about objects, with what happened to them."""
    wanted = arguments.understood(naming.wanted, what)
    namespace = "" if all_namespaces else session.namespace
    refusals.carried_out(_described(session, wanted, namespace, selector, events=show_events), session.server)


async def _described(
    session: Session, wanted: Sequence[Wanted], namespace: str, selector: str, *, events: bool
) -> None:
    problems: list[str] = []
    shown = 0
    async with session.opened() as api:
        for one in wanted:
            for found in await _found(api, one, namespace, selector, problems):
                click.echo("\n\n" if shown else "", nl=False)
                click.echo(await _told(api, one.kind, found, events=events), nl=False)
                shown += 1
    if not shown and not problems:
        refusals.complain(f"No resources found{f' in {namespace} namespace.' if namespace else ''}")
    if problems:
        refusals.fail("\n".join(problems))


async def _found(api: Client, one: Wanted, namespace: str, selector: str, problems: list[str]) -> list[bytes]:
    raw, place = api.raw(one.kind), namespace if one.kind.namespaced else ""
    if not one.names:
        return [each async for page in raw.pages(place, label_selector=selector) for each in page.items]
    found = []
    for name in one.names:
        try:
            found.append(await raw.get(name, place))
        except NotFound as error:
            problems.append(refusals.text_of(error))
    return found


async def _told(api: Client, kind: Kind, found: bytes, *, events: bool) -> str:
    """The kind's own page, or else everything field by field."""
    now, page, told = SystemClock().now(), Page(), ""
    page_of = catalog.PAGES.get(kind.struct)
    if page_of is not None:
        value = codec.load(kind.struct, found)
        page = page_of(value, await around.read(api, value, now))
    else:
        told = describing.text(msgspec.json.decode(found))
    if events and kind.struct not in catalog.WITHOUT_EVENTS:
        happenings.write(page, await _events(api, kind, requests.identify_json(found)), now)
    return told + page.text()


async def _events(api: Client, kind: Kind, about: Identity) -> list[Event]:
    # Events about what lives outside namespaces are in "default".
    selector = happenings.selector(kind.kind, about.name)
    found = (await api.of(Event).list(about.namespace or "default", field_selector=selector)).items
    return [event for event in found if event.involved_object.uid in ("", about.uid, about.name)]
