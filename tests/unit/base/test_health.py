from __future__ import annotations

import asyncio

import pytest

from steersman.base.health import Health, Report, Unhealthy


async def passes() -> None:
    return None


async def fails() -> None:
    raise Unhealthy("the store is away")


async def hangs() -> None:
    await asyncio.Event().wait()


def health(**checks: object) -> Health:
    made = Health("readyz", timeout_seconds=0.002)
    for name, check in checks.items():
        made.add(name, check)  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize(
    ("checks", "exclude", "expected"),
    [
        pytest.param({}, [], Report(ok=True, lines=("[+]ping ok",)), id="alive, if nothing else"),
        pytest.param({"etcd": passes}, [], Report(ok=True, lines=("[+]ping ok", "[+]etcd ok")), id="all pass"),
        pytest.param(
            {"etcd": fails, "cache": passes},
            [],
            Report(ok=False, lines=("[+]ping ok", "[-]etcd failed: reason withheld", "[+]cache ok")),
            id="one fails, in its place, without its reason",
        ),
        pytest.param(
            {"etcd": hangs},
            [],
            Report(ok=False, lines=("[+]ping ok", "[-]etcd failed: reason withheld")),
            id="one hangs",
        ),
        pytest.param(
            {"etcd": fails},
            ["etcd"],
            Report(ok=True, lines=("[+]ping ok", "[+]etcd excluded: ok")),
            id="the failing one is excluded",
        ),
        pytest.param(
            {},
            ["etc", "x"],
            Report(
                ok=True,
                lines=(
                    "[+]ping ok",
                    'warn: some health checks cannot be excluded: no matches for "etc", "x"',
                ),
            ),
            id="excluding what is not there",
        ),
    ],
)
async def test_report(checks: dict[str, object], exclude: list[str], expected: Report) -> None:
    assert await health(**checks).report(exclude) == expected


async def test_one_check_gives_its_reason() -> None:
    checked = health(etcd=fails, slow=hangs)
    assert (await checked.check("etcd")).reason == "the store is away"
    assert (await checked.check("slow")).reason == "no answer within 0.002 s"
    assert (await checked.check("ping")).reason is None


async def test_an_error_without_text_is_named() -> None:
    async def breaks() -> None:
        raise KeyError

    assert (await health(odd=breaks).check("odd")).reason == "KeyError"


def test_a_name_is_taken_once() -> None:
    with pytest.raises(ValueError, match="readyz has a check 'ping' already"):
        health(ping=passes)


async def test_cancellation_passes() -> None:
    async def cancelled() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await health(odd=cancelled).check("odd")
