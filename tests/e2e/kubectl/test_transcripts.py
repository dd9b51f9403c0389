"""Every transcript, played with every kubectl."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.kubectl import programs, session, transcripts
from tests.e2e.kubectl.cluster import Cluster

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))

pytestmark = [
    *programs.needed,
    programs.asked_for,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="package"),
]


@pytest.mark.parametrize("kubectl", programs.found(), ids=lambda path: path.name)
@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda path: path.stem)
async def test_a_user_sees(cluster: Cluster, kubectl: Path, file: Path) -> None:
    shell = await session.opened(cluster, kubectl, file.stem)
    try:
        for exchange in transcripts.read(file):
            answer = await session.played(shell, exchange)
            assert answer == exchange.answer, f"{exchange.command}\n-- is\n{answer}\n-- should be\n{exchange.answer}"
    finally:
        await session.closed(shell, file.stem)
