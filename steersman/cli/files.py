"""`-f`: where manifests come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from steersman.cli import manifests as texts
from steersman.cli import refusals
from steersman.cli.manifests import BadManifest, Manifest

Command = TypeVar("Command", bound=Callable[..., Any])


def option(command: Command) -> Command:
    named = click.option("-f", "--filename", multiple=True, help="A file, a folder, or - for standard input.")
    deep = click.option("-R", "--recursive", is_flag=True, help="Folders inside folders too.")
    return named(deep(command))


def manifests(sources: Sequence[str], *, recursive: bool) -> list[Manifest]:
    """At least one, or the verb is over."""
    if not sources:
        refusals.fail("error: must specify one of -f")
    try:
        found = texts.read(sources, recursive=recursive)
    except (BadManifest, OSError) as error:
        refusals.fail(f"error: {error}")
    if not found:
        refusals.fail("error: no objects passed to apply")
    return found
