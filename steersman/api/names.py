"""Small words that everything shares: what a revision, a uid and a valid name are.

Pure text rules; every check returns the list of complaints in Kubernetes' words, empty when the name is fine.
"""

from __future__ import annotations

import re
from typing import NewType

Revision = NewType("Revision", int)
Uid = NewType("Uid", str)

TRACEPARENT = "tracing.k8s.io/traceparent"
"""The annotation that says in which trace an object was last written. It belongs to one object: nobody copies it."""

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_LOOSE_LABEL = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_LOOSE_SUBDOMAIN = rf"{_LOOSE_LABEL}(\.{_LOOSE_LABEL})*"
_OLD_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?"
_WILDCARD = rf"\*\.{_SUBDOMAIN}"
_NAME_PART = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = f"({_NAME_PART})?"
_CONFIG_MAP_KEY = "[-._a-zA-Z0-9]+"
_HEADER_NAME = "[-A-Za-z0-9]+"
_C_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"
_PERCENT = "[0-9]+%"

LABEL_LENGTH = 63
SUBDOMAIN_LENGTH = 253
PORT_NAME_LENGTH = 15
LONGEST_LOOKED_AT = 2_000
LONGEST_LOOKED_AT = 2_000

_LETTERS = "lower case alphanumeric characters"
_ENDS = "must start and end with an alphanumeric character"
_NAME_CHARACTERS = "consist of alphanumeric characters, '-', '_' or '.'"


def dns_label(text: str) -> list[str]:
    """One part of a domain name (RFC 1123): what namespaces, containers and volumes are called."""
    complaints = _too_long(text, LABEL_LENGTH)
    if not _is(_LABEL, text):
        if _is(_SUBDOMAIN, text):
            complaints.append("must not contain dots")
        else:
            rule = f"a lowercase RFC 1123 label must consist of {_LETTERS} or '-', and {_ENDS}"
            complaints.append(_broken(rule, _LABEL, "my-name", "123-abc"))
    return complaints


def dns_subdomain(text: str) -> list[str]:
    """A domain name (RFC 1123): what most objects are called."""
    return _subdomain(text, "characters")


def _subdomain(text: str, unit: str) -> list[str]:
    complaints = _too_long(text, SUBDOMAIN_LENGTH, unit)
    if not _is(_SUBDOMAIN, text):
        rule = f"a lowercase RFC 1123 subdomain must consist of {_LETTERS}, '-' or '.', and {_ENDS}"
        complaints.append(_broken(rule, _SUBDOMAIN, "example.com"))
    return complaints


def dns_subdomain_with_underscore(text: str) -> list[str]:
    """A domain name in which parts may begin with, and contain, underscores: what resolvers search."""
    complaints = _too_long(text, SUBDOMAIN_LENGTH)
    if not _is(_LOOSE_SUBDOMAIN, text):
        rule = f"a lowercase RFC 1123 subdomain must consist of {_LETTERS}, '_', '-' or '.', and {_ENDS}"
        complaints.append(_broken(rule, _LOOSE_SUBDOMAIN, "example.com"))
    return complaints


def dns_1035_label(text: str) -> list[str]:
    """One part of a domain name that begins with a letter (RFC 1035): what services are called."""
    complaints = _too_long(text, LABEL_LENGTH)
    if not _is(_OLD_LABEL, text):
        rule = (
            f"a DNS-1035 label must consist of {_LETTERS} or '-', start with an alphabetic character, "
            "and end with an alphanumeric character"
        )
        complaints.append(_broken(rule, _OLD_LABEL, "my-name", "abc-123"))
    return complaints


def wildcard_subdomain(text: str) -> list[str]:
    complaints = _too_long(text, SUBDOMAIN_LENGTH)
    if not _is(_WILDCARD, text):
        rule = (
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist "
            f"of {_LETTERS}, '-' or '.' and end with an alphanumeric character"
        )
        complaints.append(_broken(rule, _WILDCARD, "*.example.com"))
    return complaints


def qualified_name(text: str) -> list[str]:
    """A name with an optional domain before a slash: keys of labels and annotations, names of resources."""
    prefix, slash, name = text.rpartition("/")
    rule = _broken(f"must {_NAME_CHARACTERS}, and {_ENDS}", _NAME_PART, "MyName", "my.name", "123-abc")
    if "/" in prefix:
        return [f"a valid label key {rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    complaints: list[str] = []
    if slash:
        found = _subdomain(prefix, "bytes") if prefix else ["must be non-empty"]
        complaints += (f"prefix part {complaint}" for complaint in found)
    if not name:
        complaints.append("name part must be non-empty")
    complaints += (f"name part {complaint}" for complaint in _too_long(name, LABEL_LENGTH, "bytes"))
    if not _is(_NAME_PART, name):
        complaints.append(f"name part {rule}")
    return complaints


def label_value(text: str) -> list[str]:
    complaints = _too_long(text, LABEL_LENGTH, "bytes")
    if not _is(_LABEL_VALUE, text):
        rule = f"a valid label must be an empty string or {_NAME_CHARACTERS}, and {_ENDS}"
        complaints.append(_broken(rule, _LABEL_VALUE, "MyValue", "my_value", "12345"))
    return complaints


def config_map_key(text: str) -> list[str]:
    complaints = _too_long(text, SUBDOMAIN_LENGTH)
    if not _is(_CONFIG_MAP_KEY, text):
        rule = f"a valid config key must {_NAME_CHARACTERS}"
        complaints.append(_broken(rule, _CONFIG_MAP_KEY, "key.name", "KEY_NAME", "key-name"))
    if text in (".", ".."):
        complaints.append(f"must not be '{text}'")
    elif text.startswith(".."):
        complaints.append("must not start with '..'")
    return complaints


def env_var_name(text: str) -> list[str]:
    complaints = [] if text else ["environment variable name must be non-empty"]
    if not re.fullmatch(r"[ -<>-~]*", text):
        complaints.append(
            "a valid environment variable name must consist only of printable ASCII characters other than '='"
        )
    return complaints


def port_name(text: str) -> list[str]:
    """A service name of IANA: at most fifteen letters, digits and single hyphens."""
    complaints = _too_long(text, PORT_NAME_LENGTH)
    if not _is("[-a-z0-9]+", text):
        complaints.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", text):
        complaints.append("must contain at least one letter (a-z)")
    if "--" in text:
        complaints.append("must not contain consecutive hyphens")
    if text.startswith("-") or text.endswith("-"):
        complaints.append("must not begin or end with a hyphen")
    return complaints


def port_number(number: int) -> list[str]:
    return [] if 1 <= number <= 65535 else ["must be between 1 and 65535, inclusive"]


def http_header_name(text: str) -> list[str]:
    if _is(_HEADER_NAME, text):
        return []
    rule = "a valid HTTP header must consist of alphanumeric characters or '-'"
    return [_broken(rule, _HEADER_NAME, "X-Header-Name")]


def c_identifier(text: str) -> list[str]:
    if _is(_C_IDENTIFIER, text):
        return []
    rule = (
        "a valid C identifier must start with alphabetic character or '_', "
        "followed by a string of alphanumeric characters or '_'"
    )
    return [_broken(rule, _C_IDENTIFIER, "my_name", "MY_NAME", "MyName")]


def percent(text: str) -> list[str]:
    if _is(_PERCENT, text):
        return []
    rule = "a valid percent string must be a numeric string followed by an ending '%'"
    return [_broken(rule, _PERCENT, "1%", "93%")]


def _is(pattern: str, text: str) -> bool:
    if len(text) > LONGEST_LOOKED_AT:  # too long anyway, and matching takes time: both ends tell enough
        text = text[: LONGEST_LOOKED_AT // 2] + text[-LONGEST_LOOKED_AT // 2 :]
    return re.fullmatch(pattern, text) is not None


def _too_long(text: str, most: int, unit: str = "characters") -> list[str]:
    # Bytes are counted whatever Kubernetes calls them, which differs from rule to rule.
    return [f"must be no more than {most} {unit}"] if len(text.encode(errors="replace")) > most else []


def _broken(rule: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{rule} (e.g. {shown}regex used for validation is '{pattern}')"
