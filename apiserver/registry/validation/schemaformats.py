"""The formats of strings that schemas of custom resources may ask for, as far as Kubernetes checks them."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final
from urllib.parse import urlsplit

from apiserver.registry.validation import addresses, cidrs
from steersman.api import times

Check = Callable[[str], bool]

_HEX: Final = "[0-9a-fA-F]"
_SHORT_NAME: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_BYTE_VALUE: Final = r"(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])"
_DURATION: Final = (
    r"([+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+|0|\d+ ?(weeks?|w|days?|d|hours?|h|minutes?|m|seconds?|s)"
)


def known(name: str) -> Check | None:
    """Dashes in the name count for nothing. None: a format that nobody checks."""
    return _CHECKS.get(name.replace("-", ""))


def _matching(pattern: str, longest: int | None = None) -> Check:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: (longest is None or len(text) <= longest) and compiled.fullmatch(text) is not None


def _is_uri(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return text.startswith("/") or bool(parts.scheme and (parts.netloc or parts.path))


def _is_email(text: str) -> bool:
    bare = text.rpartition("<")[2].removesuffix(">") if text.endswith(">") else text
    local, at, domain = bare.rpartition("@")
    return bool(at and local and domain) and not re.search(r"[\s<>,;()]", bare) and ".." not in local


def _is_hostname(text: str) -> bool:
    labels = text.split(".")
    if len(text.encode()) > 255 or any(not label or len(label.encode()) > 63 for label in labels):
        return False
    if any(label.startswith("-") or label.endswith("-") or "_" in label or " " in label for label in labels):
        return False
    if not all(character.isalnum() or character == "-" or ord(character) > 127 for character in text.replace(".", "")):
        return False
    return len(labels) == 1 or (labels[-1].isalpha() and len(labels[-1]) > 1)


def _is_base64(text: str) -> bool:
    try:
        return bool(text) and bool(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        return False


def _is_date(text: str) -> bool:
    try:
        return len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _is_time(text: str) -> bool:
    try:
        return bool(times.time(text.upper()))
    except ValueError:
        return False


def _is_ipv4(text: str) -> bool:
    return "." in text and addresses.parse(addresses.without_leading_zeros(text)) is not None


def _is_ipv6(text: str) -> bool:
    return ":" in text and addresses.parse(text) is not None


def _sums_up(text: str, length: int) -> bool:
    """Whether the check digit of an ISBN is right."""
    digits = re.sub("[ -]", "", text)
    if length == 10 and re.fullmatch(r"\d{9}[\dX]", digits):
        values = [10 if digit == "X" else int(digit) for digit in digits]
        return sum(weight * value for weight, value in enumerate(values, start=1)) % 11 == 0
    if length == 13 and re.fullmatch(r"\d{13}", digits):
        return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10 == 0
    return False


def _is_credit_card(text: str) -> bool:
    digits = re.sub("[^0-9]", "", text)
    if not 12 < len(digits) < 20:
        return False
    doubled = [int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


_CHECKS: Final[Mapping[str, Check]] = {
    "bsonobjectid": _matching(f"{_HEX}{{24}}"),
    "byte": _is_base64,
    "cidr": lambda text: cidrs.parse(text) is not None,
    "creditcard": _is_credit_card,
    "date": _is_date,
    "datetime": _is_time,
    "duration": _matching(_DURATION),
    "email": _is_email,
    "hexcolor": _matching(f"#?({_HEX}{{3}}|{_HEX}{{6}})"),
    "hostname": _is_hostname,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "isbn": lambda text: _sums_up(text, 10) or _sums_up(text, 13),
    "isbn10": lambda text: _sums_up(text, 10),
    "isbn13": lambda text: _sums_up(text, 13),
    "k8slongname": _matching(rf"{_SHORT_NAME}(\.{_SHORT_NAME})*", longest=253),
    "k8sshortname": _matching(_SHORT_NAME, longest=63),
    "mac": _matching(f"{_HEX}{{2}}([:-]{_HEX}{{2}}){{5,7}}|({_HEX}{{4}}\\.){{2,3}}{_HEX}{{4}}"),
    "password": lambda _: True,
    "rgbcolor": _matching(rf"rgb\(\s*{_BYTE_VALUE}\s*,\s*{_BYTE_VALUE}\s*,\s*{_BYTE_VALUE}\s*\)"),
    "ssn": _matching(r"\d{3}[- ]?\d{2}[- ]?\d{4}"),
    "uri": _is_uri,
    "uuid": _matching(f"{_HEX}{{8}}-?({_HEX}{{4}}-?){{3}}{_HEX}{{12}}"),
    "uuid3": _matching(f"{_HEX}{{8}}-?{_HEX}{{4}}-?3{_HEX}{{3}}-?{_HEX}{{4}}-?{_HEX}{{12}}"),
    "uuid4": _matching(f"{_HEX}{{8}}-?{_HEX}{{4}}-?4{_HEX}{{3}}-?[89abAB]{_HEX}{{3}}-?{_HEX}{{12}}"),
    "uuid5": _matching(f"{_HEX}{{8}}-?{_HEX}{{4}}-?5{_HEX}{{3}}-?[89abAB]{_HEX}{{3}}-?{_HEX}{{12}}"),
}
