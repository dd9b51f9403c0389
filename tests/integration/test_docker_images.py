"""Images from a real registry that asks who is there."""

from __future__ import annotations

import io
import tarfile
from collections.abc import AsyncIterator, Iterator

import pytest

from nodeagent.runtime.interface import PullFailed
from nodeagent.runtime.specs import Credentials
from tests import registryserver, runtimes
from tests.dockerengine import Engine
from tests.registryserver import PASSWORD, USER, Registry
from tests.runtimes import World

pytestmark = [pytest.mark.docker, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def registry(docker_engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    """With `team/app:1` in it."""
    with registryserver.registry_server() as started:
        name = f"{started.address}/team/app:1"
        config = str(tmp_path_factory.mktemp("docker-config"))
        login = ("--config", config, "login", "--username", USER, "--password-stdin", started.address)
        docker_engine.docker(*login, content=PASSWORD.encode())
        docker_engine.docker("import", "--change", 'CMD ["/app"]', "-", name, content=_nothing())
        docker_engine.docker("--config", config, "push", "--quiet", name)
        docker_engine.docker("rmi", name)
        yield started


def _nothing() -> bytes:
    """An empty file system."""
    content = io.BytesIO()
    tarfile.open(fileobj=content, mode="w").close()
    return content.getvalue()


@pytest.fixture
async def world(docker_engine: Engine) -> AsyncIterator[World]:
    async with runtimes.docker_world(docker_engine) as opened:
        yield opened


@pytest.fixture
def name(registry: Registry) -> str:
    return f"{registry.address}/team/app:1"


def credentials(registry: Registry, password: str = PASSWORD) -> Credentials:
    return Credentials(USER, password, registry.address)


async def test_an_image_is_pulled_with_credentials_and_removed(world: World, registry: Registry, name: str) -> None:
    assert await world.runtime.find_image(name) is None
    pulled = await world.runtime.pull_image(name, credentials(registry))
    try:
        assert name in pulled.tags
        (digest,) = (found for found in pulled.digests if found.startswith(registry.address))
        assert digest.startswith(f"{registry.address}/team/app@sha256:")
        by_digest = await world.runtime.find_image(digest)
        assert by_digest is not None
        assert by_digest.id == pulled.id
        assert (await world.runtime.pull_image(digest, credentials(registry))).id == pulled.id
    finally:
        await world.runtime.remove_image(pulled.id)
    assert await world.runtime.find_image(name) is None


@pytest.mark.parametrize("password", [None, "wrong"], ids=["nobody", "wrong password"])
async def test_who_may_not_pull_is_told_in_the_engines_words(
    world: World, registry: Registry, name: str, password: str | None
) -> None:
    given = None if password is None else credentials(registry, password)
    with pytest.raises(PullFailed) as refused:
        await world.runtime.pull_image(name, given)
    assert "no basic auth credentials" in refused.value.message or "unauthorized" in refused.value.message


async def test_a_tag_that_is_not_there_is_said(world: World, registry: Registry) -> None:
    with pytest.raises(PullFailed, match="manifest unknown|not found"):
        await world.runtime.pull_image(f"{registry.address}/team/app:2", credentials(registry))


async def test_a_registry_that_is_not_there_is_said(world: World) -> None:
    with pytest.raises(PullFailed, match="connection refused"):
        await world.runtime.pull_image("127.0.0.1:1/app:1")


async def test_a_name_is_not_taken_for_the_beginning_of_an_id(world: World) -> None:
    """Docker would find an image whose id begins with these letters."""
    assert await world.runtime.find_image(world.image.removeprefix("sha256:")[:12]) is None
