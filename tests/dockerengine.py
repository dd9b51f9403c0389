"""A Docker engine for tests: the one that answers on this machine, or a private one.

A private engine has its own socket, data and containerd in a temporary folder, touches no firewall rule of the machine,
and leaves nothing behind. It can be stopped, killed, frozen and started again over the same data. The images that
tests use are made from the machine's busybox.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

READY_SECONDS = 60.0
STOP_SECONDS = 30.0
COMMAND_SECONDS = 60.0
BUSYBOX_IMAGE = "busybox:1.36"
NGINX_IMAGE = "nginx:1.25"
"""A web server on port 80; the name is that of the manifests that everybody uses in examples."""

_WEB_SERVER = 'CMD ["/bin/httpd", "-f", "-p", "80", "-h", "/www"]'
_WEB_PAGE = b"<title>Welcome to nginx!</title>\n"
_NO_FIREWALL = ("--iptables=false", "--ip6tables=false", "--ip-masq=false", "--ip-forward=false", "--bridge=none")


def require_docker() -> None:
    """Skip the test where no engine can be started; fail it where STEERSMAN_REQUIRE names docker."""
    missing = [program for program in ("docker", "dockerd", "busybox") if shutil.which(program) is None]
    if not missing and os.geteuid() == 0:
        return
    message = f"no Docker engine: not on the PATH: {', '.join(missing)}" if missing else "no Docker engine: not root"
    if "docker" in os.environ.get("STEERSMAN_REQUIRE", ""):
        pytest.fail(message)
    pytest.skip(message)


class Engine:
    """An engine at `url`."""

    def __init__(self, url: str) -> None:
        self.url = url

    def new_subnet(self) -> str:
        """For a pod network beside those of other tests, and of other engines on this machine."""
        while True:
            second, third = random.randrange(64, 128), random.randrange(256)
            subnet = f"10.{second}.{third}.0/24"
            if subnet not in _given and f"{third:02X}{second:02X}0A" not in _routed():
                _given.add(subnet)
                return subnet

    def docker(self, *arguments: str, content: bytes | None = None) -> str:
        """The output of the `docker` command; RuntimeError with its words when it fails."""
        done = subprocess.run(
            ["docker", "--host", self.url, *arguments],
            input=content,
            capture_output=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"docker {' '.join(arguments)}: {done.stderr.decode()}")
        return done.stdout.decode().strip()

    def answers(self) -> bool:
        try:
            self.docker("version", "--format", "{{.Server.Version}}")
        except (RuntimeError, subprocess.TimeoutExpired):
            return False
        return True

    def load_images(self) -> list[str]:
        """Make the images that tests use and that are missing; their names."""
        made = []
        for name, change in ((BUSYBOX_IMAGE, 'CMD ["/bin/sh"]'), (NGINX_IMAGE, _WEB_SERVER)):
            if not self.docker("images", "--quiet", name):
                self.docker("import", "--change", change, "-", name, content=_file_system())
                made.append(name)
        return made

    def sweep(self, label: str) -> None:
        """Remove every container, volume and network with this label (`key=value`)."""
        if containers := self.docker("ps", "--all", "--quiet", "--filter", f"label={label}").split():
            self.docker("rm", "--force", "--volumes", *containers)
        for kind in ("volume", "network"):
            if found := self.docker(kind, "ls", "--quiet", "--filter", f"label={label}").split():
                self.docker(kind, "rm", *found)


class PrivateEngine(Engine):
    """A dockerd of our own; `url` stays the same over restarts."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"unix://{folder}/docker.sock")
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None, "dockerd is not running"
        return self._process.pid

    def start(self) -> None:
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    "dockerd",
                    f"--host={self.url}",
                    f"--data-root={self._folder}/data",
                    f"--exec-root={self._folder}/exec",
                    f"--pidfile={self._folder}/pid",
                    "--shutdown-timeout=3",
                    "--log-level=warn",
                    *_NO_FIREWALL,
                ],
                stdout=log,
                stderr=log,
            )
        _running[self._process.pid] = self._folder
        deadline = time.monotonic() + READY_SECONDS
        while not self.answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"dockerd does not start: {(self._folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """As a service manager does: containers are stopped too."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """As kill -9: containers run on, until the next start clears them away."""
        self._end(signal.SIGKILL)

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def remove(self) -> None:
        """Everything, whatever state it is in."""
        if self._process is not None:
            with contextlib.suppress(RuntimeError, subprocess.TimeoutExpired):
                if containers := self.docker("ps", "--all", "--quiet").split():
                    self.docker("rm", "--force", "--volumes", *containers)
                self.docker("network", "prune", "--force")  # with its bridges
            self.stop()
        _remove_folder(self._folder)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        _running.pop(self._process.pid, None)
        (self._folder / "pid").unlink(missing_ok=True)  # a killed one leaves it, and the next would believe it
        self._process = None


@contextmanager
def private_engine() -> Iterator[PrivateEngine]:
    """A dockerd of its own for a test that stops or kills it; with the tests' images."""
    require_docker()
    engine = PrivateEngine(Path(tempfile.mkdtemp(prefix="steersman-docker-")))
    try:
        engine.start()
        engine.load_images()
        yield engine
    finally:
        engine.remove()


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[Engine]:
    """One engine for the whole run: that of the machine if it answers, else a private one. Others may be using it, so
    each test labels what it makes, and sweeps it."""
    engine = Engine(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock"))
    if shutil.which("docker") is None or shutil.which("busybox") is None or not engine.answers():
        with private_engine() as private:
            yield private
        return
    made = engine.load_images()
    yield engine
    if made:
        engine.docker("rmi", *made)


def _file_system() -> bytes:
    """A tar of busybox with a link for each of its commands, and a web page."""
    program = Path(shutil.which("busybox") or "busybox")
    listed = subprocess.run([program, "--list"], capture_output=True, check=True, timeout=COMMAND_SECONDS)
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        for folder in ("bin", "etc", "root", "tmp", "www"):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if folder == "tmp" else 0o755
            tar.addfile(entry)
        files = {
            "bin/busybox": program.read_bytes(),
            "etc/passwd": b"root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
            "etc/group": b"root:x:0:\nnobody:x:65534:\n",
            "www/index.html": _WEB_PAGE,
        }
        for path, data in files.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(data), 0o755
            tar.addfile(entry, io.BytesIO(data))
        for command in sorted({*listed.stdout.decode().split()} - {"busybox"}):
            entry = tarfile.TarInfo(f"bin/{command}")
            entry.type, entry.linkname = tarfile.SYMTYPE, "busybox"
            tar.addfile(entry)
    return content.getvalue()


def _remove_folder(folder: Path) -> None:
    """With whatever a killed engine left: containers, their shims, its containerd, mounts."""
    for pid in _left_processes(folder):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    for mount in sorted((mount for mount in mounts if mount.startswith(f"{folder}/")), reverse=True):
        subprocess.run(["umount", "--lazy", mount], check=False, timeout=COMMAND_SECONDS)
    shutil.rmtree(folder, ignore_errors=True)


def _left_processes(folder: Path) -> list[int]:
    """By the numbers that the engine wrote down, each checked to be still what it was: numbers are used again."""
    found = []
    for file in folder.glob("exec/containerd/daemon/io.containerd.runtime.v2.task/moby/*/init.pid"):
        container, pid = file.parent.name, int(file.read_text())
        with contextlib.suppress(OSError):
            if container in Path(f"/proc/{pid}/cgroup").read_text():
                shim = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
                if container in Path(f"/proc/{shim}/cmdline").read_text():
                    found.append(shim)
                found.append(pid)
    with contextlib.suppress(OSError):
        pid = int((folder / "exec/containerd/containerd.pid").read_text())
        if f"{folder}/exec/containerd/containerd.toml" in Path(f"/proc/{pid}/cmdline").read_text().split("\0"):
            found.append(pid)
    return found


_given: set[str] = set()


def _routed() -> frozenset[str]:
    """The first three bytes of each network that this machine has a way to, as the kernel writes them: backwards."""
    lines = Path("/proc/net/route").read_text().splitlines()[1:]
    return frozenset(line.split()[1][2:] for line in lines)


_running: dict[int, Path] = {}


@atexit.register
def _kill_leftovers() -> None:
    """For test runs that end so badly that no `finally` was reached."""
    for pid, folder in _running.items():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            print(f"killed a left-over dockerd, pid {pid}", file=sys.stderr)
        _remove_folder(folder)
