"""emptyDir and hostPath volumes on a real file system."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeagent.runtime.specs import MemoryVolume
from nodeagent.volumes import Folder, LocalVolumes, VolumeProblem
from steersman.api.core import ConfigMapVolumeSource, EmptyDirVolumeSource, HostPathVolumeSource, Volume
from steersman.api.names import Uid
from steersman.api.part import Quantity
from tests.unit.nodeagent.views import pod


def host_path(path: Path, kind: str | None = None) -> Volume:
    return Volume(name="v", host_path=HostPathVolumeSource(path=str(path), type=kind))


async def test_an_empty_folder_lives_as_long_as_its_pod(tmp_path: Path) -> None:
    volumes = LocalVolumes(tmp_path)
    wanted = pod(volumes=(Volume(name="v", empty_dir=EmptyDirVolumeSource()),))
    source = (await volumes.prepare(wanted)).sources["v"]
    assert isinstance(source, Folder)
    (source.path / "note").write_text("kept")
    again = (await volumes.prepare(wanted)).sources["v"]
    assert again == source
    assert (source.path / "note").read_text() == "kept"
    assert source.path.stat().st_mode & 0o777 == 0o777
    await volumes.release(Uid("uid-1"))
    assert not source.path.exists()
    await volumes.release(Uid("uid-1"))


async def test_memory_has_no_folder(tmp_path: Path) -> None:
    empty_dir = EmptyDirVolumeSource(medium="Memory", size_limit=Quantity("1Ki"))
    prepared = await LocalVolumes(tmp_path).prepare(pod(volumes=(Volume(name="v", empty_dir=empty_dir),)))
    assert prepared.sources["v"] == MemoryVolume("v", 1024)


@pytest.mark.parametrize("kind", ["Directory", "DirectoryOrCreate", "", None])
async def test_a_folder_of_the_machine(tmp_path: Path, kind: str | None) -> None:
    prepared = await LocalVolumes(tmp_path).prepare(pod(volumes=(host_path(tmp_path, kind),)))
    assert prepared.sources["v"] == Folder(tmp_path)


async def test_what_is_missing_is_made_if_the_type_says_so(tmp_path: Path) -> None:
    volumes = LocalVolumes(tmp_path)
    await volumes.prepare(pod(volumes=(host_path(tmp_path / "folder", "DirectoryOrCreate"),)))
    await volumes.prepare(pod(volumes=(host_path(tmp_path / "file", "FileOrCreate"),)))
    assert (tmp_path / "folder").is_dir()
    assert (tmp_path / "file").is_file()


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("Directory", "directory"),
        ("Socket", "socket"),
        ("CharDevice", "character device"),
        ("BlockDevice", "block device"),
    ],
)
async def test_what_is_of_another_type_is_refused(tmp_path: Path, kind: str, word: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(VolumeProblem, match=f"hostPath type check failed: {tmp_path}/file is not a {word}"):
        await LocalVolumes(tmp_path).prepare(pod(volumes=(host_path(tmp_path / "file", kind),)))


async def test_a_volume_leaves_other_folders_alone(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    volumes = LocalVolumes(tmp_path / "data")
    await volumes.prepare(pod(volumes=(host_path(outside),)))
    await volumes.release(Uid("uid-1"))
    assert outside.exists()


async def test_other_kinds_are_refused_by_name(tmp_path: Path) -> None:
    wanted = pod(volumes=(Volume(name="settings", config_map=ConfigMapVolumeSource(name="x")),))
    with pytest.raises(VolumeProblem, match='MountVolume.SetUp failed for volume "settings"'):
        await LocalVolumes(tmp_path).prepare(wanted)
