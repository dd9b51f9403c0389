"""Image references: what `registry/repository:tag@digest` may look like, and its parts. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nodeagent.runtime.interface import InvalidImageName

DEFAULT_TAG = "latest"
LONGEST_REPOSITORY = 255

_WORD = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_HOST_PART = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_REFERENCE = re.compile(
    rf"(?P<repository>(?:{_HOST_PART}(?:\.{_HOST_PART})*(?::[0-9]+)?/)?{_WORD}(?:/{_WORD})*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?"
    r"(?:@(?P<digest>[a-z0-9]+(?:[+._-][a-z0-9]+)*:[0-9a-fA-F]{32,}))?"
)
_ID = re.compile(r"(?:sha256:)?[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Reference:
    """`tag` is "" where a digest makes it meaningless, and never otherwise."""

    repository: str
    tag: str
    digest: str

    @property
    def version(self) -> str:
        """What to ask a registry for."""
        return self.digest or self.tag


def is_id(text: str) -> bool:
    """Whether it names an image by its own digest, as engines do."""
    return _ID.fullmatch(text) is not None


def parse(text: str) -> Reference:
    """InvalidImageName, in Docker's words."""
    match = _REFERENCE.fullmatch(text)
    if match is None:
        if text != text.lower() and _REFERENCE.fullmatch(text.lower()):
            raise InvalidImageName(f"invalid reference format: repository name ({text}) must be lowercase")
        raise InvalidImageName("invalid reference format")
    repository, tag, digest = match["repository"], match["tag"] or "", match["digest"] or ""
    if len(repository) > LONGEST_REPOSITORY:
        raise InvalidImageName(f"repository name must not be more than {LONGEST_REPOSITORY} characters")
    return Reference(repository, "" if digest else tag or DEFAULT_TAG, digest)
