from __future__ import annotations

import pytest

from steersman.base import run
from steersman.base.run import Stopping


def raised(error: Exception) -> Exception:
    with pytest.raises(type(error)) as caught:
        raise error
    return caught.value


@pytest.mark.parametrize(
    ("error", "told"),
    [
        pytest.param(
            raised(OSError(98, "address in use")), "OSError: [Errno 98] address in use", id="the outside world"
        ),
        pytest.param(OSError(), "OSError", id="without text"),
    ],
)
def test_an_error_from_outside_is_told_in_its_own_words(error: Exception, told: str) -> None:
    assert run.describe(error) == {"error": told}


def test_an_error_of_ours_is_told_with_its_place() -> None:
    told = run.describe(raised(KeyError("spec")))
    assert told["error"] == "KeyError: 'spec'"
    assert told["at"].endswith("in raised")


async def test_stopping_is_set_once_and_for_all() -> None:
    stopping = Stopping()
    assert not stopping.is_set()
    stopping.set()
    stopping.set()
    await stopping.wait()
    assert stopping.is_set()
