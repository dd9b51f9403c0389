from __future__ import annotations

import pytest

from steersman.http2 import frames, settings
from steersman.http2.faults import Code, ConnectionFault
from steersman.http2.settings import PeerSettings


def payload(*pairs: tuple[int, int]) -> bytes:
    return settings.frame(dict(pairs))[frames.HEAD_BYTES :]


def test_the_last_word_counts_and_unknown_ones_mean_nothing() -> None:
    said = payload((settings.INITIAL_WINDOW_SIZE, 1), (0xABCD, 7)) + payload((settings.INITIAL_WINDOW_SIZE, 2))
    assert settings.applied(PeerSettings(), said) == PeerSettings(initial_window=2)


def test_what_is_not_said_stays() -> None:
    before = PeerSettings(initial_window=9, max_frame_size=20_000, max_concurrent_streams=3)
    assert settings.applied(before, payload((settings.MAX_FRAME_SIZE, 2**14))) == PeerSettings(9, 2**14, 3)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        pytest.param(payload((settings.ENABLE_PUSH, 2)), Code.PROTOCOL_ERROR, id="push is yes or no"),
        pytest.param(payload((settings.INITIAL_WINDOW_SIZE, 2**31)), Code.FLOW_CONTROL_ERROR, id="window"),
        pytest.param(payload((settings.MAX_FRAME_SIZE, 2**14 - 1)), Code.PROTOCOL_ERROR, id="frames too small"),
        pytest.param(payload((settings.MAX_FRAME_SIZE, 2**24)), Code.PROTOCOL_ERROR, id="frames too large"),
        pytest.param(b"12345", Code.FRAME_SIZE_ERROR, id="no whole setting"),
    ],
)
def test_faults(said: bytes, code: Code) -> None:
    with pytest.raises(ConnectionFault) as caught:
        settings.applied(PeerSettings(), said)
    assert caught.value.code is code
