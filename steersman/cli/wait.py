"""`steer wait`: until a condition holds, a field has a value, an object is there, or is gone. `judge_of` is pure."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import click

from steersman.api.kinds import Kind
from steersman.base import values
from steersman.cli import arguments, documents, naming, refusals, session, watching
from steersman.cli.naming import Wanted
from steersman.cli.session import Session
from steersman.client import requests
from steersman.client.client import Client

Judge = Callable[[dict[str, Any] | None], bool]
"""Whether an object, None if it is not there, is as it is waited for."""


class BadCondition(ValueError):
    """What stands behind --for cannot be read."""


@click.command()
@click.argument("what", nargs=-1, metavar="TYPE NAME… | TYPE/NAME…", shell_complete=arguments.complete)
@session.with_session
@click.option(
    "--for", "condition", required=True, help="condition=NAME[=VALUE], jsonpath={PATH}[=VALUE], create, delete."
)
@click.option("--timeout", default="30s", show_default=True, help="How long; 0s: only look.")
@click.option("-l", "--selector", default="", help="Those with these labels.")
@click.option("--all", "everything", is_flag=True, help="All of that kind in the namespace.")
def wait(
    session: Session,
    what: tuple[str, ...],
    condition: str,
    timeout: str,
    selector: str,
    everything: bool,  # noqa: FBT001 -- click passes flags so
) -> None:
    """Wait for objects."""
    wanted = arguments.understood(naming.wanted, what)
    if not all(one.names for one in wanted) and not selector and not everything:
        refusals.fail("error: resource(s) were provided, but no name was specified")
    try:
        judge, seconds = judge_of(condition), values.parse_duration(timeout)
    except ValueError as error:
        refusals.fail(f"error: {error}")
    refusals.carried_out(_waited(session, wanted, selector, condition, judge, seconds), session.server)


def judge_of(text: str) -> Judge:
    sort, _, rest = text.partition("=")
    if text.lower() == "delete":
        return lambda state: state is None
    if text.lower() == "create":
        return lambda state: state is not None
    if sort == "condition" and rest:
        name, _, value = rest.partition("=")
        return _has_condition(name, value or "True")
    if sort == "jsonpath" and rest:
        return _has_value(rest)
    raise BadCondition(f"unrecognized condition: {text!r}")


def _has_condition(name: str, value: str) -> Judge:
    def judge(state: dict[str, Any] | None) -> bool:
        status = (state or {}).get("status") or {}
        generation = (state or {}).get("metadata", {}).get("generation", 0)
        if status.get("observedGeneration", generation) < generation:
            return False  # what it says is about an earlier wish
        conditions = status.get("conditions") or []
        found = [each for each in conditions if str(each.get("type", "")).lower() == name.lower()]
        return any(str(each.get("status", "")).lower() == value.lower() for each in found)

    return judge


def _has_value(text: str) -> Judge:
    """`{.status.phase}=Running`, or `{.status.podIP}`: any value will do."""
    template, brace, value = text.rpartition("}")
    template = f"{template}}}" if brace else text.partition("=")[0]
    value = (value if brace else text.partition("=")[2]).removeprefix("=").strip("'\"")

    def judge(state: dict[str, Any] | None) -> bool:
        found = documents.by_template(template, state) if state is not None else ""
        return found == value if value else bool(found)

    documents.by_template(template, {})
    return judge


async def _waited(
    session: Session, wanted: list[Wanted], selector: str, condition: str, judge: Judge, seconds: float
) -> None:
    late: list[str] = []
    deadline = asyncio.get_running_loop().time() + seconds
    async with session.opened() as api:
        for kind, name in await _named(api, session.namespace, wanted, selector):
            place = session.namespace if kind.namespaced else ""
            if condition not in ("create", "delete"):
                await api.raw(kind).get(name, place)  # what is not there now is not waited for
            if await _met(api, kind, name, place, judge, deadline):
                click.echo(f"{naming.reference(kind, name)} condition met")
            else:
                late.append(f"error: timed out waiting for the condition on {kind.resource}/{name}")
    if late:
        refusals.fail("\n".join(late))


async def _named(api: Client, namespace: str, wanted: list[Wanted], selector: str) -> list[tuple[Kind, str]]:
    found: list[tuple[Kind, str]] = []
    for one in wanted:
        names = list(one.names)
        if not names:
            place = namespace if one.kind.namespaced else ""
            pages = api.raw(one.kind).pages(place, label_selector=selector)
            names = [requests.identify_json(each).name async for page in pages for each in page.items]
        found += [(one.kind, name) for name in names]
    if not found:
        refusals.fail("error: no matching resources found")
    return found


async def _met(api: Client, kind: Kind, name: str, namespace: str, judge: Judge, deadline: float) -> bool:
    """All share one deadline; each is looked at once even when that has passed."""
    states = watching.states(api, kind, name, namespace)
    try:
        if judge(await anext(states)):
            return True
        async with asyncio.timeout_at(deadline):
            async for state in states:
                if judge(state):
                    return True
    except TimeoutError:
        pass
    finally:
        await states.aclose()
    return False
