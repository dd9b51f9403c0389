"""Write the answers of a running cluster into transcripts; what changed is then read, and committed if it is right.

python -m tests.e2e.kubectl.record tests/e2e/kubectl/transcripts/*.txt
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.e2e.kubectl import cluster as clusters
from tests.e2e.kubectl import programs, session, transcripts
from tests.e2e.kubectl.cluster import Cluster


async def record(cluster: Cluster, file: Path) -> None:
    shell = await session.opened(cluster, programs.found()[0], file.stem)
    answers = [await session.played(shell, exchange) for exchange in transcripts.read(file)]
    transcripts.rewrite(file, answers)
    await session.closed(shell, file.stem)


async def main(files: list[Path]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with clusters.running(Path(folder)) as cluster:
            for file in files:
                await record(cluster, file)


if __name__ == "__main__":
    asyncio.run(main([Path(name) for name in sys.argv[1:]]))
