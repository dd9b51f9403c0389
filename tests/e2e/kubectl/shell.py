"""A shell in which `kubectl` is one particular program, pointed at one particular cluster."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

COMMAND_SECONDS = 90.0
"""Far more than any command takes: what is still running then hangs."""

ENDED = 124
"""The exit code of a command that was ended, as of `timeout`."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a command left behind."""

    code: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Shell:
    where: Path
    environment: Mapping[str, str]

    @classmethod
    def with_kubectl(cls, kubectl: Path, kubeconfig: Path, *, home: Path, where: Path) -> Shell:
        """`home` is where kubectl keeps what it has learnt of the server; one for each version of it."""
        programs = home / "bin"
        programs.mkdir(parents=True, exist_ok=True)
        link = programs / "kubectl"
        if not link.is_symlink():
            link.symlink_to(kubectl)
        environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(home),
            "KUBECONFIG": str(kubeconfig),
            "TMPDIR": str(home),
            "LC_ALL": "C",
            "TZ": "UTC",
        }
        return cls(where, environment)

    async def run(self, command: str, seconds: float = COMMAND_SECONDS) -> Said:
        """It and all that it started are gone afterwards. What still runs after so many seconds is ended: code 124."""
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            command,
            cwd=self.where,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(seconds):
                stdout, stderr = await process.communicate()
        except TimeoutError:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            return Said(ENDED, "", f"still running after {seconds:g} s: {command}")
        return Said(process.returncode or 0, stdout.decode(), stderr.decode())
