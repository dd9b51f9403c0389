from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.api import quantity


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("0", "0"),
        ("1", "1"),
        (1, "1"),
        (0.1, "100m"),
        (2.0, "2"),
        ("0.5", "500m"),
        ("1.5", "1500m"),
        ("1000m", "1"),
        ("1000", "1k"),
        ("100000k", "100M"),
        ("12E", "12E"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("1Ki", "1Ki"),
        ("1023Ki", "1023Ki"),
        ("0.5Ki", "512"),
        ("512", "512"),
        ("128974848", "128974848"),
        ("129e6", "129e6"),
        ("1E3", "1E3"),
        ("12e5", "1200e3"),
        ("0.1m", "100u"),
        ("0.1n", "1n"),
        ("-1.5", "-1500m"),
        ("-1Gi", "-1Gi"),
        ("3.3Gi", "3543348019200m"),
        ("0.001Ki", "1024m"),
        ("1.500", "1.500"),
        ("9999999999999999999Ei", "9223372036854775807"),
    ],
)
def test_canonical_form(written: str | float, canonical: str) -> None:
    assert quantity.canonical(written) == canonical


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", quantity.WRONG_FORMAT),
        ("aoeu", quantity.WRONG_FORMAT),
        ("1.1.M", quantity.WRONG_FORMAT),
        (" 1", quantity.WRONG_FORMAT),
        ("1x", quantity.WRONG_FORMAT),
        ("1i", quantity.WRONG_SUFFIX),
        ("1KKi", quantity.WRONG_SUFFIX),
        ("1e", quantity.WRONG_SUFFIX),
        ("1e99999999999", quantity.WRONG_SUFFIX),
        ("Ki", quantity.WRONG_NUMBER),
        ("9" * 2000, quantity.WRONG_NUMBER),
    ],
)
def test_what_is_no_quantity(written: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
        quantity.canonical(written)


SUFFIXES = ["n", "u", "m", "", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "e3", "E-2"]
QUANTITIES = st.builds(
    lambda number, suffix: f"{number}{suffix}",
    st.decimals(-100_000, 100_000, places=3).map(lambda number: f"{number:f}"),
    st.sampled_from(SUFFIXES),
)


@settings(max_examples=60, deadline=None)
@given(QUANTITIES)
def test_the_canonical_form_is_worth_the_same_and_stays(written: str) -> None:
    canonical = quantity.canonical(written)
    assert quantity.value(canonical) == quantity.value(written)
    assert quantity.canonical(canonical) == canonical


@settings(max_examples=60, deadline=None)
@given(QUANTITIES, QUANTITIES)
def test_sums_and_comparisons_are_exact(left: str, right: str) -> None:
    ours, theirs = quantity.value(left), quantity.value(right)
    assert quantity.value(quantity.add(left, right)) == ours + theirs
    assert quantity.value(quantity.subtract(left, right)) == ours - theirs
    assert (quantity.compare(left, right) > 0) is (ours > theirs)
    assert (quantity.compare(left, right) == 0) is (ours == theirs)


@pytest.mark.parametrize(
    ("left", "right", "total"),
    [
        ("500m", "0.5", "1"),
        ("1Gi", "1M", "1074741824"),
        ("1Gi", "512Mi", "1536Mi"),
        ("0", "1Ki", "1Ki"),
        ("1", "1Ki", "1025"),
    ],
)
def test_a_sum_keeps_the_family_of_its_first_part(left: str, right: str, total: str) -> None:
    assert quantity.add(left, right) == total


@pytest.mark.parametrize(
    ("text", "units", "milli"),
    [("1", 1, 1000), ("100m", 1, 100), ("1.0001", 2, 1001), ("1Ki", 1024, 1_024_000), ("-100m", -1, -100)],
)
def test_rounding_up(text: str, units: int, milli: int) -> None:
    assert (quantity.units(text), quantity.milli(text)) == (units, milli)


def test_values_are_exact() -> None:
    assert quantity.value("0.1") * 3 == Fraction(3, 10)
