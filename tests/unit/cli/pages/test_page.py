"""Lines of cells, aligned group by group."""

from __future__ import annotations

import pytest

from steersman.cli.pages import page as pages
from steersman.cli.pages.page import Page


def test_a_column_is_as_wide_as_its_widest_cell_in_neighbouring_lines() -> None:
    page = Page()
    page.pair("Name", "web")
    page.pair("Replicas", 3)
    page.line("Conditions:")
    page.row(["Type", "Status"], 1)
    page.row(["Available ", "True"], 1)
    page.pair("Events", "<none>")
    assert page.text() == (
        "Name:      web\nReplicas:  3\nConditions:\n  Type        Status\n  Available   True\nEvents:       <none>\n"
    )


def test_a_line_with_fewer_cells_ends_the_columns_that_it_lacks() -> None:
    page = Page()
    page.row(["a", "b", "c"])
    page.row(["longer", "x"])
    page.row(["a", "bbbb", "c"])
    assert page.text() == "a       b  c\nlonger  x\na       bbbb  c\n"


def test_several_values_stand_below_each_other() -> None:
    page = Page()
    page.labels("Labels", {"b": "2", "a": "1"})
    page.labels("Selector", {})
    assert page.text() == "Labels:    a=1\n           b=2\nSelector:  <none>\n"


@pytest.mark.parametrize(
    ("annotations", "text"),
    [
        pytest.param({"a": "1"}, "N:  a: 1\n", id="short"),
        pytest.param({"a": "x\ny\n"}, "N:  a:\n      x\n      y\n", id="several-lines"),
        pytest.param({"a": "x" * 150}, f"N:  a:\n      {'x' * 138}...\n", id="long"),
        pytest.param({"kubectl.kubernetes.io/last-applied-configuration": "{}"}, "N:  <none>\n", id="hidden"),
    ],
)
def test_annotations(annotations: dict[str, str], text: str) -> None:
    page = Page()
    page.annotations("N", annotations)
    assert page.text() == text


def test_moments() -> None:
    assert pages.when("2026-11-18T07:18:31Z") == "Wed, 18 Nov 2026 07:18:31 +0000"
    assert pages.when("2026-11-18T07:18:41.123456Z") == "Wed, 18 Nov 2026 07:18:41 +0000"
    assert pages.when(None) == "<unset>"
