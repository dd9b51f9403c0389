"""The components' logs: one file each, JSON by line, appended over restarts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from steersman.cli.local.ledger import Part

KEEP_BYTES = 16_000_000
_DECODER = msgspec.json.Decoder(dict[str, Any])


def turn_over(file: Path) -> int:
    """Begin anew when the log has grown large, keeping the old one beside it. Where the next start begins to write."""
    file.parent.mkdir(parents=True, exist_ok=True)
    size = file.stat().st_size if file.exists() else 0
    if size <= KEEP_BYTES:
        return size
    os.replace(file, file.with_suffix(".log.old"))
    return 0


def lines(part: Part) -> Iterator[dict[str, Any]]:
    """What this start of the component has said so far; what is no JSON, such as a traceback, is passed over."""
    try:
        with Path(part.log).open("rb") as file:
            file.seek(part.log_offset)
            text = file.read()
    except FileNotFoundError:
        return
    for line in text.splitlines(keepends=True):
        if line.endswith(b"\n") and (said := parsed(line)) is not None:
            yield said


def parsed(line: bytes) -> dict[str, Any] | None:
    try:
        return _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def first(part: Part, event: str) -> dict[str, Any] | None:
    return next((said for said in lines(part) if said.get("event") == event), None)


def tail(text: bytes, count: int) -> Sequence[bytes]:
    return text.splitlines(keepends=True)[-count:]
