"""CEL's syntax: what is written comes back, and mistakes are told in the words and at the places that users know."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from steersman.cel import parser, printing
from steersman.cel.source import CompilationError

BEGIN = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)
OR_CLOSED = BEGIN.replace("'{', '('", "'{', '}', '('").replace("'.', '-'", "'.', ',', '-'").replace("'!',", "'!', '?',")
FIELD = "{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"
UNKNOWN = "Syntax error: token recognition error at:"

MISTAKES = {
    "": [(1, 1, f"Syntax error: mismatched input '<EOF>' expecting {BEGIN}")],
    "1 + $": [(1, 5, f"{UNKNOWN} '$'"), (1, 6, f"Syntax error: mismatched input '<EOF>' expecting {BEGIN}")],
    "1 + +": [
        (1, 5, f"Syntax error: mismatched input '+' expecting {BEGIN}"),
        (1, 6, f"Syntax error: mismatched input '<EOF>' expecting {BEGIN}"),
    ],
    "1 + 2\n3 +": [(2, 1, "Syntax error: mismatched input '3' expecting <EOF>")],
    "a b": [(1, 3, "Syntax error: extraneous input 'b' expecting <EOF>")],
    "a | b": [(1, 3, f"{UNKNOWN} '| '"), (1, 5, "Syntax error: extraneous input 'b' expecting <EOF>")],
    "*@a | b": [
        (1, 1, f"Syntax error: extraneous input '*' expecting {BEGIN}"),
        (1, 2, f"{UNKNOWN} '@'"),
        (1, 5, f"{UNKNOWN} '| '"),
        (1, 7, "Syntax error: extraneous input 'b' expecting <EOF>"),
    ],
    "(1 + 2": [(1, 7, "Syntax error: missing ')' at '<EOF>'")],
    "[1, 2": [(1, 6, "Syntax error: missing ']' at '<EOF>'")],
    "f(a,)": [(1, 5, f"Syntax error: mismatched input ')' expecting {BEGIN}")],
    "{": [(1, 2, f"Syntax error: mismatched input '<EOF>' expecting {OR_CLOSED}")],
    "{a}": [(1, 3, "Syntax error: mismatched input '}' expecting ':'")],
    "{:a}": [
        (1, 2, f"Syntax error: extraneous input ':' expecting {OR_CLOSED}"),
        (1, 4, "Syntax error: mismatched input '}' expecting ':'"),
    ],
    "f{{a}}": [
        (1, 3, f"Syntax error: extraneous input '{{' expecting {FIELD}"),
        (1, 5, "Syntax error: mismatched input '}' expecting ':'"),
        (1, 6, "Syntax error: extraneous input '}' expecting <EOF>"),
    ],
    "--": [
        (1, 3, "Syntax error: no viable alternative at input '-'"),
        (1, 3, f"Syntax error: mismatched input '<EOF>' expecting {BEGIN}"),
    ],
    '{"a": 1}."a"': [(1, 10, "Syntax error: no viable alternative at input '.\"a\"'")],
    "a.true": [(1, 3, "Syntax error: mismatched input 'true' expecting IDENTIFIER")],
    "F(){}": [(1, 4, "Syntax error: mismatched input '{' expecting <EOF>")],
    r'"\xFh"': [
        (1, 1, rf"""{UNKNOWN} '"\xFh'"""),
        (1, 6, f"{UNKNOWN} '\"'"),
        (1, 7, f"Syntax error: mismatched input '<EOF>' expecting {BEGIN}"),
    ],
    "while": [(1, 1, "reserved identifier: while")],
    "[1].map(var, var)": [
        (1, 9, "reserved identifier: var"),
        (1, 9, "argument is not an identifier"),
        (1, 14, "reserved identifier: var"),
    ],
    "0xFFFFFFFFFFFFFFFFF": [(1, 1, "invalid int literal")],
    "18446744073709551616u": [(1, 1, "invalid uint literal")],
    "1.99e90000009": [(1, 1, "invalid double literal")],
    "has(m)": [(1, 5, "invalid argument to has() macro")],
    "1.all(2, 3)": [(1, 7, "argument must be a simple name")],
    "m.filter(a.b, false)": [(1, 11, "argument is not an identifier")],
    "m.map(__result__, 1)": [(1, 7, "iteration variable overwrites accumulator variable")],
    "m.all(a, a, true)": [(1, 10, "duplicate variable name: a")],
    "a.`b`": [(1, 3, "unsupported syntax: '`'")],
}


@pytest.mark.parametrize("text", MISTAKES, ids=repr)
def test_mistakes(text: str) -> None:
    with pytest.raises(CompilationError) as caught:
        parser.parse(text)
    expected = [f"ERROR: <input>:{line}:{column}: {message}" for line, column, message in MISTAKES[text]]
    assert [line for line in str(caught.value).split("\n") if line.startswith("ERROR")] == expected


def test_a_complaint_shows_the_line_and_a_mark() -> None:
    with pytest.raises(CompilationError) as caught:
        parser.parse("true\n\t&& in.😁")
    assert str(caught.value).split("\n")[:6] == [
        f"ERROR: <input>:2:5: Syntax error: extraneous input 'in' expecting {BEGIN}",
        " |  && in.😁",
        " | ....^",
        f"ERROR: <input>:2:8: {UNKNOWN} '😁'",
        " |  && in.😁",
        " | .......＾",  # as wide as what it marks
    ]


SAME = [
    "a.b.c[0] + 1 * -x % 3 - 2 / 5u",
    "!a && (b || c) && d in [1, ?e, 2.5e3]",
    "a ? b : c ? d : e",
    "(a ? b : c) ? d : e",
    "{'a': 1, ?'b': x.?y[?0]}",
    "Object{spec: Object.spec{?replicas: 3, a: -(-1)}}",
    ".a.b == null || .f(true)",
    "x.exists_one(y, has(y.z) && y.all(i, v, i < v))",
    "m.transformMapEntry(k, v, v > 1, {v: k}).size() > 0",
    "a.optMap(b, b + 1).orValue(0) == 1",
    "l.sortBy(e, -e.age).map(e, e.ok, e.name).filter(n, n != '')",
    r"'\n\t\"\\' + b'\x00\377' + r'\d+' == '''a'b'''",
    "-5 - -5 + - 5",
    "--1 == 1 && !!true",
    "a - (b - c) - (d + e)",
    "1 // and a remark",
]


@pytest.mark.parametrize("text", SAME)
def test_what_is_printed_means_the_same(text: str) -> None:
    parsed = parser.parse(text)
    again = parser.parse(printing.printed(parsed))
    assert again.expression == parsed.expression
    assert printing.printed(again) == printing.printed(parsed)


PIECES = some.sampled_from(
    [
        *(
            "a",
            "b.c",
            "1",
            "2u",
            "1.5",
            "'x'",
            "b'y'",
            "null",
            "true",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ".",
            ",",
            "?",
            ":",
        ),
        *(
            "!",
            "-",
            "+",
            "*",
            "==",
            "<",
            "in",
            "&&",
            "||",
            "has(",
            ".map(",
            ".all(x,",
            "f(",
            "'",
            '"""',
            "\\",
            "@",
            "\n",
        ),
        *(" ", "é"),
    ]
)


def refusal(text: str) -> str:
    """What is complained of; nothing if nothing is."""
    try:
        parser.parse(text)
    except CompilationError as error:
        return str(error)
    return ""


@given(some.lists(PIECES, max_size=25).map("".join))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    complaint = refusal(text)
    assert not complaint or complaint.startswith("ERROR: <input>:")
    if not complaint:
        parsed = parser.parse(text)
        assert parser.parse(printing.printed(parsed)).expression == parsed.expression


@pytest.mark.parametrize(
    ("text", "limit"),
    [("(" * 60 + "1" + ")" * 60, 50), ("a" + ".b" * 300, 150), ("[" * 5000, 50), ("1" + "+1" * 400, 150)],
    ids=["parentheses", "fields", "brackets", "sums"],
)
def test_deep_expressions_are_refused(text: str, limit: int) -> None:
    assert refusal(text) == f"ERROR: <input>:-1:0: expression recursion limit exceeded: {limit}"


def test_long_chains_are_flat() -> None:
    parser.parse(" && ".join(["a"] * 2000))


def test_endless_text_is_refused() -> None:
    with pytest.raises(CompilationError, match="expression code point size exceeds limit: size: 100001, limit 100000"):
        parser.parse("a" * 100_001)
