"""What was seen of Kubernetes, command by command in one long session, is seen here too, but for listed differences."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.kubectl import cluster as clusters
from tests.e2e.kubectl import masking, programs, recordings, session
from tests.e2e.kubectl.recordings import Recording
from tests.e2e.kubectl.shell import Said, Shell

HERE = Path(__file__).parent
FACTS = os.environ.get("STEERSMAN_K8S_FACTS", "")
VARIES = "at times"
PATIENCE_SECONDS = 8.0
LOOKING = (
    "kubectl describe ",
    "kubectl diff ",
    "kubectl events ",
    "kubectl get ",
    "kubectl rollout history ",
    "kubectl rollout status ",
    "timeout 3 kubectl get ",
)
"""How commands begin that change nothing: asked again until everybody has done what the recording shows."""

pytestmark = [
    *programs.needed,
    programs.asked_for,
    pytest.mark.skipif(not FACTS, reason="STEERSMAN_K8S_FACTS does not say where the recordings are"),
    pytest.mark.slow,
    pytest.mark.timeout(900),
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


def is_same(said: Said, recording: Recording) -> bool:
    return seen(said, recording.command) == seen(recording.said, recording.command)


async def answered(shell: Shell, recording: Recording, *, differs: bool) -> Said:
    """Who waits for what will not come need not wait long."""
    command = recording.command
    if differs:
        return await shell.run(re.sub(r"--timeout=\d+s", "--timeout=1s", command), PATIENCE_SECONDS)
    if command.startswith(LOOKING):
        return await session.settled(shell, command, lambda said: is_same(said, recording))
    return await shell.run(command)


async def test_the_session_of_the_recordings(tmp_path: Path) -> None:
    async with clusters.running(tmp_path) as cluster:  # one that nobody has touched
        folder = Path(FACTS) / "golden"
        wrong = await faults(cluster.shell(programs.newest(), folder / "manifests"), steps(folder))
    assert not wrong, "\n\n".join(wrong)


async def faults(shell: Shell, course: list[Step]) -> list[str]:
    """What is not as it was recorded, and not as it is listed."""
    listed, wrong = differences(), []
    for step in course:
        recording = step.recording
        if recording is None:
            await shell.run(step.command)
            continue
        reason = listed.pop(recording.name, "")
        said = await answered(shell, recording, differs=bool(reason))
        if reason.startswith(VARIES):
            continue
        if is_same(said, recording) and reason:
            wrong.append(f"{recording.name} is listed as different ({reason}), but is the same")
        elif not is_same(said, recording) and not reason:
            wrong.append(f"{recording.name}: {step.command}\n-- is\n{said}\n-- should be\n{recording.said}")
    return [*wrong, *(f"{name} is listed as different, but not recorded" for name in sorted(listed))]
