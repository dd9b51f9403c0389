"""`steer create -f`: make what the manifests say; what is there already is an error."""

from __future__ import annotations

import click

from steersman.api.errors import ApiError
from steersman.cli import files, refusals, session, writing
from steersman.cli.manifests import Manifest
from steersman.cli.session import Session
from steersman.client import requests
from steersman.client.requests import WriteOptions

MANAGER = "steer-create"


@click.command()
@session.with_session
@files.option
@click.option("--dry-run", type=click.Choice(["none", "client", "server"]), default="none", help="Change nothing.")
@click.option("-o", "--output", default="", help="yaml, json or name, instead of a line for each object.")
def create(session: Session, filename: tuple[str, ...], recursive: bool, dry_run: str, output: str) -> None:  # noqa: FBT001
    """Make what the manifests say."""
    manifests = files.manifests(filename, recursive=recursive)
    refusals.carried_out(_created(session, manifests, dry_run, output), session.server)


async def _created(session: Session, manifests: list[Manifest], dry_run: str, output: str) -> None:
    options = WriteOptions(dry_run=dry_run == "server", field_manager=MANAGER)
    done = writing.with_dry_run("created", dry_run)
    problems: list[str] = []
    async with session.opened() as api:
        for manifest in (each.placed(session.namespace) for each in manifests):
            if dry_run == "client":
                writing.tell(manifest.kind, manifest.name, done, None, output)
                continue
            try:
                written = await api.raw(manifest.kind).create(manifest.json, options=options)
            except ApiError as error:
                problems.append(refusals.text_of(error, session.server))
                continue
            name = requests.identify_json(written.object).name  # the server may have chosen it
            writing.tell(manifest.kind, name, done, written, output)
    if problems:
        refusals.fail("\n".join(problems))
