from __future__ import annotations

import pytest

from steersman.http2.faults import Code, ConnectionFault
from steersman.http2.patience import Patience


def test_it_ends_and_comes_back_with_time() -> None:
    patience = Patience(0.0, burst=3, per_second=2.0)
    for _ in range(3):
        patience.spend(0.0, "pings")
    with pytest.raises(ConnectionFault) as caught:
        patience.spend(0.4, "pings")
    assert (caught.value.code, caught.value.reason) == (Code.ENHANCE_YOUR_CALM, "too many pings")
    patience.spend(0.6, "pings")


def test_a_long_rest_saves_up_no_more_than_the_burst() -> None:
    patience = Patience(0.0, burst=2, per_second=1.0)
    for _ in range(2):
        patience.spend(1_000.0, "resets")
    with pytest.raises(ConnectionFault):
        patience.spend(1_000.0, "resets")
