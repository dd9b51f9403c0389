"""Commands with what was seen of them on Kubernetes, one file each: `$ command`, exit code, both streams. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.kubectl.shell import Said

_FORM = re.compile(
    r"\$ (?P<command>.*?)\n--- exit (?P<code>\d+)\n--- stdout\n(?P<stdout>.*)--- stderr\n(?P<stderr>.*)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Recording:
    name: str
    command: str
    said: Said

    @property
    def number(self) -> int:
        return int(self.name.partition("-")[0])


def parse(name: str, text: str) -> Recording:
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"{name} is no recording: {text[:80]!r}")
    said = Said(int(found["code"]), found["stdout"], found["stderr"])
    return Recording(name, found["command"], said)


def read(folder: Path) -> list[Recording]:
    """All in a folder, in their order."""
    files = sorted(folder.glob("[0-9][0-9][0-9]-*.txt"))
    return [parse(file.stem, file.read_text()) for file in files]
