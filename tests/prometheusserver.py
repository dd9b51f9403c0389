"""A real Prometheus for tests, with deploy/observability/prometheus.yaml but for whom it asks; killed at the end.

async with prometheus_server(tmp_path, {"steersman-apiserver": ["127.0.0.1:6443"]}, cluster_dir) as prometheus:
    series = await prometheus.query("up")
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

READY_SECONDS = 60.0
CALL_SECONDS = 20.0
SETTINGS = Path(__file__).parents[1] / "deploy" / "observability" / "prometheus.yaml"
CLUSTER_DIR = "/var/lib/steersman"
"""Where the settings believe the API server's certificates to be."""


def require_prometheus() -> str:
    """The program's path; skips the test where there is none."""
    found = shutil.which("prometheus")
    if found is None:
        pytest.skip("there is no prometheus on the PATH; Debian has a package of that name")
    return found


class PrometheusServer:
    def __init__(self, address: str) -> None:
        self._url = f"http://{address}"

    async def query(self, expression: str) -> Sequence[Mapping[str, Any]]:
        """The series that it gives at this moment."""
        status, answer = await self._asked("/api/v1/query", query=expression)
        assert status == 200, answer
        found: Sequence[Mapping[str, Any]] = json.loads(answer)["data"]["result"]
        return found

    async def answers(self) -> bool:
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            return (await self._asked("/-/ready"))[0] == 200
        return False

    async def _asked(self, path: str, **parameters: str) -> tuple[int, str]:
        patience = aiohttp.ClientTimeout(CALL_SECONDS)
        async with (
            aiohttp.ClientSession(timeout=patience) as session,
            session.get(f"{self._url}{path}", params=parameters) as answer,
        ):
            return answer.status, await answer.text()


@asynccontextmanager
async def prometheus_server(
    folder: Path, targets: Mapping[str, Sequence[str]], cluster_dir: Path
) -> AsyncIterator[PrometheusServer]:
    """`targets` by job; jobs that it does not name are left out."""
    program, address = require_prometheus(), _free_address()
    settings, log_file = folder / "prometheus.yaml", folder / "prometheus.log"
    settings.write_text(_adapted(SETTINGS.read_text(), targets, cluster_dir))
    arguments = (
        f"--config.file={settings}",
        f"--storage.tsdb.path={folder / 'tsdb'}",
        f"--web.listen-address={address}",
    )
    with log_file.open("wb") as log:
        process = await asyncio.create_subprocess_exec(program, *arguments, stdout=log, stderr=log)
    server = PrometheusServer(address)
    try:
        async with asyncio.timeout(READY_SECONDS):
            while not await server.answers():
                if process.returncode is not None:
                    raise RuntimeError(f"Prometheus has ended: {log_file.read_text()[-2000:]}")
                await asyncio.sleep(0.05)
        yield server
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _adapted(text: str, targets: Mapping[str, Sequence[str]], cluster_dir: Path) -> str:
    settings = yaml.safe_load(text.replace(CLUSTER_DIR, str(cluster_dir)))
    settings["global"]["scrape_interval"] = "1s"
    settings["scrape_configs"] = [
        {**job, "static_configs": [{"targets": list(targets[job["job_name"]])}]}
        for job in settings["scrape_configs"]
        if job["job_name"] in targets
    ]
    return yaml.safe_dump(settings)


def _free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"
