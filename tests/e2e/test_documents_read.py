"""What counts as the same output, when a document is compared with a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e import documents
from tests.e2e.documents import Block

DOCUMENT = """\
# Title

```sh
kubectl delete pod web
kubectl get pods
```

```text
NAME   READY
web    1/1
```

Prose.

```text
not the output of that
```

```sh
make up
```

```text one-run
something
```
"""


def test_blocks_and_what_stands_right_below_them(tmp_path: Path) -> None:
    (tmp_path / "doc.md").write_text(DOCUMENT)
    first, second = documents.blocks(tmp_path / "doc.md")
    assert first == Block(3, "kubectl delete pod web\nkubectl get pods", "NAME   READY\nweb    1/1")
    assert first.reads == "kubectl get pods"
    assert second == Block(19, "make up")


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        pytest.param("shop-575ff45bbd-5qj25   1/1   Running", "shop-bcdfg-hjklm 0/1 Pending", id="names-and-states"),
        pytest.param("node-0   Ready   <none>   20s   v1", "node-1 Ready <none> 3m x", id="numbers-and-later-words"),
        pytest.param("wanted 5, ready 5", "first\nwanted 3, ready 1\nlast", id="among-others"),
    ],
)
def test_the_same(shown: str, printed: str) -> None:
    assert documents.missing(Block(1, "", shown), printed) == []


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        pytest.param("node-0 Ready", "node-0 NotReady", id="another-word"),
        pytest.param("No resources found", "", id="nothing"),
    ],
)
def test_not_the_same(shown: str, printed: str) -> None:
    assert documents.missing(Block(1, "", shown), printed) == [shown]
