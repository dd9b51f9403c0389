from __future__ import annotations

import pytest

from apiserver.storage.embedded.present import Present, key_range
from apiserver.storage.interface import WHOLE, Page, Stored
from steersman.api.names import Revision


@pytest.mark.parametrize(
    ("prefix", "after", "expected"),
    [
        pytest.param("", "", ("", None), id="everything"),
        pytest.param("/a/", "", ("/a/", "/a0"), id="a prefix"),
        pytest.param("/a/", "/a/x", ("/a/x\0", "/a0"), id="above a key"),
        pytest.param("/a/", "/", ("/a/", "/a0"), id="above a key before the prefix"),
        pytest.param("", "x", ("x\0", None), id="everything above a key"),
        pytest.param("a\U0010ffff", "", ("a\U0010ffff", "b"), id="ends in the last character"),
        pytest.param("\U0010ffff", "", ("\U0010ffff", None), id="is the last character"),
        pytest.param("a\ud7ff", "", ("a\ud7ff", "a\ue000"), id="surrogates are no characters"),
    ],
)
def test_key_range(prefix: str, after: str, expected: tuple[str, str | None]) -> None:
    assert key_range(prefix, after) == expected


def test_apply_then_page() -> None:
    old = Stored("b", b"1", Revision(1))
    present = Present([Stored("c", b"1", Revision(2)), old], Revision(2))
    new = Stored("a", b"2", Revision(4))
    present.apply({"a": new, "c": None, "d": None}, Revision(4))
    listing = present.page("", WHOLE)
    assert (listing.items, listing.revision) == ((new, old), 4)
    assert listing.items[0].value is new.value
    assert present.find("c") is None
    assert present.page("", Page(limit=1)).remaining == 1
