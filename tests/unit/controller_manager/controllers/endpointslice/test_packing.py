from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller_manager.controllers.endpointslice import packing
from steersman.api.discovery import Endpoint, EndpointConditions, EndpointSlice
from steersman.api.meta import ObjectMeta

LIMIT = 4


def endpoint(number: int, *, ready: bool = True) -> Endpoint:
    return Endpoint(addresses=(f"10.0.0.{number}",), conditions=EndpointConditions(ready=ready))


def slices(*contents: Sequence[int]) -> list[EndpointSlice]:
    """s-0, s-1 … with those endpoints."""
    return [
        EndpointSlice(metadata=ObjectMeta(name=f"s-{index}"), endpoints=tuple(map(endpoint, numbers)))
        for index, numbers in enumerate(contents)
    ]


def numbers(endpoints: Sequence[Endpoint]) -> list[int]:
    return [int(each.addresses[0].rsplit(".", 1)[1]) for each in endpoints]


def told(present: list[EndpointSlice], desired: Sequence[int]) -> dict[str, list[int]]:
    found = packing.packed(present, packing.by_identity(map(endpoint, desired)), LIMIT)
    fresh = {f"new-{index}": numbers(each) for index, each in enumerate(found.fresh)}
    return {name: numbers(each) for name, each in found.contents.items()} | fresh


@pytest.mark.parametrize(
    ("present", "desired", "expected"),
    [
        pytest.param([], [], {}, id="nothing"),
        pytest.param([], [1, 2, 3, 4, 5], {"new-0": [1, 2, 3, 4], "new-1": [5]}, id="all new"),
        pytest.param([[1, 2]], [1, 2], {"s-0": [1, 2]}, id="unchanged"),
        pytest.param([[1, 2]], [1, 2, 3], {"s-0": [1, 2, 3]}, id="fits into the one there is"),
        pytest.param([[1, 2, 3]], [1, 2, 3, 4, 5], {"s-0": [1, 2, 3], "new-0": [4, 5]}, id="does not fit: a new one"),
        pytest.param([[1], [2, 3]], [1, 2, 3, 4], {"s-0": [1], "s-1": [2, 3, 4]}, id="the fullest into which it fits"),
        pytest.param([[1, 2], [3, 4]], [1, 3, 4], {"s-0": [1], "s-1": [3, 4]}, id="who goes leaves a gap"),
        pytest.param(
            [[1, 2], [3, 4, 5]], [1, 3, 4, 5, 6], {"s-0": [1, 6], "s-1": [3, 4, 5]}, id="into what is written anyway"
        ),
        pytest.param(
            [[1, 2], [3, 4, 5]],
            [1, 3, 4, 6, 7, 8],
            {"s-0": [1, 8], "s-1": [3, 4, 6, 7]},
            id="the fuller of those is filled first",
        ),
        pytest.param([[1, 2], [3]], [1, 2], {"s-0": [1, 2], "s-1": []}, id="an empty one goes"),
        pytest.param([[1], [2]], [3], {"s-0": [], "s-1": [], "new-0": [3]}, id="nobody stays"),
        pytest.param([[1, 2], [2, 3]], [1, 2, 3], {"s-0": [1, 2], "s-1": [3]}, id="twice is once too often"),
        pytest.param([[1, 2, 3, 4, 5]], [1, 2, 3, 4, 5], {"s-0": [1, 2, 3, 4, 5]}, id="too full is left alone"),
    ],
)
def test_packing(present: list[list[int]], desired: list[int], expected: dict[str, list[int]]) -> None:
    assert told(slices(*present), desired) == expected


def test_a_changed_endpoint_stays_where_it_is() -> None:
    changed = endpoint(1, ready=False)
    found = packing.packed(slices([1, 2]), packing.by_identity([changed, endpoint(2)]), LIMIT)
    assert found.contents["s-0"] == (changed, endpoint(2))


@settings(deadline=None)
@given(
    present=st.lists(st.lists(st.integers(1, 60), max_size=LIMIT, unique=True), max_size=6),
    desired=st.sets(st.integers(1, 60)),
)
def test_everybody_is_in_exactly_one_slice_and_few_are_written(present: list[list[int]], desired: set[int]) -> None:
    held = slices(*present)
    found = told(held, sorted(desired))
    assert sorted(number for each in found.values() for number in each) == sorted(desired)
    assert all(len(each) <= LIMIT for each in found.values())
    arrivals = desired - {number for each in present for number in each}
    fresh = [name for name in found if name.startswith("new")]
    assert len(fresh) <= -(-len(arrivals) // LIMIT)
    assert told(slices(*(each for each in found.values() if each)), sorted(desired)) == {
        f"s-{index}": each for index, each in enumerate(each for each in found.values() if each)
    }, "packing again changes nothing"
