from __future__ import annotations

import pytest

from nodeagent.runtime import references
from nodeagent.runtime.interface import InvalidImageName
from nodeagent.runtime.references import Reference

DIGEST = "sha256:" + "a" * 64


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nginx", Reference("nginx", "latest", "")),
        ("nginx:1.25", Reference("nginx", "1.25", "")),
        ("library/nginx:1.25", Reference("library/nginx", "1.25", "")),
        ("registry.test:5000/team/app", Reference("registry.test:5000/team/app", "latest", "")),
        ("registry.test:5000/team/app:v1_2", Reference("registry.test:5000/team/app", "v1_2", "")),
        ("UPPER/app:1", Reference("UPPER/app", "1", "")),
        (f"app@{DIGEST}", Reference("app", "", DIGEST)),
        (f"app:1@{DIGEST}", Reference("app", "", DIGEST)),
        ("a__b.c-d---e", Reference("a__b.c-d---e", "latest", "")),
    ],
)
def test_parts(text: str, expected: Reference) -> None:
    assert references.parse(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "invalid reference format"),
        ("a:b:c", "invalid reference format"),
        ("app:", "invalid reference format"),
        ("/app", "invalid reference format"),
        ("a b", "invalid reference format"),
        ("app@sha256:abc", "invalid reference format"),
        ("https://registry.test/app", "invalid reference format"),
        ("App", "invalid reference format: repository name (App) must be lowercase"),
        ("a/" * 127 + "ab", "repository name must not be more than 255 characters"),
    ],
)
def test_names_that_can_never_work(text: str, words: str) -> None:
    with pytest.raises(InvalidImageName) as refused:
        references.parse(text)
    assert refused.value.message == words


@pytest.mark.parametrize(("text", "expected"), [(DIGEST, True), ("a" * 64, True), ("a" * 12, False), ("nginx", False)])
def test_ids(text: str, expected: bool) -> None:
    assert references.is_id(text) is expected
