"""Every example does what its first lines say."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.apiserverprocess import api_server_process

EXAMPLES = Path(__file__).parents[2] / "examples"


async def test_01_watch_configmaps(tmp_path: Path) -> None:
    async with api_server_process(data_dir=tmp_path, insecure=False) as server:
        command = [sys.executable, str(EXAMPLES / "01-watch-configmaps.py"), str(tmp_path), server.grpc]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        output, _ = await process.communicate()
    assert process.returncode == 0
    told = [line.split(" ", 1)[1] for line in output.decode().splitlines()]
    assert told == [
        "ADDED greeting {'text': 'ahoy'}",
        "MODIFIED greeting {'text': 'ahoy, world'}",
        "DELETED greeting {'text': 'ahoy, world'}",
    ]
