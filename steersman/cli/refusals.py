"""Errors in kubectl's words, and the exit code that goes with them. `text_of` is pure."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, NoReturn, TypeVar

import click

from steersman.api.errors import ApiError, Invalid, Timeout, Unavailable
from steersman.base import log, run
from steersman.base.log import Level, Style

T = TypeVar("T")

FAILED = 1
INTERRUPTED = 130


def text_of(error: ApiError, server: str = "") -> str:
    """One error as kubectl tells it."""
    details = error.details
    if isinstance(error, Invalid) and details is not None and details.name:
        causes = [f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in details.causes]
        listed = causes[0] if len(causes) == 1 else "".join(f"\n* {cause}" for cause in causes)
        return f'The {details.kind} "{details.name}" is invalid: {listed or error.message}'
    if isinstance(error, Unavailable) and server and details is None:
        return f"The connection to the server {server} was refused - did you specify the right host or port?"
    if isinstance(error, Timeout) and details is None:
        return f"Error from server (Timeout): {error.message}"
    return f"Error from server ({error.reason}): {error.message}"


def complain(text: str) -> None:
    click.echo(text, err=True)


def fail(text: str) -> NoReturn:
    """Said, and over."""
    complain(text)
    raise click.exceptions.Exit(FAILED)


def carried_out(work: Coroutine[Any, Any, T], server: str = "") -> T:
    """Run a verb. What the server refuses becomes kubectl's line on stderr and exit code 1; Ctrl-C ends it quietly."""
    log.configure(Level.ERROR, Style.CONSOLE)
    try:
        return asyncio.run(work)
    except ApiError as error:
        fail(text_of(error, server))
    except BaseExceptionGroup as group:
        leaves = list(run.leaves(group))
        if len(leaves) == 1 and isinstance(leaves[0], ApiError):
            fail(text_of(leaves[0], server))
        if len(leaves) == 1:
            raise leaves[0] from None
        raise
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
