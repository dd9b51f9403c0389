"""Values in complaints, for the places where Kubernetes shows one of its internal types: their fields' names differ."""

from __future__ import annotations

from typing import Any

import msgspec


def internally(**fields: Any) -> msgspec.Raw:
    """An object with these fields, named and ordered as given."""
    return msgspec.Raw(msgspec.json.encode(fields))
