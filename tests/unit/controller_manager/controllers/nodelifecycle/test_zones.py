from __future__ import annotations

import math

import pytest

from controller_manager.controllers.nodelifecycle import zones
from controller_manager.controllers.nodelifecycle.health import Permission
from controller_manager.controllers.nodelifecycle.zones import Census, Rates, State, Zones
from tests.unit.controller_manager.controllers.nodelifecycle.machines import make_node


@pytest.mark.parametrize(
    ("well", "sick", "expected"),
    [
        pytest.param(0, 0, State.NORMAL, id="empty"),
        pytest.param(5, 0, State.NORMAL, id="all well"),
        pytest.param(0, 1, State.FULL, id="the only one is lost"),
        pytest.param(0, 9, State.FULL, id="all are lost"),
        pytest.param(1, 2, State.NORMAL, id="two are few, whatever their share"),
        pytest.param(2, 3, State.PARTIAL, id="three of five"),
        pytest.param(3, 3, State.NORMAL, id="half of them is not most"),
        pytest.param(45, 55, State.PARTIAL, id="just most"),
        pytest.param(46, 54, State.NORMAL, id="just not most"),
    ],
)
def test_the_state_of_a_zone(well: int, sick: int, expected: State) -> None:
    assert zones.state_of(Census(well, sick), 0.55) is expected


WELL, LOST = Census(5, 0), Census(0, 5)
RATES = Rates(usual=1.0, disrupted=0.1, large_zone=50)


@pytest.mark.parametrize(
    ("zone", "others", "expected"),
    [
        pytest.param(Census(9, 1), [], 1.0, id="one is lost"),
        pytest.param(Census(9, 1), [LOST, LOST], 1.0, id="one is lost, other zones altogether"),
        pytest.param(Census(2, 8), [WELL], 0.0, id="most of a small zone"),
        pytest.param(Census(10, 40), [WELL], 0.0, id="most of the largest small zone"),
        pytest.param(Census(10, 41), [WELL], 0.1, id="most of a large zone"),
        pytest.param(LOST, [WELL], 1.0, id="a whole zone of several"),
        pytest.param(LOST, [], None, id="the only zone"),
        pytest.param(LOST, [LOST, Census(0, 1)], None, id="all zones"),
        pytest.param(LOST, [LOST, Census(1, 9)], 1.0, id="all but one node of another zone"),
    ],
)
def test_how_fast_nodes_are_given_up(zone: Census, others: list[Census], expected: float | None) -> None:
    assert zones.rate_of(zone, [zone, *others], RATES) == expected


def counted(*nodes: tuple[str, str, str]) -> Zones:
    """From (name, zone, ready)."""
    found = Zones(RATES)
    for name, zone, ready in nodes:
        found.changed(None, make_node(name, zone=zone, ready=ready))
    return found


def test_the_census_follows_the_nodes() -> None:
    found = counted(("1", "a", "True"), ("2", "a", "False"), ("3", "b", "True"))
    assert found.census == {"/a": Census(1, 1), "/b": Census(1, 0)}
    found.changed(make_node("1"), make_node("1", ready="Unknown"))
    found.changed(make_node("3", zone="b"), None)
    assert found.census == {"/a": Census(0, 2)}
    found.changed(make_node("2"), make_node("2", zone="c"))
    assert found.census == {"/a": Census(0, 1), "/c": Census(1, 0)}
    excluded = make_node("1", labels={"node.kubernetes.io/exclude-disruption": ""})
    found.changed(make_node("1"), excluded)
    assert found.census == {"/c": Census(1, 0)}


def test_zones_of_one_name_in_two_regions_are_two() -> None:
    found = Zones(RATES)
    for region in ("north", "south"):
        found.changed(None, make_node(region, labels={"topology.kubernetes.io/region": region}))
    assert set(found.census) == {"north/a", "south/a"}


def test_one_node_at_once_and_then_the_rate() -> None:
    found = counted(*((str(number), "a", "True" if number > 3 else "Unknown") for number in range(10)))
    lost = make_node("0", ready="Unknown")
    assert found.ask(lost, 100.0) == (Permission.GRANTED, 0.0)
    assert found.ask(lost, 100.25) == (Permission.LATER, 0.75)
    assert found.ask(lost, 101.0) == (Permission.GRANTED, 0.0)


def test_zones_do_not_wait_for_each_other() -> None:
    found = counted(("1", "a", "Unknown"), ("2", "b", "Unknown"), ("3", "b", "True"))
    assert found.ask(make_node("1", zone="a"), 0.0)[0] is Permission.GRANTED
    assert found.ask(make_node("2", zone="b"), 0.0)[0] is Permission.GRANTED


def test_nothing_is_granted_in_a_small_zone_of_which_most_is_lost() -> None:
    found = counted(*((str(number), "a", "True" if number > 2 else "Unknown") for number in range(5)))
    assert found.ask(make_node("0"), 0.0) == (Permission.LATER, math.inf)


def test_all_is_called_off_when_nothing_is_left() -> None:
    found = counted(("1", "a", "Unknown"), ("2", "b", "False"))
    assert found.is_called_off()
    assert found.ask(make_node("1"), 0.0)[0] is Permission.CANCELLED
    found.changed(make_node("2", zone="b"), make_node("2", zone="b"))
    assert not found.is_called_off()
    assert not Zones(RATES).is_called_off(), "no nodes are no disruption"
