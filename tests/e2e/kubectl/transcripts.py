"""Sessions at a prompt, written down: commands and what a user is to see of them, masked.

    # A note.
    $ kubectl get configmap a -o name
    configmap/a
    $? kubectl get pod web --no-headers
    web  1/1  Running  0  AGE
    $ kubectl get configmap b
    ! Error from server (NotFound): configmaps "b" not found
    [1]

`$?` is asked again until it answers like this: somebody else has to act first. `>` continues a command, `!` is what
comes on the error stream, `[1]` an exit code other than 0. Blank lines at the end of an answer mean nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.kubectl import masking
from tests.e2e.kubectl.shell import Said

_EXIT = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Exchange:
    command: str
    answer: str
    is_awaited: bool = False


def parse(text: str) -> list[Exchange]:
    exchanges: list[Exchange] = []
    commands: list[str] = []
    answer: list[str] = []

    def close() -> None:
        if commands:
            first = commands[0]
            command = "\n".join([first.removeprefix("$?").removeprefix("$").strip(), *commands[1:]])
            exchanges.append(Exchange(command, "\n".join(answer).strip("\n"), first.startswith("$?")))

    for line in text.splitlines():
        if line.startswith(("$ ", "$? ")):
            close()
            commands, answer = [line], []
        elif line.startswith(("> ", ">")) and commands and not answer:
            commands.append(line[2:])
        elif commands and not line.startswith("# "):
            answer.append(line.rstrip())
    close()
    return exchanges


def read(file: Path) -> list[Exchange]:
    return parse(file.read_text())


def rewrite(file: Path, answers: list[str]) -> None:
    file.write_text(written(file.read_text(), answers))


def answer_of(said: Said) -> str:
    """What was said, as it stands in a transcript."""
    lines = masking.masked(said.stdout).splitlines()
    lines += [f"! {line}".rstrip() for line in masking.masked(said.stderr).splitlines()]
    if said.code:
        lines.append(f"[{said.code}]")
    return "\n".join(lines).strip("\n")


def written(text: str, answers: list[str]) -> str:
    """The same transcript with other answers."""
    remaining = iter(answers)
    lines: list[str] = []
    is_command = False
    for line in text.splitlines():
        starts = line.startswith(("$ ", "$? "))
        continues = is_command and line.startswith(">")
        if starts or continues or line.startswith("# "):
            if is_command and not continues:
                lines += _block(next(remaining))
            lines.append(line)
            is_command = starts or continues
        elif is_command:
            lines += _block(next(remaining))
            is_command = False
    if is_command:
        lines += _block(next(remaining))
    return "\n".join(lines).rstrip("\n") + "\n"


def _block(answer: str) -> list[str]:
    return [*answer.splitlines(), ""]
