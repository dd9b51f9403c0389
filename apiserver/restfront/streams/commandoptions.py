"""What an exec or attach asks for. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from apiserver.restfront.query import Query
from steersman.api.errors import BadRequest
from steersman.pb import nodes_pb2 as pb

STREAMS = ("stdin", "stdout", "stderr")


@dataclass(frozen=True, slots=True)
class CommandOptions:
    container: str
    command: tuple[str, ...]
    stdin: bool
    stdout: bool
    stderr: bool
    tty: bool


def parse(query: Query) -> CommandOptions:
    """Who names no stream at all gets the output. With a terminal there is no second stream of output. BadRequest."""
    named = any(name in query for name in STREAMS)
    stdin, stdout, stderr = (query.flag(name) or False if named else name != "stdin" for name in STREAMS)
    tty = query.flag("tty") or False
    options = CommandOptions(
        container=query.text("container"),
        command=tuple(query.texts("command")),
        stdin=stdin,
        stdout=stdout,
        stderr=stderr and not tty,
        tty=tty,
    )
    if not (options.stdin or options.stdout or options.stderr):
        raise BadRequest("you must specify at least 1 of stdin, stdout, stderr")
    return options


def start_message(options: CommandOptions, about: pb.Container) -> pb.SessionInput:
    return pb.SessionInput(
        start=pb.SessionStart(
            container=about,
            command=options.command,
            stdin=options.stdin,
            stdout=options.stdout,
            stderr=options.stderr,
            tty=options.tty,
        )
    )
