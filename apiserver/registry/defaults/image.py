"""When an image is pulled, read off its reference: a moving tag always, a fixed tag or a digest only when absent."""

from __future__ import annotations

import re
from functools import lru_cache

ALWAYS = "Always"
IF_NOT_PRESENT = "IfNotPresent"

_HOST = r"(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[0-9a-fA-F:]+\])"
_COMPONENT = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_DIGEST = r"sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}"
_REFERENCE = re.compile(
    rf"(?:{_HOST}(?::[0-9]+)?/)?{_COMPONENT}(?:/{_COMPONENT})*(?::(?P<tag>\w[\w.-]{{0,127}}))?(?:@(?P<digest>{_DIGEST}))?",
    re.ASCII,
)
_BARE_ID = re.compile(r"[a-f0-9]{64}")


LONGEST_REFERENCE = 512
"""A name of 255, a tag of 128 and a digest; longer is no reference, and must not fill the memory of `pull_policy`."""


def pull_policy(reference: str) -> str:
    """The default `imagePullPolicy`. What is not a reference at all has no tag, so nothing says that it moves."""
    return _pull_policy(reference) if len(reference) <= LONGEST_REFERENCE else IF_NOT_PRESENT


@lru_cache(maxsize=4096)
def _pull_policy(reference: str) -> str:
    match = _REFERENCE.fullmatch(reference)
    if match is None or _BARE_ID.fullmatch(reference):
        return IF_NOT_PRESENT
    tag, digest = match["tag"], match["digest"]
    return ALWAYS if tag == "latest" or (tag is None and digest is None) else IF_NOT_PRESENT
