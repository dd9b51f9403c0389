"""Regular expressions that users give: Go's dialect, Go's complaints, and no pattern that takes for ever."""

from __future__ import annotations

import pytest

from steersman.api import patterns
from steersman.api.patterns import BadPattern

FITTING = {
    "nothing": ("", ""),
    "anchored": ("^a+$", "aaa"),
    "digits": (r"^\d{1,3}$", "123"),
    "a bracket in a class": ("^[]a]+$", "]a"),
    "an alternative": ("^(a|b)?$", "b"),
    "a group by name, as in Python": ("^(?P<n>a)$", "a"),
    "a group by name, as in Perl": ("^(?<n>a)$", "a"),
    "one name twice": ("(?P<n>a)(?P<n>b)", "ab"),
    "a POSIX class": ("^[[:alpha:]]+$", "ab"),
    "a property": (r"^\pL+$", "aé"),
    "a script": (r"^\p{Greek}$", "α"),
    "the very end": (r"a\z", "ba"),
    "a quotation": (r"^\Qa.b\E$", "a.b"),
    "a quotation of what else is no escape": (r"^\Q\C\E$", r"\C"),
    "a code point": (r"^\x{1F600}$", "😀"),
    "flags": ("(?is)^A.B$", "a\nb"),
    "ungreedy": ("(?U)^a+$", "aa"),
    "a repeated anchor": ("^*a", "ba"),
    "one character, of several bytes": ("^.$", "é"),
    "half a surrogate pair": (r"^\?$", "\ud800"),
}
NOT_FITTING = {
    "not everywhere": ("^b", "ab"),
    "no newline": ("^a.b$", "a\nb"),
    "a line is not the text": ("^b$", "a\nb"),
    "the end is behind the newline": ("a$", "a\n"),
    "digits are ASCII": (r"\d", "٣"),
    "letters are ASCII": (r"^\w$", "é"),
    "no repetition without a beginning": ("^a{,2}$", "aa"),
}


@pytest.mark.parametrize(("pattern", "text"), FITTING.values(), ids=FITTING)
def test_fits(pattern: str, text: str) -> None:
    assert patterns.complain(pattern) == ""
    assert patterns.compiled(pattern).matches(text)


@pytest.mark.parametrize(("pattern", "text"), NOT_FITTING.values(), ids=NOT_FITTING)
def test_does_not_fit(pattern: str, text: str) -> None:
    assert not patterns.compiled(pattern).matches(text)


REFUSED = {
    "(a": "missing closing ): `(a`",
    "b(?:a": "missing closing ): `b(?:a`",
    "a)": "unexpected ): `a)`",
    "a[b": "missing closing ]: `[b`",
    "*a": "missing argument to repetition operator: `*`",
    "a|+": "missing argument to repetition operator: `+`",
    "a**": "invalid nested repetition operator: `**`",
    "a++": "invalid nested repetition operator: `++`",
    "a{1001}": "invalid repeat count: `{1001}`",
    "a{2,1}": "invalid repeat count: `{2,1}`",
    "[z-a]": "invalid character class range: `z-a`",
    r"\p{Nope}": r"invalid character class range: `\p{Nope}`",
    "(?=a)": "invalid or unsupported Perl syntax: `(?=`",
    "(?<!a)b": "invalid or unsupported Perl syntax: `(?<!`",
    "(?>a)": "invalid or unsupported Perl syntax: `(?>`",
    "(?#a)": "invalid or unsupported Perl syntax: `(?#`",
    "(?P<a b>c)": "invalid named capture: `(?P<a b>`",
    r"(a)\1": r"invalid escape sequence: `\1`",
    r"a\Z": r"invalid escape sequence: `\Z`",
    r"\u0041": r"invalid escape sequence: `\u`",
    r"\C": r"invalid escape sequence: `\C`",
    r"\\\C": r"invalid escape sequence: `\C`",
    "a\\": "trailing backslash at end of expression: ``",
}


@pytest.mark.parametrize(("pattern", "complaint"), REFUSED.items(), ids=REFUSED)
def test_refused_in_the_words_of_go(pattern: str, complaint: str) -> None:
    assert patterns.complain(pattern) == f"error parsing regexp: {complaint}"
    with pytest.raises(BadPattern):
        patterns.compiled(pattern)


@pytest.mark.parametrize("pattern", ["(a+)+$", "^(a|a)*$", "^(a?){40}a{40}$", "(.*)*x"])
def test_no_pattern_takes_for_ever(pattern: str) -> None:
    """A backtracking engine would not come back before the end of the world, or of the test."""
    assert not patterns.compiled(pattern).matches("a" * 40 + "b")


FOUND = {
    "nothing": ("x", "abc", []),
    "several": ("[0-9]+", "a1b22", ["1", "22"]),
    "umlauts": ("ä.", "äöäü", ["äö", "äü"]),
    "nothing right behind something": ("a*", "baac", ["", "aa", ""]),
}


@pytest.mark.parametrize(("pattern", "text", "found"), FOUND.values(), ids=FOUND)
def test_finds(pattern: str, text: str, found: list[str]) -> None:
    assert list(patterns.compiled(pattern).find_all(text)) == found
    assert patterns.compiled(pattern).find(text) == (found[0] if found else None)
