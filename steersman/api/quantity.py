"""Amounts with suffixes: "500m", "1Gi", "12e6". Exact, and written the way Kubernetes writes them.

A quantity remembers the family of its suffix and keeps it: binary (Ki, Mi, …), decimal (m, k, M, …) or a decimal
exponent. Nothing is ever a floating point number. What is finer than a billionth is rounded away from zero.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

from steersman.api.part import Quantity

_PATTERN = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$"
WRONG_FORMAT = f"quantities must match the regular expression '{_PATTERN}'"
WRONG_NUMBER = "unable to parse numeric part of quantity"
WRONG_SUFFIX = "unable to parse quantity's suffix"

_SHAPE = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX = {exponent: suffix for suffix, exponent in _BINARY.items()} | {0: ""}

_NANO = 10**9
_LARGEST_BINARY = 2**63 - 1
_MOST_DIGITS = 1000  # beyond this a "number" is an attack on the parser
_LARGEST_EXPONENT = 300  # likewise: 1e999999999 would be a gigabyte of zeros


class Family(StrEnum):
    BINARY = "BinarySI"
    DECIMAL = "DecimalSI"
    EXPONENT = "DecimalExponent"


@dataclass(frozen=True, slots=True)
class Amount:
    value: Fraction
    family: Family


@dataclass(frozen=True, slots=True)
class _Parsed:
    """The pieces of a well-formed quantity; `digits` and `decimals` without sign and leading zeros."""

    negative: bool
    digits: str
    decimals: str
    exponent: int
    family: Family


@lru_cache(maxsize=4096)
def canonical(text: str | int | float) -> Quantity:
    """As Kubernetes writes it; ValueError in its words when it is no quantity."""
    written = str(text)
    parsed = _parse(written)
    if _stands_as_written(parsed):
        return Quantity(written)
    return render(_amount(parsed))


@lru_cache(maxsize=4096)
def parse(text: str | int | float) -> Amount:
    return _amount(_parse(str(text)))


def value(quantity: str) -> Fraction:
    return parse(quantity).value


def compare(left: str, right: str) -> int:
    """Negative, zero or positive, like the difference."""
    ours, theirs = value(left), value(right)
    return (ours > theirs) - (ours < theirs)


def add(left: str, right: str) -> Quantity:
    """The sum, in the family of `left` unless that is zero."""
    return _combine(left, right, sign=1)


def subtract(left: str, right: str) -> Quantity:
    return _combine(left, right, sign=-1)


def units(quantity: str) -> int:
    """The whole units, rounded up (away from zero): bytes, cores, pods."""
    return _round_up(value(quantity))


def milli(quantity: str) -> int:
    """The thousandths, rounded up (away from zero): what CPU is counted in."""
    return _round_up(value(quantity) * 1000)


def render(amount: Amount) -> Quantity:
    """The canonical text: no fraction, and the largest suffix that loses nothing."""
    number, family = amount.value, amount.family
    if number == 0:
        return Quantity("0")
    if family is Family.BINARY and abs(number) >= 1024 and number.denominator == 1:
        return _render_binary(number.numerator)
    return _render_decimal(number, family)


def _combine(left: str, right: str, *, sign: int) -> Quantity:
    ours, theirs = parse(left), parse(right)
    family = ours.family if ours.value else theirs.family
    return render(Amount(ours.value + sign * theirs.value, family))


def _round_up(number: Fraction) -> int:
    rounded = -(-abs(number.numerator) // number.denominator)
    return -rounded if number < 0 else rounded


def _parse(text: str) -> _Parsed:
    match = _SHAPE.fullmatch(text)
    if not text or match is None:
        raise ValueError(WRONG_FORMAT)
    sign, digits, decimals, suffix = match[1], match[2], match[3] or "", match[4]
    if suffix in _DECIMAL:
        exponent, family = _DECIMAL[suffix], Family.DECIMAL
    elif suffix in _BINARY:
        exponent, family = _BINARY[suffix], Family.BINARY
    else:
        exponent, family = _exponent(suffix), Family.EXPONENT
    if len(digits) + len(decimals) > _MOST_DIGITS or (not digits and not decimals and suffix):
        raise ValueError(WRONG_NUMBER)
    return _Parsed(sign == "-", digits.lstrip("0") or "0", decimals, exponent, family)


def _exponent(suffix: str) -> int:
    if not re.fullmatch(r"[eE][-+]?[0-9]{1,9}", suffix):
        raise ValueError(WRONG_SUFFIX)
    exponent = int(suffix[1:])
    if abs(exponent) > _LARGEST_EXPONENT:
        raise ValueError(WRONG_SUFFIX)
    return exponent


def _amount(parsed: _Parsed) -> Amount:
    number = Fraction(int(parsed.digits + parsed.decimals), 10 ** len(parsed.decimals))
    if parsed.family is Family.BINARY:
        number *= 1 << parsed.exponent
    else:
        number *= Fraction(10) ** parsed.exponent
    number = Fraction(_round_up(number * _NANO), _NANO)
    family = parsed.family
    if family is Family.BINARY:
        number = min(number, Fraction(_LARGEST_BINARY))
        if 0 < number < 1:
            family = Family.DECIMAL
    return Amount(-number if parsed.negative else number, family)


def _stands_as_written(parsed: _Parsed) -> bool:
    """Whether Kubernetes keeps the very text: its parser has a short way out for what looks canonical to it."""
    digits = parsed.digits + parsed.decimals
    if parsed.family is Family.BINARY:
        room = 15 - len(parsed.digits) - parsed.exponent * 3 // 10 - 1
        return not parsed.decimals and room >= 0 and int(parsed.digits) % 8 != 0
    scale = parsed.exponent - len(parsed.decimals)
    if len(digits) > 18 or scale < -9:
        return False
    return scale % 3 == 0 and not digits.endswith("000") and not digits.startswith("0")


def _render_binary(number: int) -> Quantity:
    exponent = 0
    while number % 1024 == 0 and exponent < 60:
        number //= 1024
        exponent += 10
    return Quantity(f"{number}{_BINARY_SUFFIX[exponent]}")


def _render_decimal(number: Fraction, family: Family) -> Quantity:
    count, exponent = int(number * _NANO), -9
    largest = _LARGEST_EXPONENT if family is Family.EXPONENT else max(_DECIMAL_SUFFIX)
    while count % 1000 == 0 and exponent < largest:
        count //= 1000
        exponent += 3
    if family is Family.EXPONENT:
        return Quantity(f"{count}e{exponent}" if exponent else str(count))
    return Quantity(f"{count}{_DECIMAL_SUFFIX[exponent]}")
