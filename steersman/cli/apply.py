"""`steer apply`: bring objects to what their manifests say; what the last apply said and this does not goes away."""

from __future__ import annotations

from dataclasses import replace

import click
import msgspec

from steersman.api.errors import AlreadyExists, ApiError, NotFound
from steersman.base import tracing
from steersman.cli import files, refusals, session, threeway, writing
from steersman.cli.manifests import Manifest
from steersman.cli.session import Session
from steersman.client.client import Client
from steersman.client.requests import PatchType, WriteOptions, Written

MANAGER = "steer-client-side-apply"


@click.command()
@session.with_session
@files.option
@click.option("--dry-run", type=click.Choice(["none", "client", "server"]), default="none", help="Change nothing.")
@click.option("-o", "--output", default="", help="yaml, json or name, instead of a line for each object.")
def apply(session: Session, filename: tuple[str, ...], recursive: bool, dry_run: str, output: str) -> None:  # noqa: FBT001
    """Bring objects to what the manifests say."""
    manifests = files.manifests(filename, recursive=recursive)
    tracing.configure("steer", session.otlp or None)
    try:
        refusals.carried_out(_traced(session, manifests, dry_run, output), session.server)
    finally:
        tracing.shutdown()


async def _traced(session: Session, manifests: list[Manifest], dry_run: str, output: str) -> None:
    """One trace for all that follows from this apply, where the cluster is traced; its id goes to stderr."""
    with tracing.span("steer apply", objects=len(manifests)) as span:
        if span.context is not None:
            refusals.complain(f"trace {span.context.trace_id:032x}")
        await _applied(session, manifests, dry_run, output)


async def _applied(session: Session, manifests: list[Manifest], dry_run: str, output: str) -> None:
    """Each in turn; one that is refused does not hold the others up."""
    options = WriteOptions(dry_run=dry_run == "server", field_manager=MANAGER)
    problems: list[str] = []
    async with session.opened() as api:
        for manifest in manifests:
            placed = manifest.placed(session.namespace)
            try:
                done, written = (
                    (await _foreseen(api, placed), None) if dry_run == "client" else await _one(api, placed, options)
                )
            except ApiError as error:
                problems.append(refusals.text_of(error, session.server))
                continue
            writing.tell(placed.kind, placed.name, writing.with_dry_run(done, dry_run), written, output)
    if problems:
        refusals.fail("\n".join(problems))


async def _foreseen(api: Client, manifest: Manifest) -> str:
    """Whether it is there: all that can be said without asking the server to try."""
    try:
        await api.raw(manifest.kind).get(manifest.name, manifest.namespace)
    except NotFound:
        return "created"
    return "configured"


async def _one(api: Client, manifest: Manifest, options: WriteOptions) -> tuple[str, Written[bytes]]:
    objects = api.raw(manifest.kind)
    wanted = replace(manifest, document=threeway.annotated(manifest.document))
    while True:
        try:
            live = msgspec.json.decode(await objects.get(manifest.name, manifest.namespace))
        except NotFound:
            try:
                return "created", await objects.create(wanted.json, options=options)
            except AlreadyExists:
                continue  # somebody was quicker: it is there now
        patch = threeway.patch(manifest.kind.struct, threeway.last_applied(live), wanted.document)
        body = msgspec.json.encode(patch)
        written = await objects.patch(manifest.name, manifest.namespace, body, PatchType.STRATEGIC, options=options)
        was = live["metadata"].get("resourceVersion")
        now = msgspec.json.decode(written.object)["metadata"].get("resourceVersion")
        unchanged = was == now and (not options.dry_run or _same(live, written.object))
        return ("unchanged" if unchanged else "configured"), written


def _same(live: dict[str, object], after: bytes) -> bool:
    """A dry run takes no revision, so what it would have changed must be looked for."""
    return {**live, "metadata": None} == {**msgspec.json.decode(after), "metadata": None}
