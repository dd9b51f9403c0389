"""What a machine is short of, by which thresholds."""

from __future__ import annotations

from typing import Any

import pytest

from nodeagent import pressure
from nodeagent.pressure import DEFAULTS, Reserve, Shortage, Signal

GIB = 1 << 30
PLENTY = {
    Signal.MEMORY: Reserve(GIB, 8 * GIB),
    Signal.DISK: Reserve(50 * GIB, 100 * GIB),
    Signal.INODES: Reserve(500, 1000),
    Signal.PIDS: Reserve(500, 1000),
}


@pytest.mark.parametrize(
    ("less", "types"),
    [
        pytest.param({}, set(), id="plenty"),
        pytest.param({Signal.MEMORY: Reserve(99 << 20, 8 * GIB)}, {"MemoryPressure"}, id="memory"),
        pytest.param({Signal.DISK: Reserve(9 * GIB, 100 * GIB)}, {"DiskPressure"}, id="disk"),
        pytest.param({Signal.INODES: Reserve(49, 1000)}, {"DiskPressure"}, id="inodes"),
        pytest.param({Signal.PIDS: Reserve(10, 1000)}, {"PIDPressure"}, id="pids"),
        pytest.param({Signal.PIDS: Reserve(50, 1000)}, set(), id="just enough"),
    ],
)
def test_shortages(less: dict[Signal, Reserve], types: set[str]) -> None:
    found = pressure.shortages(map(pressure.parse, DEFAULTS), PLENTY | less)
    assert pressure.conditions(found) == types


def test_memory_is_seen_to_first() -> None:
    thresholds = [pressure.parse("pid.available<99%"), pressure.parse("memory.available<2Gi")]
    found = pressure.shortages(thresholds, PLENTY)
    assert found == [Shortage(Signal.MEMORY, 2 * GIB, GIB), Shortage(Signal.PIDS, 990, 500)]


def test_what_cannot_be_seen_is_not_short() -> None:
    assert pressure.shortages(map(pressure.parse, DEFAULTS), {}) == []


@pytest.mark.parametrize(
    "text", ["memory.available", "memory.free<1Mi", "memory.available<x", "pid.available<0%", "pid.available<x%", "<1"]
)
def test_what_is_no_threshold(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 -- whatever it says
        pressure.parse(text)


@pytest.mark.parametrize(
    ("signal", "amount", "text"),
    [(Signal.MEMORY, 100 << 20, "100Mi"), (Signal.DISK, 1500, "1500"), (Signal.PIDS, 2048, "2048")],
    ids=["bytes", "bytes that are no whole KiB", "numbers"],
)
def test_amounts(signal: Signal, amount: int, text: Any) -> None:
    assert pressure.shown(signal, amount) == text
