"""Small words that everything shares: what a revision, a uid and a valid name are.

Pure text rules; every check returns the list of complaints in Kubernetes' words, empty when the name is fine.
"""

from __future__ import annotations

import re
from typing import NewType

Revision = NewType("Revision", int)
Uid = NewType("Uid", str)

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)


def dns_label(text: str) -> list[str]:
    return [] if _LABEL.fullmatch(text) and len(text) <= 63 else ["a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'"]


def dns_subdomain(text: str) -> list[str]:
    return [] if _SUBDOMAIN.fullmatch(text) and len(text) <= 253 else ["a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'"]


def qualified_name(text: str) -> list[str]:
    return [] if text else ["name part must be non-empty"]


def env_var_name(text: str) -> list[str]:
    return [] if text else ["must be non-empty"]


def label_value(text: str) -> list[str]:
    return [] if len(text) <= 63 else ["must be no more than 63 bytes"]
