"""The kubectl programs to try: the one on the path, and those named in STEERSMAN_KUBECTLS (paths, with colons)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

VARIABLE = "STEERSMAN_KUBECTLS"

needed = [
    pytest.mark.kubectl,
    pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on the path"),
]

asked_for = pytest.mark.skipif(
    not os.environ.get("STEERSMAN_E2E_KUBECTL"),
    reason="STEERSMAN_E2E_KUBECTL is not set: these sessions take minutes (make test-kubectl)",
)


def found() -> list[Path]:
    """The installed one first."""
    installed = shutil.which("kubectl")
    further = [Path(each) for each in os.environ.get(VARIABLE, "").split(":") if each]
    return [*([Path(installed)] if installed else []), *further]


def newest() -> Path:
    """The last one that was named: recordings are made with a new client."""
    return found()[-1]
