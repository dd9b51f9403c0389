"""README.md and docs/walkthrough.md do what they say: every command block is run as printed, in order, in one shell.

`make up` runs beside it, as in a terminal of its own. What would not be the same everywhere comes from outside: a home
folder, free ports, a Docker engine of this test.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from tests import dockerengine, freeports
from tests.dockerengine import BUSYBOX_IMAGE, NGINX_IMAGE, PrivateEngine
from tests.e2e import documents
from tests.e2e.documents import Block
from tests.eventually import eventually

ROOT = Path(__file__).parents[2]
README, WALKTHROUGH = ROOT / "README.md", ROOT / "docs" / "walkthrough.md"
WITHIN = 90.0
BLOCK_SECONDS = 240.0
UP = "make up"
FLEET = "docker compose"
"""Blocks with this are run by test_compose.py: the images alone take minutes."""
POLITE_WEB_SERVER = (
    'CMD ["/bin/sh", "-c", "trap \'exit 0\' TERM; httpd -p 80 -h /www; while :; do sleep 1000 & wait $!; done"]'
)

pytestmark = [
    pytest.mark.docker,
    pytest.mark.kubectl,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on the path"),
]


@pytest.fixture(scope="module")
def engine() -> Iterator[PrivateEngine]:
    """With an nginx that ends when it is asked to, as the real one does."""
    with dockerengine.private_engine() as private:
        made = private.docker("create", "--network=none", BUSYBOX_IMAGE)
        private.docker("commit", "--change", POLITE_WEB_SERVER, made, NGINX_IMAGE)
        private.docker("rm", made)
        yield private


class Reader:
    """Somebody who types what a document says into a shell."""

    def __init__(self, home: Path, environment: dict[str, str]) -> None:
        self._state = home / "shell"
        self._environment = environment
        self._state.write_text("")

    async def export(self, line: str) -> None:
        code, output = await self.types(line)
        assert code == 0, output

    async def follow(self, block: Block) -> None:
        """Each command must succeed. What the document shows may take a moment to be so."""
        code, output = await self.types(block.commands)
        assert code == 0, f"line {block.line} exits with {code}:\n{block.commands}\n{output}"

        async def shown() -> bool:
            nonlocal output
            lacking = documents.missing(block, output)
            if lacking and block.reads:
                output += (await self.types(block.reads))[1]
            assert not lacking, f"line {block.line} does not print {lacking}, but:\n{output}"
            return True

        await eventually(shown, within=WITHIN)

    async def types(self, commands: str) -> tuple[int, str]:
        """The exit code, and all that was printed. What is exported stays so."""
        script = f"set -eo pipefail\nsource {self._state}\n{commands}\nexport -p > {self._state}\n"
        process = await asyncio.create_subprocess_exec(
            *("bash", "-c", script),
            cwd=ROOT,
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(BLOCK_SECONDS):
                output, _ = await process.communicate()
        finally:
            with suppress(ProcessLookupError):  # also what a block that failed has left in the background
                os.killpg(process.pid, signal.SIGKILL)
        assert process.returncode is not None
        return process.returncode, output.decode()


@pytest.fixture
def environment(engine: PrivateEngine, tmp_path: Path) -> dict[str, str]:
    """That of somebody who has just logged in; with ports of their own where everybody has the usual ones."""
    ours = ("STEER", "MAKE", "MFLAGS", "KUBECONFIG", "DOCKER_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {
        **kept,
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        "DOCKER_HOST": engine.url,
        "UP": f"--rest-port={freeports.take()} --grpc-port={freeports.take()}",
        "STEERSMAN_DOCKER_NETWORK_SUBNET": engine.new_subnet(),
    }


@asynccontextmanager
async def made_up(environment: dict[str, str], folder: Path) -> AsyncIterator[str]:
    """`make up`, as in a terminal of its own; the line that it prints for other terminals."""
    log = folder / "up.log"
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *("make", "up"), cwd=ROOT, env=environment, stdout=output, stderr=output, start_new_session=True
        )
    try:

        def usable() -> str:
            said = log.read_text()
            assert process.returncode is None, said
            line = re.search(r"export KUBECONFIG=\S+", said)
            assert line is not None, said
            return line[0]

        yield await eventually(usable, within=WITHIN)
        os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does
        async with asyncio.timeout(WITHIN):
            await process.wait()
        assert "has ended; its data is in" in log.read_text()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def test_the_walkthrough(environment: dict[str, str], tmp_path: Path) -> None:
    first, *blocks = documents.blocks(WALKTHROUGH)
    assert first.commands == UP
    reader = Reader(tmp_path, environment)
    async with made_up(environment, tmp_path) as export:
        await reader.export(export)
        for block in blocks:
            await reader.follow(block)


async def test_the_readme(environment: dict[str, str], tmp_path: Path) -> None:
    """What stands behind the next heading needs no cluster that runs, or brings its own."""
    first, *blocks = [block for block in documents.blocks(README) if FLEET not in block.commands]
    assert first.commands == UP
    five_minutes = [block for block in blocks if block.line < _line_of("### A whole fleet")]
    reader = Reader(tmp_path, environment)
    async with made_up(environment, tmp_path):
        for block in five_minutes:
            await reader.follow(block)
    grpc = f"127.0.0.1:{freeports.take()}"
    usual = {
        "STEERSMAN_REST_ADDRESS": f"127.0.0.1:{freeports.take()}",
        "STEERSMAN_GRPC_ADDRESS": grpc,
        "STEERSMAN_SERVER": grpc,
        "STEERSMAN_ADDRESS": "127.0.0.1:0",
        "STEERSMAN_HTTP_ADDRESS": "127.0.0.1:0",
    }
    by_hand = Reader(tmp_path, environment | usual)
    for block in blocks[len(five_minutes) :]:
        await by_hand.follow(block)


def _line_of(heading: str) -> int:
    lines = README.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.startswith(heading))


@pytest.mark.parametrize("document", [README, WALKTHROUGH], ids=lambda path: path.name)
def test_every_file_that_a_document_leads_to_is_there(document: Path) -> None:
    linked = re.findall(r"\]\(([^()#\s]+)\)", document.read_text())
    named = re.findall(r"`((?:tests|docs|deploy|examples|bench)/[\w./-]+)`", document.read_text())
    lost = [each for each in linked if "://" not in each and not (document.parent / each).exists()]
    assert lost + [each for each in named if not (ROOT / each).exists()] == []
