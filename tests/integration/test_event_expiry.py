"""Events go when their time is over, and stay when they are said again."""

from __future__ import annotations

from pathlib import Path

from apiserver import server
from apiserver.config import Settings
from steersman.api.core import Event
from steersman.api.meta import ObjectMeta
from steersman.api.part import Time
from steersman.base.values import Address, Duration
from steersman.client import client
from tests.eventually import eventually

ANY_PORT = Address("127.0.0.1", 0)


async def test_an_event_goes_when_its_time_is_over(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=tmp_path, grpc_address=ANY_PORT, rest_address=ANY_PORT, insecure=True, event_ttl=Duration(1.0)
    )
    async with server.serving(settings) as serving, client.connect([str(serving.grpc)]) as api:
        for name in ("one", "two"):
            said = Event(
                metadata=ObjectMeta(name=name, namespace="default"), last_timestamp=Time("2020-01-01T00:00:00Z")
            )
            await api.of(Event).create(said)

        async def all_gone() -> bool:
            return not (await api.of(Event).list("default")).items

        await eventually(all_gone, within=30)
