"""How the agent tells users what it did: Events about pods and about its node."""

from __future__ import annotations

from typing import Protocol

from steersman.api.meta import Object


class Recorder(Protocol):
    """Takes note and returns at once: an Event is never a reason to wait or to fail."""

    def normal(self, about: Object, reason: str, message: str) -> None:
        """Something happened as it should."""

    def warning(self, about: Object, reason: str, message: str) -> None:
        """Something needs a human's attention."""
