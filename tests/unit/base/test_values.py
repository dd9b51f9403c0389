from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from steersman.base import values
from steersman.base.log import Level
from steersman.base.values import Address, Duration, parse_address, parse_duration


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:6443", Address("127.0.0.1", 6443)),
        ("node-1.example:0", Address("node-1.example", 0)),
        ("[::1]:6443", Address("::1", 6443)),
    ],
)
def test_addresses_are_read_and_written_alike(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert str(address) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "6443",
        ":6443",
        "localhost",
        "localhost:",
        "localhost:http",
        "::1:6443",
        "h:65536",
        "http://h:80",
        "h:٤",
        "h: 1",
    ],
)
def test_other_addresses_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not host:port|above 65535"):
        parse_address(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0), ("5s", 5), ("300ms", 0.3), ("1m30s", 90), ("1.5h", 5400), ("1h1m1s1ms", 3661.001), ("250us", 0.00025)],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "5", "s", "-5s", "5 s", "5sec", "1e3s", ".5s", "5S"])
def test_other_durations_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["0s", "1ms", "250ms", "1s", "59.5s", "1m", "1m30s", "1h", "26h15m7.25s"])
def test_a_duration_is_written_as_it_is_read(text: str) -> None:
    assert values.format_duration(parse_duration(text)) == text


@pytest.mark.parametrize(
    ("hint", "text", "value"),
    [
        (str, "a, b", "a, b"),
        (int, "-3", -3),
        (float, "0.25", 0.25),
        (bool, "Yes", True),
        (bool, "0", False),
        (Path, "/var/lib/steersman", Path("/var/lib/steersman")),
        (Path | None, "here", Path("here")),
        (Address, "h:1", Address("h", 1)),
        (Duration, "2s", 2.0),
        (tuple[str, ...], "a, b,,c,", ("a", "b", "c")),
        (Level, "debug", Level.DEBUG),
    ],
    ids=str,
)
def test_every_type_of_setting(hint: Any, text: str, value: object) -> None:
    assert values.type_of(hint).parse(text) == value


@pytest.mark.parametrize(
    ("hint", "text", "complaint"),
    [
        (int, "2.5", "'2.5' is not a whole number"),
        (float, "fast", "'fast' is not a number"),
        (bool, "maybe", "'maybe' is not true or false"),
        (Level, "loud", "'loud' is not one of debug, info, warning, error"),
    ],
)
def test_a_bad_value_says_what_was_expected(hint: Any, text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        values.type_of(hint).parse(text)


@pytest.mark.parametrize("hint", [dict[str, str], int | str, list[int], object], ids=str)
def test_a_type_that_no_flag_can_hold_is_our_mistake(hint: Any) -> None:
    with pytest.raises(TypeError, match="a setting cannot be of type"):
        values.type_of(hint)
