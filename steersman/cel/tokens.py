"""Text to tokens: the longest match wins; what matches nothing is complained of and skipped. Pure.

Token kinds are named as CEL's grammar shows them to users in "expecting …", and ordered as it orders them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from steersman.cel.source import Issue

EOF: Final = "<EOF>"
NUM_FLOAT: Final = "NUM_FLOAT"
NUM_INT: Final = "NUM_INT"
NUM_UINT: Final = "NUM_UINT"
STRING: Final = "STRING"
BYTES: Final = "BYTES"
IDENTIFIER: Final = "IDENTIFIER"
ESC_IDENTIFIER: Final = "ESC_IDENTIFIER"

_PUNCTUATION: Final = (
    "== != in < <= >= > && || [ ] { } ( ) . , - ! ? : + * / % true false null".split()  # noqa: SIM905  # a table reads better
)
_WORDS: Final = frozenset({"in", "true", "false", "null"})
ORDER: Final = {
    kind: rank
    for rank, kind in enumerate(
        (EOF, *_PUNCTUATION, NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER, ESC_IDENTIFIER)
    )
}

_ESCAPE: Final = r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
_UNFINISHED_ESCAPE: Final = r"\\(?:[0-3][0-7]?|[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?"
_QUOTED: Final = "|".join(
    (
        rf'"""(?:{_ESCAPE}|[^\\])*?"""',
        rf"'''(?:{_ESCAPE}|[^\\])*?'''",
        rf'"(?:{_ESCAPE}|[^\\"\n\r])*"',
        rf"'(?:{_ESCAPE}|[^\\'\n\r])*'",
        r'[rR]"""(?s:.*?)"""',
        r"[rR]'''(?s:.*?)'''",
        r'[rR]"[^"\n\r]*"',
        r"[rR]'[^'\n\r]*'",
    )
)
_TOKEN: Final = re.compile(
    "|".join(
        (
            r"(?P<HIDDEN>[\t \r\n\f]+|//[^\n]*)",
            rf"(?P<BYTES>[bB](?:{_QUOTED}))",
            rf"(?P<STRING>{_QUOTED})",
            r"(?P<NUM_FLOAT>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)",
            r"(?P<NUM_UINT>(?:0x[0-9a-fA-F]+|[0-9]+)[uU])",
            r"(?P<NUM_INT>0x[0-9a-fA-F]+|[0-9]+)",
            r"(?P<IDENTIFIER>[A-Za-z_][A-Za-z0-9_]*)",
            r"(?P<ESC_IDENTIFIER>`[A-Za-z0-9_.\-/ ]+`)",
            r"(?P<PUNCTUATION>==|!=|<=|>=|&&|\|\||[<>\[\]{}().,\-!?:+*/%])",
        )
    )
)
_BEGUN: Final = re.compile(
    "|".join(
        (
            rf'"(?:{_ESCAPE}|[^\\"\n\r])*(?:{_UNFINISHED_ESCAPE})?',
            rf"'(?:{_ESCAPE}|[^\\'\n\r])*(?:{_UNFINISHED_ESCAPE})?",
            r"`[A-Za-z0-9_.\-/ ]*",
            r"[&|=]",
        )
    )
)


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    at: int

    @property
    def end(self) -> int:
        return self.at + (0 if self.kind == EOF else len(self.text))


def tokenize(text: str) -> tuple[list[Token], list[Issue]]:
    """The tokens, the last of them EOF, and complaints about what is none."""
    tokens: list[Token] = []
    issues: list[Issue] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            end = _end_of_failure(text, at)
            issues.append(Issue(f"Syntax error: token recognition error at: {quoted(text[at:end])}", at))
            at = end
            continue
        if match.lastgroup != "HIDDEN":
            tokens.append(Token(_kind(match), match.group(), at))
        at = match.end()
    tokens.append(Token(EOF, EOF, len(text)))
    return tokens, issues


def quoted(text: str) -> str:
    escaped = text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f"'{escaped}'"


def listed(kinds: frozenset[str]) -> str:
    """A set of kinds as users read it after "expecting"."""
    names = [kind if kind == EOF or kind.isupper() else f"'{kind}'" for kind in sorted(kinds, key=ORDER.__getitem__)]
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"


def _kind(match: re.Match[str]) -> str:
    group = str(match.lastgroup)
    return match.group() if group == "PUNCTUATION" or match.group() in _WORDS else group


def _end_of_failure(text: str, at: int) -> int:
    """Behind the character at which no token could go on any more."""
    begun = _BEGUN.match(text, at)
    return min((begun.end() if begun else at) + 1, len(text))
