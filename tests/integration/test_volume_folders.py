"""Volumes on a real disk: atomic updates, ownership, host paths, parts of volumes."""

from __future__ import annotations

import os
import socket
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nodeagent.runtime.specs import MemoryVolume
from nodeagent.volumes import Folder, VolumeProblem, atomicfolder, hostfolders, ownership, subpaths
from nodeagent.volumes.payload import File
from steersman.api.core import EmptyDirVolumeSource, HostPathVolumeSource
from steersman.api.part import Quantity

NOW = datetime(2030, 1, 1, tzinfo=UTC)
ROOT = Path("/")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


def write(folder: Path, files: dict[str, str], at: int = 0) -> bool:
    found = {path: File(text.encode(), 0o640) for path, text in files.items()}
    return atomicfolder.write(folder, found, None, NOW + timedelta(seconds=at))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_layout_is_that_of_kubernetes(tmp_path: Path) -> None:
    volume = tmp_path / "v"
    assert write(volume, {"key": "1", "deep/down/file": "2"})
    assert (volume / "key").readlink() == Path("..data/key")
    assert (volume / "deep").readlink() == Path("..data/deep")
    dated = (volume / "..data").readlink()
    assert str(dated).startswith("..2030_01_01_00_00_00.")
    assert names(volume) == {"key", "deep", "..data", str(dated)}
    assert (volume / "deep/down/file").read_text() == "2"
    assert stat.S_IMODE((volume / "key").stat().st_mode) == 0o640
    assert stat.S_IMODE((volume / str(dated)).stat().st_mode) == 0o755


def test_an_update_replaces_all_files_and_leaves_nothing_behind(tmp_path: Path) -> None:
    volume = tmp_path / "v"
    write(volume, {"stays": "old", "goes": "x"})
    opened = (volume / "..data").resolve()
    assert write(volume, {"stays": "new", "comes": "y"}, at=1)
    assert (volume / "stays").read_text() == "new"
    assert names(volume) == {"stays", "comes", "..data", str((volume / "..data").readlink())}
    assert not opened.exists()


def test_nothing_is_written_when_nothing_has_changed(tmp_path: Path) -> None:
    volume = tmp_path / "v"
    write(volume, {"key": "1"})
    before = (volume / "..data").readlink()
    assert not write(volume, {"key": "1"}, at=1)
    assert (volume / "..data").readlink() == before


def test_a_write_that_was_cut_off_is_mended(tmp_path: Path) -> None:
    volume = tmp_path / "v"
    write(volume, {"key": "1"})
    (volume / "..2029_12_31_00_00_00.000000").mkdir()  # filled by an agent that died before it moved the link
    (volume / "..data_tmp").symlink_to("..2029_12_31_00_00_00.000000")
    (volume / "key").unlink()
    write(volume, {"key": "1"})
    assert (volume / "key").read_text() == "1"
    assert write(volume, {"key": "2"}, at=2)
    assert names(volume) == {"key", "..data", str((volume / "..data").readlink())}


@needs_root
def test_the_group_of_a_pod_may_read_its_files(tmp_path: Path) -> None:
    volume = tmp_path / "v"
    atomicfolder.write(volume, {"token": File(b"t", 0o600, 1000)}, 2000, NOW)
    found = (volume / "token").stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (1000, 2000, 0o640)


@needs_root
def test_ownership_never_goes_through_a_link(tmp_path: Path) -> None:
    outside, volume = tmp_path / "outside", tmp_path / "v"
    outside.write_text("not yours")
    outside.chmod(0o600)
    (volume / "deep").mkdir(parents=True)
    (volume / "deep/link").symlink_to(outside)
    (volume / "deep/folder-link").symlink_to(tmp_path)
    (volume / "file").write_text("")
    ownership.give(volume, 2000, ownership.READ_WRITE)
    assert outside.stat().st_gid != 2000
    assert stat.S_IMODE(outside.stat().st_mode) == 0o600
    assert tmp_path.stat().st_gid != 2000
    assert (volume / "file").stat().st_gid == 2000
    assert (volume / "deep").stat().st_mode & stat.S_ISGID
    assert ownership.is_given(volume, 2000, ownership.READ_WRITE)
    assert not ownership.is_given(volume, 2001, ownership.READ_WRITE)


def test_empty_dirs(tmp_path: Path) -> None:
    found = hostfolders.empty_dir("e", EmptyDirVolumeSource(), tmp_path / "a/e", None)
    assert found == Folder(tmp_path / "a/e")
    assert stat.S_IMODE((tmp_path / "a/e").stat().st_mode) == 0o777
    (tmp_path / "a/e/kept").write_text("")
    hostfolders.empty_dir("e", EmptyDirVolumeSource(), tmp_path / "a/e", None)
    assert (tmp_path / "a/e/kept").exists()
    memory = EmptyDirVolumeSource(medium="Memory", size_limit=Quantity("1Mi"))
    assert hostfolders.empty_dir("m", memory, tmp_path / "m", 7) == MemoryVolume("m", 1 << 20, 7)


def test_host_paths_of_each_type(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
    for path, kind in {
        "": "Directory",
        "file": "File",
        "socket": "Socket",
        "new/folder": "DirectoryOrCreate",
        "new/file": "FileOrCreate",
        "untyped": None,
    }.items():
        source = HostPathVolumeSource(path=str(tmp_path / path), type=kind)
        assert hostfolders.host_path(source, ROOT) == Folder(tmp_path / path)
    assert (tmp_path / "new/folder").is_dir()
    assert (tmp_path / "new/file").is_file()
    null = HostPathVolumeSource(path="/dev/null", type="CharDevice")
    assert hostfolders.host_path(null, ROOT) == Folder(Path("/dev/null"))


@pytest.mark.parametrize(
    ("path", "kind", "message"),
    [
        ("file", "Directory", "hostPath type check failed: {} is not a directory, it's a File"),
        ("", "File", "hostPath type check failed: {} is not a file, it's a Directory"),
        ("", "FileOrCreate", "hostPath type check failed: {} is not a file, it's a Directory"),
        (
            "no",
            "Socket",
            "hostPath type check failed, {} is not a socket file, unable to determine its type: "
            "No such file or directory",
        ),
    ],
)
def test_host_paths_of_another_type(tmp_path: Path, path: str, kind: str, message: str) -> None:
    (tmp_path / "file").write_text("")
    source = HostPathVolumeSource(path=str(tmp_path / path), type=kind)
    with pytest.raises(VolumeProblem) as problem:
        hostfolders.host_path(source, ROOT)
    assert str(problem.value) == message.format(tmp_path / path)


def test_a_file_in_a_volume_is_read_but_no_link(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/env").write_text("A='1'")
    (tmp_path / "outside").symlink_to("/etc")
    (tmp_path / "link").symlink_to("deep/env")
    assert subpaths.read(tmp_path, "deep/env", 100) == b"A='1'"
    assert subpaths.read(tmp_path, "deep/env", 3) == b"A='"
    for part in ("absent", "outside/passwd", "link", "deep"):
        with pytest.raises(OSError):  # noqa: PT011 -- of several kinds
            subpaths.read(tmp_path, part, 100)


def test_an_agent_in_a_container_looks_below_the_root_of_the_machine(tmp_path: Path) -> None:
    found = hostfolders.host_path(HostPathVolumeSource(path="/var/x", type="DirectoryOrCreate"), tmp_path)
    assert found == Folder(Path("/var/x"))
    assert (tmp_path / "var/x").is_dir()


def test_parts_of_volumes_are_made_inside_and_nowhere_else(tmp_path: Path) -> None:
    volume, outside = tmp_path / "v", tmp_path / "outside"
    volume.mkdir()
    volume.chmod(0o770)
    outside.mkdir()
    subpaths.make(volume, "a/b")
    assert stat.S_IMODE((volume / "a/b").stat().st_mode) == 0o770
    (volume / "evil").symlink_to(outside)
    subpaths.make(volume, "evil/new")
    assert names(outside) == set()
    (volume / "file").write_text("")
    subpaths.make(volume, "file")
    assert (volume / "file").is_file()
