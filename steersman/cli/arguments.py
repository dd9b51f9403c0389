"""What people type, understood or refused in words; and completed by the shell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import click
from click.shell_completion import CompletionItem

from steersman.cli import naming, refusals
from steersman.cli.naming import Unclear, UnknownKind

T = TypeVar("T")

OUTPUTS = ("", "wide", "yaml", "json", "name")


def understood(reading: Callable[[Sequence[str]], T], what: Sequence[str]) -> T:
    """As `reading` takes it; what it cannot take ends the verb."""
    try:
        return reading(what)
    except (UnknownKind, Unclear) as error:
        refusals.fail(f"error: {error}")


def output(text: str) -> str:
    if text not in OUTPUTS and not text.startswith("jsonpath="):
        refusals.fail(
            f'error: unable to match a printer suitable for the output format "{text}", allowed formats are:'
            " json,jsonpath,name,wide,yaml"
        )
    return text


def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Kinds, under any of their names."""
    return [CompletionItem(word) for word in naming.words() if word.startswith(incomplete)]
