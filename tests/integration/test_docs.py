"""docs/kinds.md and docs/kinds/ are what the code gives, and say something about every kind."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from apiserver.registry.catalog import STRATEGIES
from apiserver.registry.strategy import Strategy
from deploy.dev import generate_kinds
from deploy.dev.kinds import pages
from steersman.api import kinds
from steersman.api.kinds import Kind

UNHOOKED = Strategy()


def section(kind: Kind, title: str) -> str:
    page = (generate_kinds.DOCS / pages.FOLDER / pages.file_name(kind)).read_text()
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def can_refuse(kind: Kind) -> bool:
    strategy = STRATEGIES.get(kind.qualified_resource, UNHOOKED)
    hooks = ("validate", "validate_create", "validate_update", "validate_status_update")
    return any(getattr(strategy, hook) is not getattr(UNHOOKED, hook) for hook in hooks)


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_pages_are_what_the_code_gives() -> None:
    """In a process of its own: it runs the unit tests of the registry."""
    command = [sys.executable, "-m", "deploy.dev.generate_kinds", "--check"]
    checked = subprocess.run(command, cwd=generate_kinds.ROOT, capture_output=True, text=True, timeout=200, check=False)
    assert checked.returncode == 0, checked.stderr


def test_the_index_leads_to_every_kind() -> None:
    index = (generate_kinds.DOCS / pages.INDEX).read_text()
    assert [kind.kind for kind in kinds.ALL if f"({pages.FOLDER}/{pages.file_name(kind)})" not in index] == []


def test_every_link_leads_somewhere() -> None:
    written = generate_kinds.committed()
    titles = {name: {title.lower() for title in re.findall(r"^#+ (.+)$", text, re.M)} for name, text in written.items()}
    for name, text in written.items():
        folder = name.rpartition("/")[0]
        for target, anchor in re.findall(r"\]\(([^()#\s]+\.md)(?:#([^()]+))?\)", text):
            to = f"{folder}/{target}".removeprefix("/").replace(f"{pages.FOLDER}/../", "")
            assert to in titles, (name, target)
            assert not anchor or anchor in titles[to], (name, target, anchor)


@pytest.mark.parametrize("kind", kinds.ALL, ids=pages.file_name)
def test_every_kind_has_fields(kind: Kind) -> None:
    assert "| `metadata` |" in section(kind, "Fields")


@pytest.mark.parametrize("kind", [kind for kind in kinds.ALL if can_refuse(kind)], ids=pages.file_name)
def test_what_can_be_refused_has_a_test_that_is(kind: Kind) -> None:
    assert re.search(r"^\| .* \| `.*::test_.* \|$", section(kind.storage, "Rules"), re.MULTILINE)
