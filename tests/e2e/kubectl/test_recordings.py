"""What was seen of Kubernetes, command by command in one long session, is seen here too, but for listed differences."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.kubectl import masking, programs, recordings
from tests.e2e.kubectl.cluster import Cluster
from tests.e2e.kubectl.recordings import Recording
from tests.e2e.kubectl.shell import Said, Shell

HERE = Path(__file__).parent
FACTS = os.environ.get("STEERSMAN_K8S_FACTS", "")
VARIES = "at times"
PATIENCE_SECONDS = 8.0

pytestmark = [
    *programs.needed,
    pytest.mark.skipif(not FACTS, reason="STEERSMAN_K8S_FACTS does not say where the recordings are"),
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.asyncio(loop_scope="package"),
]

_PROGRESS = re.compile(r"^Waiting for .*\n", re.MULTILINE)
_DESCRIPTION = re.compile(r"^DESCRIPTION:\n(?: {4}.*\n|\n)*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    number: int
    command: str
    recording: Recording | None = None


def steps(folder: Path) -> list[Step]:
    """The recorded commands, and between them those that make what the later ones show."""
    known = [Step(each.number, each.command, each) for each in recordings.read(folder)]
    made = [Step(int(number), command) for number, command in _pairs("between.txt")]
    return sorted((*known, *made), key=lambda step: step.number)


def differences() -> dict[str, str]:
    return dict(_pairs("differences.txt"))


def _pairs(file: str) -> Iterator[tuple[str, str]]:
    for line in (HERE / file).read_text().splitlines():
        if line and not line.startswith("#"):
            first, _, rest = line.partition(" ")
            yield first, rest


def seen(said: Said, command: str) -> list[str]:
    """What counts of an answer. The order of lines does not: it follows names that chance made."""
    stdout = _DESCRIPTION.sub("", _PROGRESS.sub("", said.stdout))
    stderr = "" if "-v=8" in command else said.stderr
    return sorted([f"exit {said.code}", *masking.masked(stdout).splitlines(), *masking.masked(stderr).splitlines()])


async def answered(shell: Shell, step: Step, *, differs: bool) -> Said:
    """Who waits for what will not come need not wait long."""
    if not differs:
        return await shell.run(step.command)
    return await shell.run(re.sub(r"--timeout=\d+s", "--timeout=1s", step.command), PATIENCE_SECONDS)


async def test_the_session_of_the_recordings(cluster: Cluster) -> None:
    folder = Path(FACTS) / "golden"
    shell, listed = cluster.shell(programs.newest(), folder / "manifests"), differences()
    wrong = []
    for step in steps(folder):
        recording = step.recording
        if recording is None:
            await shell.run(step.command)
            continue
        reason = listed.pop(recording.name, "")
        is_waiting = bool(reason) and not reason.startswith(VARIES)
        said = await answered(shell, step, differs=is_waiting)
        is_same = seen(said, step.command) == seen(recording.said, step.command)
        if reason.startswith(VARIES):
            continue
        if is_same and reason:
            wrong.append(f"{recording.name} is listed as different ({reason}), but is the same")
        elif not is_same and not reason:
            wrong.append(f"{recording.name}: {step.command}\n-- is\n{said}\n-- should be\n{recording.said}")
    assert not listed, f"listed as different, but not recorded: {sorted(listed)}"
    assert not wrong, "\n\n".join(wrong)
