"""What an API server process says about itself on /metrics."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from urllib.request import urlopen


async def gauges(rest_address: str) -> dict[str, float]:
    """By name, summed over labels."""

    def scrape() -> str:
        with urlopen(f"http://{rest_address}/metrics", timeout=60) as answer:
            return str(answer.read().decode())

    found: defaultdict[str, float] = defaultdict(float)
    for line in (await asyncio.to_thread(scrape)).splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            found[name.partition("{")[0]] += float(value)
    return dict(found)
