"""A document as a script: its command blocks in order, and what it says that they print.

A block of `sh` is run; a block of `text` right below it is what it prints. Names, ages, addresses and the states that a
pod passes through differ from run to run, so a printed line is compared by the shape of its first words, and lines may
come in any order and among others. A block of `text one-run` shows what happened once, and is not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARED_WORDS = 4
SOME = "#"

_FENCE = re.compile(r"^```(.*)$")
_RANDOM_NAME = re.compile(r"\S*-[bcdfghjklmnpqrstvwxz2456789]{5,10}\b\S*")
_STATES = ("Running", "Pending", "ContainerCreating", "Completed", "Error", "Terminating")
_TROUBLES = ("ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff")
_STATE = re.compile(rf"\b({'|'.join((*_STATES, *_TROUBLES))})\b")
_READS = re.compile(r"(kubectl|steer|\S+/steer) (get|events|logs|describe)\b")


@dataclass(frozen=True, slots=True)
class Block:
    """`shown` empty: the document does not say what is printed. `line`: where it begins."""

    line: int
    commands: str
    shown: str = ""

    @property
    def reads(self) -> str:
        """Those of its commands that change nothing, and may be repeated."""
        return "\n".join(line for line in self.commands.splitlines() if _READS.match(line))


def blocks(document: Path) -> list[Block]:
    found: list[Block] = []
    for line, language, content, is_below in _fenced(document.read_text()):
        if language == "sh":
            found.append(Block(line, content))
        elif language == "text" and is_below and found:
            found[-1] = Block(found[-1].line, found[-1].commands, content)
    return found


def _fenced(text: str) -> Iterator[tuple[int, str, str, bool]]:
    """Line, language, content, and whether nothing but empty lines lies between it and the one before."""
    language: str | None = None
    begin, content, is_below = 0, list[str](), False
    for number, line in enumerate(text.splitlines(), 1):
        fence = _FENCE.match(line)
        if language is not None and fence is None:
            content.append(line)
        elif language is not None:
            yield begin, language, "\n".join(content), is_below
            language, is_below = None, True
        elif fence is not None:
            language, begin, content = fence[1].strip(), number, []
        elif line.strip():
            is_below = False


def shape(line: str) -> tuple[str, ...]:
    """The first words of a line, without what differs from run to run."""
    masked = _STATE.sub("STATE", _RANDOM_NAME.sub(SOME, line))
    words = [SOME if any(letter.isdigit() for letter in word) else word for word in masked.split()]
    return tuple(words[:COMPARED_WORDS])


def missing(block: Block, output: str) -> list[str]:
    """The lines that the document shows and the output has not."""
    seen = {shape(line) for line in output.splitlines()}
    return [line for line in block.shown.splitlines() if line.strip() and shape(line) not in seen]
