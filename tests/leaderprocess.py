"""A process that leads: `python -m tests.leaderprocess <endpoint> <holder>`. Says its token when elected, and stays."""

from __future__ import annotations

import asyncio
import sys

from steersman.client import client
from steersman.client.requests import Term
from steersman.control.leadership import Leadership

NAMESPACE, NAME = "kube-system", "kube-controller-manager"


async def main(endpoint: str, holder: str) -> None:
    async def work(term: Term) -> None:
        sys.stdout.write(f"{term.token}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()

    async with client.connect([endpoint]) as api:
        await Leadership(api, NAMESPACE, NAME, holder).lead(work)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
