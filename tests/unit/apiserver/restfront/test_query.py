"""Values of a query string, in Go's reading."""

from __future__ import annotations

import pytest

from apiserver.restfront import query
from steersman.api.errors import BadRequest


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("", None),
        ("watch", True),
        ("watch=", True),
        ("watch=true", True),
        ("watch=1", True),
        ("watch=yes", True),
        ("watch=0", False),
        ("watch=false", False),
        ("watch=False", False),
        ("watch=0&watch=1", False),
    ],
)
def test_flags(text: str, flag: bool | None) -> None:
    assert query.parse(text).flag("watch") is flag


@pytest.mark.parametrize(("text", "number"), [("", None), ("limit=", None), ("limit=5", 5), ("limit=-3", -3)])
def test_integers(text: str, number: int | None) -> None:
    assert query.parse(text).integer("limit") == number


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("limit=ten", 'strconv.ParseInt: parsing "ten": invalid syntax'),
        ("limit=1.5", 'strconv.ParseInt: parsing "1.5": invalid syntax'),
        ("limit=9223372036854775808", 'strconv.ParseInt: parsing "9223372036854775808": value out of range'),
        ("limit=" + "9" * 5000, f'strconv.ParseInt: parsing "{"9" * 5000}": value out of range'),
    ],
    ids=["text", "fraction", "too large", "far too large"],
)
def test_what_is_no_integer(text: str, message: str) -> None:
    with pytest.raises(BadRequest) as refused:
        query.parse(text).integer("limit")
    assert refused.value.message == message


def test_texts() -> None:
    asked = query.parse("labelSelector=a%3Db%2Cc&dryRun=All&dryRun=None&empty=")
    assert asked.text("labelSelector") == "a=b,c"
    assert asked.texts("dryRun") == ["All", "None"]
    assert asked.text("absent") == ""
    assert "empty" in asked
    assert "absent" not in asked


def test_no_more_fields_than_anybody_needs() -> None:
    with pytest.raises(BadRequest, match="cannot be read"):
        query.parse("&".join(f"a{number}=1" for number in range(1000)))
