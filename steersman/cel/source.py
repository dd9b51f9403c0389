"""The text of an expression, places in it, and how complaints about it are shown.

Offsets count characters; lines count from one, columns from zero (shown from one). Pure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MAX_SHOWN_ISSUES: Final = 100
NOWHERE: Final = -1


@dataclass(frozen=True, slots=True)
class Issue:
    """One complaint, and the offset it is about (or NOWHERE)."""

    message: str
    at: int = NOWHERE


class CompilationError(Exception):
    """The expression is not one, or does not fit its environment."""

    def __init__(self, text: str, issues: Iterable[Issue]) -> None:
        self.text = text
        self.issues = tuple(issues)
        super().__init__(shown(text, self.issues))


def shown(text: str, issues: Iterable[Issue]) -> str:
    """All complaints in the order of their places, each with its line and a mark below the column."""
    starts = _line_starts(text)
    listed = list(issues)
    kept = sorted(listed[:MAX_SHOWN_ISSUES], key=lambda issue: issue.at)
    lines = [_shown_issue(text, starts, issue) for issue in kept]
    if len(listed) > MAX_SHOWN_ISSUES:
        lines.append(f"{len(listed) - MAX_SHOWN_ISSUES} more errors were truncated")
    return "\n".join(lines)


def _line_starts(text: str) -> list[int]:
    return [0, *(index + 1 for index, character in enumerate(text) if character == "\n")]


def _shown_issue(text: str, starts: list[int], issue: Issue) -> str:
    if issue.at == NOWHERE:
        return f"ERROR: <input>:-1:0: {issue.message}"
    line = bisect_right(starts, issue.at)
    column = issue.at - starts[line - 1]
    end = starts[line] - 1 if line < len(starts) else len(text)
    snippet = text[starts[line - 1] : end].replace("\t", " ")
    dots = "".join(_wide(character, ".", "．") for character in snippet[:column])  # cel-go's own
    mark = _wide(snippet[column : column + 1], "^", "＾")
    return f"ERROR: <input>:{line}:{column + 1}: {issue.message}\n | {snippet}\n | {dots}{mark}"


def _wide(character: str, narrow: str, wide: str) -> str:
    return wide if len(character.encode(errors="replace")) > 1 else narrow
