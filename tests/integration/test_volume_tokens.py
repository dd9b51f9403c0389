"""Tokens for pods from a real API server: kept, replaced in time, and kept longer when no new one can be had."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from nodeagent.volumes.payload import TokenWish
from nodeagent.volumes.tokens import Tokens
from steersman.api import codec
from steersman.api.core import Pod, ServiceAccount
from steersman.api.errors import NotFound
from steersman.api.names import Uid
from steersman.base.clock import SystemClock
from steersman.client import client
from tests.apiserverprocess import api_server_process
from tests.builders import make, make_pod
from tests.fakes.clock import FakeClock

pytestmark = pytest.mark.timeout(180)

WISH = TokenWish("vault", 3600)


async def test_a_token_is_replaced_when_most_of_its_life_is_over(tmp_path: Path) -> None:
    async with api_server_process(data_dir=tmp_path) as server, client.connect([server.grpc]) as api:
        await api.raw(ServiceAccount).create(make("ServiceAccount", "robot"))
        spec = {"automountServiceAccountToken": False, "serviceAccountName": "robot"}
        pod = codec.load(Pod, (await api.raw(Pod).create(make_pod("web", node="node-a", spec=spec))).object)
        clock = FakeClock(SystemClock().now())
        tokens = Tokens(api, clock)

        async def at(moment: datetime) -> None:
            await clock.advance((moment - clock.now()).total_seconds())

        first = await tokens.get(pod, WISH)
        assert tokens.refresh_at(Uid(pod.metadata.uid)) == first.refresh_at
        assert await tokens.get(pod, WISH) is first
        await at(first.refresh_at)
        second = await tokens.get(pod, WISH)
        assert second is not first
        await api.of(ServiceAccount).delete("robot", "default")
        await at(second.refresh_at)
        assert await tokens.get(pod, WISH) is second
        await at(second.expires_at)
        with pytest.raises(NotFound):
            await tokens.get(pod, WISH)
