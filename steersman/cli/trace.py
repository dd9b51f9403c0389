"""`steer trace`: the trace of an object's last change, as a tree in the terminal."""

from __future__ import annotations

import json
from typing import Any

import click

from steersman.api.kinds import Kind
from steersman.api.names import TRACEPARENT
from steersman.base import tracing
from steersman.cli import arguments, naming, refusals, session, spans
from steersman.cli.session import Session

ANSWER_SECONDS = 10.0


@click.command()
@click.argument("what", nargs=-1, metavar="TYPE/NAME", shell_complete=arguments.complete)
@session.with_session
@click.option(
    "--jaeger", default="", metavar="URL", help="Jaeger's address.  [default: beside steer up --otlp, port 16686]"
)
def trace(session: Session, what: tuple[str, ...], jaeger: str) -> None:
    """Show the trace of an object's last change as a tree.

    Columns: when a step began, how long it took, which component, what it did.
    """
    kind, name = arguments.understood(naming.one, what)
    where = (jaeger or session.jaeger).rstrip("/")
    if not where:
        refusals.fail(
            "error: this cluster sends its traces nowhere: start it with steer up --otlp URL, or say --jaeger URL"
        )
    refusals.carried_out(_shown(session, kind, name, where), session.server)


async def _shown(session: Session, kind: Kind, name: str, jaeger: str) -> None:
    async with session.opened() as api:
        value = await api.of(kind).get(name, session.namespace if kind.namespaced else "")
    found = tracing.parse((value.metadata.annotations or {}).get(TRACEPARENT, ""))
    if found is None:
        refusals.fail(f"error: {naming.reference(kind, name)} bears no trace: its last change was not traced")
    number = f"{found.trace_id:032x}"
    lines = spans.drawn(spans.of_otlp(await _fetched(f"{jaeger}/api/v3/traces/{number}")))
    if not lines:
        refusals.fail(f"error: Jaeger at {jaeger} does not know trace {number} (yet)")
    click.echo("\n".join([*lines, f"{jaeger}/trace/{number}"]))


async def _fetched(url: str) -> dict[str, Any]:
    """Empty where Jaeger knows nothing."""
    import aiohttp  # heavy, and no other verb asks over HTTP

    patience = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
    try:
        async with aiohttp.ClientSession(timeout=patience) as asking, asking.get(url) as answer:
            if answer.status == 404:
                return {}
            answer.raise_for_status()
            found: dict[str, Any] = json.loads(await answer.text())
            return found
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        refusals.fail(f"error: Jaeger does not answer at {url}: {error or type(error).__name__}")
