"""Whether the machine runs out of memory, disk or process numbers: thresholds, and conditions that tell. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from steersman.api import quantity
from steersman.api.quantity import Amount, Family


class Signal(StrEnum):
    """What is looked at, by the kubelet's names; in the order in which shortages are seen to."""

    MEMORY = "memory.available"
    DISK = "nodefs.available"
    INODES = "nodefs.inodesFree"
    PIDS = "pid.available"


CONDITIONS = {
    Signal.MEMORY: "MemoryPressure",
    Signal.DISK: "DiskPressure",
    Signal.INODES: "DiskPressure",
    Signal.PIDS: "PIDPressure",
}
DEFAULTS = ("memory.available<100Mi", "nodefs.available<10%", "nodefs.inodesFree<5%", "pid.available<5%")


@dataclass(frozen=True, slots=True)
class Reserve:
    """What is left of something, and how much of it there is; bytes, or numbers."""

    available: int
    capacity: int


Reserves = Mapping[Signal, Reserve]


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least that must be left: an amount, or a share of the whole."""

    signal: Signal
    amount: int = 0
    share: Fraction = Fraction(0)

    def least(self, reserve: Reserve) -> int:
        return self.amount or int(reserve.capacity * self.share)


@dataclass(frozen=True, slots=True)
class Shortage:
    """A threshold that is not kept, in figures."""

    signal: Signal
    least: int
    available: int


def parse(text: str) -> Threshold:
    """`memory.available<100Mi`, `nodefs.available<10%`. ValueError when it is neither."""
    name, separator, amount = text.partition("<")
    if not separator or name not in [*Signal]:
        known = ", ".join(Signal)
        raise ValueError(f"{text!r} is not SIGNAL<AMOUNT, where the signal is one of {known}")
    if amount.endswith("%"):
        share = Fraction(amount.removesuffix("%")) / 100
        if not 0 < share < 1:
            raise ValueError(f"{text!r}: from 0% to 100%")
        return Threshold(Signal(name), share=share)
    return Threshold(Signal(name), amount=quantity.units(quantity.canonical(amount)))


def shortages(thresholds: Iterable[Threshold], reserves: Reserves) -> list[Shortage]:
    """Those that hold now, the most pressing first."""
    found = []
    for threshold in thresholds:
        reserve = reserves.get(threshold.signal)
        if reserve is not None and reserve.available < threshold.least(reserve):
            found.append(Shortage(threshold.signal, threshold.least(reserve), reserve.available))
    order = [*Signal]
    return sorted(found, key=lambda each: order.index(each.signal))


def conditions(found: Iterable[Shortage]) -> frozenset[str]:
    """The types of the conditions that tell of them."""
    return frozenset(CONDITIONS[each.signal] for each in found)


def shown(signal: Signal, amount: int) -> str:
    """Bytes with binary suffixes; numbers plainly."""
    family = Family.BINARY if signal in (Signal.MEMORY, Signal.DISK) else Family.DECIMAL
    return quantity.render(Amount(Fraction(amount), family))
