"""Certificates that are renewed while a client runs: who is turned away looks whether there are new ones."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from apiserver import server
from apiserver.config import Settings
from apiserver.server import Serving
from steersman.api.authentication import SelfSubjectReview
from steersman.api.core import Namespace
from steersman.api.errors import Timeout, Unavailable
from steersman.client import client
from steersman.client.transport import CredentialFiles, Credentials
from tests.integration.conftest import ANY_PORT

Files = tuple[Path, Path, Path]


@pytest.fixture
async def serving(tmp_path: Path) -> AsyncIterator[Serving]:
    settings = Settings(data_dir=tmp_path / "data", grpc_address=ANY_PORT, rest_address=ANY_PORT)
    async with server.serving(settings) as started:
        yield started


@pytest.fixture
def pki(serving: Serving, tmp_path: Path) -> Path:
    return tmp_path / "data" / "pki"


@pytest.fixture
def files(pki: Path, tmp_path: Path) -> Files:
    """The controller manager's, for a start; whoever renews them has them name somebody else."""
    ours = (tmp_path / "ca.crt", tmp_path / "our.crt", tmp_path / "our.key")
    shutil.copy(pki / "ca.crt", ours[0])
    renew(ours, pki, "controller-manager")
    return ours


def renew(files: Files, pki: Path, name: str) -> None:
    """Each file in one step, as those do who care."""
    for file, suffix in ((files[1], "crt"), (files[2], "key")):
        fresh = file.with_suffix(".fresh")
        shutil.copy(pki / f"{name}.{suffix}", fresh)
        fresh.replace(file)


def of(files: Files, pki: Path, name: str) -> Credentials:
    return Credentials.from_files(files[0], pki / f"{name}.crt", pki / f"{name}.key")


def test_files_are_read_again_when_they_have_changed(files: Files, pki: Path) -> None:
    source = CredentialFiles(*files)
    first = source.current()
    assert first == of(files, pki, "controller-manager")
    assert source.current() is first
    renew(files, pki, "admin")
    assert source.current() == of(files, pki, "admin")


def test_files_that_do_not_go_together_are_left_for_later(files: Files, pki: Path) -> None:
    source = CredentialFiles(*files)
    shutil.copy(pki / "admin.key", files[2])
    assert source.current() == of(files, pki, "controller-manager")
    files[1].unlink()
    assert source.current() == of(files, pki, "controller-manager")
    shutil.copy(pki / "admin.crt", files[1])
    assert source.current() == of(files, pki, "admin")


async def test_a_client_that_is_turned_away_comes_back_with_what_it_was_given_since(
    serving: Serving, pki: Path, files: Files
) -> None:
    shutil.copy(pki / "admin.crt", files[0])  # an authority that has signed nothing
    async with client.connect([str(serving.grpc)], CredentialFiles(*files)) as api:
        with pytest.raises((Unavailable, Timeout)):
            await api.of(Namespace).get("default", timeout_seconds=0.5)
        shutil.copy(pki / "ca.crt", files[0])
        renew(files, pki, "admin")
        review = await api.of(SelfSubjectReview).create(SelfSubjectReview())
        assert review.object.status.user_info.username == "kubernetes-admin"
