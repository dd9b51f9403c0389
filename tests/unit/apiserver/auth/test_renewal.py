from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from apiserver.auth import renewal
from apiserver.auth.certificates import Credential, Pki
from tests.fakes.clock import START, FakeClock

HOUR = timedelta(hours=1)
NOTHING = Credential(Path("x.crt"), Path("x.key"), b"", b"")
PKI = Pki(
    directory=Path("pki"),
    authority=NOTHING,
    server=NOTHING,
    admin=NOTHING,
    apiserver=NOTHING,
    controller_manager=NOTHING,
    scheduler=NOTHING,
    kubeconfig_file=Path("admin.conf"),
    renew_at=START + 3 * HOUR,
)


async def test_renewed_when_due_and_tried_again_when_the_disk_is_full() -> None:
    clock = FakeClock()
    tried: list[datetime] = []
    in_use: list[Pki] = []

    def renew(now: datetime) -> Pki:
        tried.append(now)
        if len(tried) == 1:
            raise OSError("no space left on device")
        return replace(PKI, renew_at=now + 100 * HOUR)

    async with asyncio.TaskGroup() as group:
        renewing = group.create_task(renewal.keep_renewed(PKI, clock, renew, in_use.append))
        await clock.advance(10 * 3600)
        renewing.cancel()
    assert tried == [START + 3 * HOUR, START + 4 * HOUR]
    assert [pki.renew_at for pki in in_use] == [START + 104 * HOUR]
