"""What is said of each object that a verb has written."""

from __future__ import annotations

import click
import msgspec

from steersman.api.kinds import Kind
from steersman.cli import documents, naming, refusals
from steersman.client.requests import Written


def with_dry_run(done: str, dry_run: str) -> str:
    """As kubectl says it: `created (server dry run)`."""
    return {"server": f"{done} (server dry run)", "client": f"{done} (dry run)"}.get(dry_run, done)


def tell(kind: Kind, name: str, done: str, written: Written[bytes] | None, output: str) -> None:
    """`deployment.apps/web created`; or the object; and what the server warned of."""
    for warning in written.warnings if written is not None else ():
        refusals.complain(f"Warning: {warning}")
    if output == "name":
        click.echo(naming.reference(kind, name))
    elif output in ("yaml", "json") and written is not None:
        document = documents.shown(msgspec.json.decode(written.object))
        click.echo(documents.as_json(document) if output == "json" else documents.as_yaml(document), nl=False)
    else:
        click.echo(f"{naming.reference(kind, name)} {done}")
