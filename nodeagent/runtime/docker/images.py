"""Images on the engine: found, fetched, listed, removed."""

from __future__ import annotations

import base64
import io
import re
from urllib.parse import quote

import msgspec

from nodeagent.runtime import references
from nodeagent.runtime.docker import reading
from nodeagent.runtime.docker.client import EngineClient
from nodeagent.runtime.interface import PullFailed
from nodeagent.runtime.seen import Image
from nodeagent.runtime.specs import Credentials
from steersman.api.errors import ApiError, Conflict, NotFound, Timeout, Unavailable

PULL_SILENCE_SECONDS = 120.0
REMOVE_SECONDS = 60.0
_SHORT_ID = re.compile(r"[0-9a-f]{4,64}")


class Images:
    def __init__(self, client: EngineClient) -> None:
        self._client = client

    async def find(self, reference: str) -> Image | None:
        if not references.is_id(reference):
            references.parse(reference)
        try:
            answer = await self._client.call("GET", f"/images/{_in_path(reference)}/json")
        except NotFound:
            return None
        image = reading.image(answer)
        return None if _is_accident(reference, image) else image

    async def pull(self, reference: str, credentials: Credentials | None) -> Image:
        wanted = references.parse(reference)
        headers = {} if credentials is None else {"X-Registry-Auth": encode_credentials(credentials)}
        query = {"fromImage": wanted.repository, "tag": wanted.version}
        try:
            async with self._client.stream(
                "POST", "/images/create", query, headers=headers, silence_seconds=PULL_SILENCE_SECONDS
            ) as response:
                async for line in response.content:
                    progress = msgspec.json.decode(line)
                    if "error" in progress:
                        raise PullFailed(progress["error"])
        except (PullFailed, Unavailable, Timeout):
            raise
        except ApiError as error:
            raise PullFailed(error.message) from error
        image = await self.find(reference)
        if image is None:
            raise PullFailed(f"{reference} was fetched, but is gone again")
        return image

    async def load(self, reference: str, archive: bytes, changes: str) -> None:
        """Make an image of a file system (a tar), as `docker import` does. `changes`: one Dockerfile instruction."""
        wanted = references.parse(reference)
        query = {"fromSrc": "-", "repo": wanted.repository, "tag": wanted.tag, "changes": changes}
        headers = {"Content-Type": "application/x-tar"}
        async with self._client.stream(
            "POST",
            "/images/create",
            query,
            headers=headers,
            body=io.BytesIO(archive),
            silence_seconds=PULL_SILENCE_SECONDS,
        ) as response:
            async for line in response.content:
                progress = msgspec.json.decode(line)
                if "error" in progress:
                    raise PullFailed(progress["error"])

    async def list(self) -> tuple[Image, ...]:
        return tuple(reading.image(answer) for answer in await self._client.call("GET", "/images/json"))

    async def remove(self, image_id: str) -> None:
        """By its names, one after the other: to Docker, removing by id with `force` would also take images away from
        stopped containers."""
        image = await self.find(image_id)
        if image is None:
            return
        await self._refuse_if_used(image.id)
        for name in (*image.tags, image.id):
            try:
                await self._client.call("DELETE", f"/images/{_in_path(name)}", timeout_seconds=REMOVE_SECONDS)
            except NotFound:
                continue

    async def _refuse_if_used(self, image_id: str) -> None:
        filters = msgspec.json.encode({"ancestor": [image_id]}).decode()
        users = await self._client.call("GET", "/containers/json", {"all": "1", "filters": filters})
        if users:
            raise Conflict(f"image {image_id} is used by container {users[0]['Id']}")


def encode_credentials(credentials: Credentials) -> str:
    if credentials.identity_token:
        fields = {"identitytoken": credentials.identity_token, "serveraddress": credentials.server}
    else:
        fields = {
            "username": credentials.username,
            "password": credentials.password,
            "serveraddress": credentials.server,
        }
    return base64.urlsafe_b64encode(msgspec.json.encode(fields)).decode()


def _in_path(reference: str) -> str:
    return quote(reference, safe="/:@")


def _is_accident(reference: str, image: Image) -> bool:
    """An image *name* such as `cafe` that Docker took for the beginning of some image's id."""
    digest = image.id.removeprefix("sha256:")
    return (
        _SHORT_ID.fullmatch(reference) is not None
        and digest.startswith(reference)
        and digest != reference
        and f"{reference}:latest" not in image.tags
    )
