"""Kubernetes' functions on quantities, semantic versions and named formats; and the escape of JSON patch's paths."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import ClassVar, Final

from steersman.api import names
from steersman.api import quantity as amounts
from steersman.cel.environment import Library
from steersman.cel.library import network, timekeeping
from steersman.cel.values import INT_BOUND, EvaluationError, Optional

QUANTITIES: Final = Library()
JSON_PATCH: Final = Library()

_QUANTITY: Final = "kubernetes.Quantity"
_SEMVER: Final = "kubernetes.Semver"
_NUMBER: Final = r"(?:0|[1-9]\d*)"
_VERSION: Final = re.compile(
    rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?:-((?:{_NUMBER}|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
    rf"(?:\.(?:{_NUMBER}|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    type_name: ClassVar[str] = _QUANTITY
    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and amounts.compare(self.text, other.text) == 0

    def __hash__(self) -> int:
        return hash(amounts.value(self.text))


@QUANTITIES.function("quantity", f"string -> {_QUANTITY}")
def quantity(text: str) -> Quantity:
    try:
        return Quantity(amounts.canonical(text))
    except ValueError as error:
        raise EvaluationError(str(error)) from None


@QUANTITIES.function("isQuantity", "string -> bool")
def is_quantity(text: str) -> bool:
    try:
        return bool(quantity(text))
    except EvaluationError:
        return False


@QUANTITIES.function("sign", f"{_QUANTITY} -> int")
def sign(given: Quantity) -> int:
    number = amounts.value(given.text)
    return (number > 0) - (number < 0)


@QUANTITIES.member("isGreaterThan", f"{_QUANTITY}, {_QUANTITY} -> bool")
def is_greater(left: Quantity, right: Quantity) -> bool:
    return amounts.compare(left.text, right.text) > 0


@QUANTITIES.member("isLessThan", f"{_QUANTITY}, {_QUANTITY} -> bool")
def is_less(left: Quantity, right: Quantity) -> bool:
    return amounts.compare(left.text, right.text) < 0


@QUANTITIES.member("compareTo", f"{_QUANTITY}, {_QUANTITY} -> int")
def compare(left: Quantity, right: Quantity) -> int:
    return amounts.compare(left.text, right.text)


@QUANTITIES.member("asApproximateFloat", f"{_QUANTITY} -> double")
def as_float(given: Quantity) -> float:
    return float(amounts.value(given.text))


@QUANTITIES.member("asInteger", f"{_QUANTITY} -> int")
def as_integer(given: Quantity) -> int:
    if not is_integer(given):
        raise EvaluationError("cannot convert value to integer")
    return int(amounts.value(given.text))


@QUANTITIES.member("isInteger", f"{_QUANTITY} -> bool")
def is_integer(given: Quantity) -> bool:
    number: Fraction = amounts.value(given.text)
    return number.denominator == 1 and -INT_BOUND <= number < INT_BOUND


@QUANTITIES.member("add", f"{_QUANTITY}, {_QUANTITY} -> {_QUANTITY}", f"{_QUANTITY}, int -> {_QUANTITY}")
def add(left: Quantity, right: Quantity | int) -> Quantity:
    return Quantity(amounts.add(left.text, right.text if isinstance(right, Quantity) else str(right)))


@QUANTITIES.member("sub", f"{_QUANTITY}, {_QUANTITY} -> {_QUANTITY}", f"{_QUANTITY}, int -> {_QUANTITY}")
def subtract(left: Quantity, right: Quantity | int) -> Quantity:
    return Quantity(amounts.subtract(left.text, right.text if isinstance(right, Quantity) else str(right)))


# --- Versions


@dataclass(frozen=True, slots=True)
class Semver:
    type_name: ClassVar[str] = _SEMVER
    numbers: tuple[int, int, int]
    before: tuple[tuple[int, int, str], ...] = ()
    """The pre-release's parts, numbers first, each comparable with any other."""

    def key(self) -> tuple[tuple[int, int, int], bool, tuple[tuple[int, int, str], ...]]:
        return self.numbers, not self.before, self.before


@QUANTITIES.function("semver", f"string -> {_SEMVER}", f"string, bool -> {_SEMVER}")
def semver(text: str, normalize: bool = False) -> Semver:  # noqa: FBT001, FBT002  # a value of CEL
    match = _VERSION.fullmatch(_normalized(text) if normalize else text)
    if match is None or len(text) > 512:
        raise EvaluationError(f"invalid semantic version: {text}")
    before = tuple(
        (0, int(part), "") if part.isdigit() else (1, 0, part) for part in (match[4] or "").split(".") if part
    )
    return Semver((int(match[1]), int(match[2]), int(match[3])), before)


def _normalized(text: str) -> str:
    """Without a `v` and leading zeros, and with all three numbers."""
    parts = text.removeprefix("v").split(".", 2)
    parts = [re.sub(r"^0+(?=\d)", "", part) for part in parts]
    if len(parts) < 3 and re.search("[+-]", parts[-1]):
        raise EvaluationError("short version cannot contain PreRelease/Build meta data")
    return ".".join([*parts, *["0"] * (3 - len(parts))])


@QUANTITIES.function("isSemver", "string -> bool", "string, bool -> bool")
def is_semver(text: str, normalize: bool = False) -> bool:  # noqa: FBT001, FBT002
    try:
        return bool(semver(text, normalize))
    except EvaluationError:
        return False


@QUANTITIES.member("isGreaterThan", f"{_SEMVER}, {_SEMVER} -> bool")
def is_later(left: Semver, right: Semver) -> bool:
    return left.key() > right.key()


@QUANTITIES.member("isLessThan", f"{_SEMVER}, {_SEMVER} -> bool")
def is_earlier(left: Semver, right: Semver) -> bool:
    return left.key() < right.key()


@QUANTITIES.member("compareTo", f"{_SEMVER}, {_SEMVER} -> int")
def compare_versions(left: Semver, right: Semver) -> int:
    return (left.key() > right.key()) - (left.key() < right.key())


for _place, _part in enumerate(("major", "minor", "patch")):
    QUANTITIES.member(_part, f"{_SEMVER} -> int")(lambda given, place=_place: given.numbers[place])


# --- Formats


@dataclass(frozen=True, slots=True)
class NamedFormat:
    type_name: ClassVar[str] = "kubernetes.NamedFormat"
    name: str
    complain: Callable[[str], list[str]]


def _checked(check: Callable[[str], object], complaint: str) -> Callable[[str], list[str]]:
    def complain(text: str) -> list[str]:
        try:
            return [] if check(text) else [complaint]
        except (ValueError, EvaluationError):
            return [complaint]

    return complain


def _without_dash(text: str) -> str:
    """A prefix may end with a dash, as something follows."""
    return f"{text[:-1]}a" if len(text) > 1 and text.endswith("-") else text


def _is_base64(text: str) -> bool:
    try:
        return bool(base64.b64decode(text, validate=True))
    except binascii.Error:
        return False


_FORMATS: Final = {
    each.name: each
    for each in (
        NamedFormat("dns1123Label", names.dns_label),
        NamedFormat("dns1123Subdomain", names.dns_subdomain),
        NamedFormat("dns1035Label", names.dns_1035_label),
        NamedFormat("qualifiedName", names.qualified_name),
        NamedFormat("dns1123LabelPrefix", lambda text: names.dns_label(_without_dash(text))),
        NamedFormat("dns1123SubdomainPrefix", lambda text: names.dns_subdomain(_without_dash(text))),
        NamedFormat("dns1035LabelPrefix", lambda text: names.dns_1035_label(_without_dash(text))),
        NamedFormat("labelValue", names.label_value),
        NamedFormat("uri", lambda text: [] if network.is_url(text) else [f'parse "{text}": invalid URI for request']),
        NamedFormat(
            "uuid",
            _checked(
                re.compile("(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}").fullmatch,
                "does not match the UUID format",
            ),
        ),
        NamedFormat("byte", _checked(_is_base64, "invalid base64")),
        NamedFormat("date", _checked(date.fromisoformat, "invalid date")),
        NamedFormat("datetime", _checked(timekeeping.parse_timestamp, "invalid datetime")),
    )
}

for _format in _FORMATS.values():
    QUANTITIES.function(f"format.{_format.name}", "-> kubernetes.NamedFormat")(lambda given=_format: given)


@QUANTITIES.function("format.named", "string -> optional_type(kubernetes.NamedFormat)")
def named_format(name: str) -> Optional:
    return Optional(_FORMATS[name], present=True) if name in _FORMATS else Optional()


@QUANTITIES.member("validate", "kubernetes.NamedFormat, string -> optional_type(list(string))")
def validate(given: NamedFormat, text: str) -> Optional:
    complaints = given.complain(text)
    return Optional(complaints, present=True) if complaints else Optional()


@JSON_PATCH.function("jsonpatch.escapeKey", "string -> string")
def escape_key(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
