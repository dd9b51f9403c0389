"""Regular expressions: what every dialect refuses is refused, what only some know is let through."""

from __future__ import annotations

import pytest

from apiserver.registry.validation import patterns


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "^a+$",
        r"\d{1,3}",
        "[a-z]*",
        "[]a]",
        "[^]a]",
        "(a|b)?",
        "(?:a)",
        "(?P<n>a)",
        r"\(",
        r"[\]]",
        "[[:alpha:]]",
        "a**",
        r"\pL",
    ],
)
def test_fine(pattern: str) -> None:
    assert patterns.complain(pattern) == ""


@pytest.mark.parametrize(
    ("pattern", "complaint"),
    [
        ("(a", "missing closing ): `(a`"),
        ("a)", "unexpected ): `a)`"),
        ("a[b", "missing closing ]: `[b`"),
        ("*a", "missing argument to repetition operator: `*`"),
        ("a|+", "missing argument to repetition operator: `+`"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?<!a)b", "invalid or unsupported Perl syntax: `(?<!`"),
        ("a\\", "trailing backslash at end of expression: ``"),
    ],
)
def test_wrong(pattern: str, complaint: str) -> None:
    assert patterns.complain(pattern) == f"error parsing regexp: {complaint}"
