"""Published facts about Kubernetes' types, for tests to compare with. The folder comes from STEERSMAN_K8S_FACTS."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FOLDER = os.environ.get("STEERSMAN_K8S_FACTS", "")

needed = pytest.mark.skipif(not FOLDER, reason="STEERSMAN_K8S_FACTS does not name a folder with facts about Kubernetes")


@cache
def read(name: str) -> Any:
    return json.loads((Path(FOLDER) / name).read_text()) if FOLDER else {}


def folder(name: str) -> list[Path]:
    return sorted((Path(FOLDER) / name).iterdir()) if FOLDER else []
