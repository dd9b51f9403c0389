"""The values of a query string, read as Kubernetes reads them. Pure."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import parse_qsl

from steersman.api import errors
from steersman.api.errors import BadRequest

MAX_FIELDS = 200
REMEMBERED = 1024
"""Clients ask with the same few query strings again and again."""


class Query:
    """Immutable. Of a value that is given several times the first counts, except where all are asked for."""

    __slots__ = ("_values",)

    def __init__(self, values: dict[str, list[str]]) -> None:
        self._values = values

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __bool__(self) -> bool:
        return bool(self._values)

    def text(self, name: str) -> str:
        values = self._values.get(name)
        return values[0] if values else ""

    def texts(self, name: str) -> list[str]:
        return self._values.get(name, [])

    def with_text(self, name: str, value: str) -> Query:
        return Query({**self._values, name: [value]})

    def integer(self, name: str) -> int | None:
        """BadRequest, in Go's words, for what is no 64-bit number; None for what is absent or empty."""
        text = self.text(name)
        if not text:
            return None
        digits = text[1:] if text[0] in "+-" else text
        if not (digits.isascii() and digits.isdigit()):
            raise BadRequest(f"strconv.ParseInt: parsing {errors.quoted(text)}: invalid syntax")
        number = int(text) if len(digits) < 20 else 2**63
        if not -(2**63) <= number < 2**63:
            raise BadRequest(f"strconv.ParseInt: parsing {errors.quoted(text)}: value out of range")
        return number

    def flag(self, name: str) -> bool | None:
        """Only `false` and `0` mean no; any other value, also an empty one, means yes. None when it is absent."""
        values = self._values.get(name)
        return None if values is None else values[0].lower() not in ("false", "0")


NOTHING = Query({})


def parse(text: str) -> Query:
    return _parse(text) if text else NOTHING


@lru_cache(maxsize=REMEMBERED)
def _parse(text: str) -> Query:
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise BadRequest(f"the query of the request cannot be read: {error}") from error
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return Query(values)
