"""Whether the engine may protect processes from the out-of-memory killer.

Lowering a process's score takes a right (CAP_SYS_RESOURCE) that rootless and nested engines lack, and nothing in their
answers says so: a container with a negative score just fails to start, with words that name something else. So one is
tried.
"""

from __future__ import annotations

from contextlib import suppress

from nodeagent.runtime.docker.client import EngineClient
from steersman.api.errors import ApiError, Conflict, Timeout, Unavailable

LOWEST = -1000
"""Where scores may be lowered."""
UNCHANGED = 0
"""Where they may not."""
TRIAL_SECONDS = 60.0


async def lowest_allowed(client: EngineClient, pause_image: str, name: str) -> int:
    """Start a container of that name with a lowered score, and remove it again."""
    body = {"Image": pause_image, "HostConfig": {"NetworkMode": "none", "OomScoreAdj": -1}}
    with suppress(Conflict):  # left by a trial that was cut short: it serves as well
        await client.call("POST", "/containers/create", {"name": name}, body, timeout_seconds=TRIAL_SECONDS)
    try:
        await client.call("POST", f"/containers/{name}/start", timeout_seconds=TRIAL_SECONDS)
    except (Unavailable, Timeout):
        raise
    except ApiError:
        return UNCHANGED
    else:
        return LOWEST
    finally:
        await _remove(client, name)


async def _remove(client: EngineClient, name: str) -> None:
    with suppress(ApiError):  # the next trial finds and removes it
        await client.call("DELETE", f"/containers/{name}", {"force": "1", "v": "1"}, timeout_seconds=TRIAL_SECONDS)
