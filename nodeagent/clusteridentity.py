"""Which cluster this is: the uid of the namespace kube-system, which no two clusters share.

What an agent runs is labelled with it. A store that was emptied and begun anew is another cluster, wherever it is.
"""

from __future__ import annotations

from steersman.api.core import Namespace
from steersman.api.errors import ApiError
from steersman.base import log
from steersman.base.backoff import Backoff
from steersman.base.clock import Clock
from steersman.client.client import Client

NAMESPACE = "kube-system"
BETWEEN_TRIES = Backoff(initial=0.2, maximum=5.0, jitter=0.5)

_log = log.get("cluster")


class ClusterChanged(Exception):
    """The API server speaks for another cluster than the one whose containers run here. They are left alone."""

    def __init__(self, ours: str, theirs: str) -> None:
        super().__init__(f"the API server now serves cluster {theirs}, not {ours}: its containers are left as they are")


async def read(api: Client) -> str:
    """Raises ApiError."""
    return (await api.of(Namespace).get(NAMESPACE)).metadata.uid


async def wait(api: Client, clock: Clock) -> str:
    """As soon as an API server says it."""
    failures = 0
    while True:
        try:
            return await read(api)
        except ApiError as error:
            _log.info("waiting for the API server", error=error.reason, reason=error.message)
        await clock.sleep(BETWEEN_TRIES.delay(failures))
        failures += 1


async def confirm(api: Client, ours: str) -> None:
    """Raises ClusterChanged, or ApiError."""
    theirs = await read(api)
    if theirs != ours:
        raise ClusterChanged(ours, theirs)
