"""The ContainerRuntime protocol: pods as a sandbox with containers in it, on one node of one cluster.

What every implementation promises (proved for each by tests/contract/test_runtime.py):

* **Only its own.** A runtime is opened for one (cluster, node). It neither shows nor touches what others run on the
  same engine, and two runtimes of the same (cluster, node) see the same things.
* **Once.** A container of one (pod uid, name, attempt) exists once. Asking for it again, after a crash or by a second
  agent, adopts what is there: created → it is started; running or exited → it is left as it is.
* **Already is success.** Already started, already stopped, already gone are not errors.
* **Nothing restarts by itself.** What has ended stays ended until it is removed. The agent decides, with a new attempt.
* **The engine is the memory.** `observe` and `list_pods` answer from the engine, with everything that was said in the
  specs' annotations, so that an agent without any memory can go on.
* **Wake-ups are hints.** `events` says that something happened to a pod, soon (milliseconds) and at least once per
  burst. After a gap it says "look at everything". Whoever misses one finds the truth by observing.
* **Every call has a deadline**: Unavailable when the engine cannot be reached (nothing is known to have been done),
  Timeout when it did not answer in time (it may still do it: observe).

Errors are those of `steersman.api.errors`: Unavailable, Timeout, NotFound (no such container, unless absence is
success), Conflict (in use; not in a state for this), BadRequest; and those below, whose `message` is the engine's own.

`docker.open_runtime(owner, settings)` opens the real one. Hollow nodes share what `hollow.open_engine()` opens:
`HollowRuntime(engine, owner)` is one node.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from nodeagent.runtime.seen import DiskUse, Engine, Image, PodNetwork, SeenContainer, SeenPod, SeenSandbox, Usage, Wake
from nodeagent.runtime.specs import ContainerSpec, Credentials, SandboxSpec
from steersman.api.errors import Internal
from steersman.api.names import Uid


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose containers these are. `cluster` is the uid of the namespace kube-system."""

    cluster: str
    node: str


class PullFailed(Internal):
    """The image could not be fetched (ErrImagePull)."""


class InvalidImageName(PullFailed):
    """The reference can never work (InvalidImageName)."""


class CreateFailed(Internal):
    """The engine refused to make the sandbox or container (CreateContainerError)."""


class StartFailed(Internal):
    """It exists but cannot be started (RunContainerError, StartError). `observe` shows it as exited, with `error`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions:
    """`tail_lines` None: all; `limit_bytes` None: no limit, else the stream ends there, in the middle of a line.

    `since`: only lines at or after it. `timestamps`: each line begins with its time (RFC 3339, nanoseconds).
    """

    follow: bool = False
    tail_lines: int | None = None
    since: datetime | None = None
    timestamps: bool = False
    limit_bytes: int | None = None
    stdout: bool = True
    stderr: bool = True


@dataclass(frozen=True, slots=True)
class Stdout:
    data: bytes


@dataclass(frozen=True, slots=True)
class Stderr:
    data: bytes


Output = Stdout | Stderr
"""Some bytes of one stream, in the order in which they were written. With a TTY everything is Stdout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamOptions:
    """Which streams a session carries. A `tty` for exec is made; for attach it must say what the container has."""

    stdin: bool = False
    stdout: bool = True
    stderr: bool = True
    tty: bool = False


@dataclass(frozen=True, slots=True)
class TerminalSize:
    width: int
    height: int


class Session(Protocol):
    """A conversation with a process. One task may read while another writes. Leaving the context manager ends the
    conversation; the process of an exec may outlive it, unless it is killed first."""

    async def read(self) -> Output | None:
        """The next output; None once there will be no more. Cancelling it gives up the rest of the output."""

    async def write(self, data: bytes) -> None:
        """To stdin. Waits while the process does not read. Conflict when the process has gone."""

    async def close_stdin(self) -> None:
        """The process reads end-of-file; its output still comes."""

    async def resize(self, size: TerminalSize) -> None:
        """Nothing happens to what has no TTY, or has ended."""

    async def kill(self) -> bool:
        """Kill the exec'd process with all that it has started; whether that could be done. False for a runtime that
        cannot reach its processes, and for an attached session: its process is the container's own."""

    async def exit_code(self) -> int | None:
        """After `read` gave None: how the exec'd process (attach: the container) ended. None: it still runs."""


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@runtime_checkable
class ContainerRuntime(Protocol):
    # The engine ------------------------------------------------------------------------------------------------------

    async def ping(self) -> None:
        """Unavailable or Timeout unless the engine answers."""

    async def engine(self) -> Engine:
        """What runs here, for the node's status."""

    async def prepare(self) -> PodNetwork:
        """Make what pods need and is missing: the pod network, the pause image. Call it at the start and when the
        engine came back; it is cheap when there is nothing to do. CreateFailed says what the operator must do."""

    async def sees_our_files(self) -> bool:
        """Whether the engine finds under a path what this process finds there, memory file systems included."""

    # Images ----------------------------------------------------------------------------------------------------------

    async def find_image(self, reference: str) -> Image | None:
        """The image of that name, digest or id, if it is here. InvalidImageName."""

    async def pull_image(self, reference: str, credentials: Credentials | None = None) -> Image:
        """Fetch it, whatever is here. PullFailed, InvalidImageName. Takes as long as it takes, but never stands still
        for long; cancelling it stops the download."""

    async def list_images(self) -> tuple[Image, ...]: ...

    async def remove_image(self, image_id: str) -> None:
        """With all its tags. Conflict while a container (running or not) needs it."""

    # Pods ------------------------------------------------------------------------------------------------------------

    async def run_sandbox(self, spec: SandboxSpec) -> SeenSandbox:
        """Create and start it, or adopt it. CreateFailed, StartFailed (a host port that is taken, for one)."""

    async def run_container(self, spec: ContainerSpec) -> SeenContainer:
        """Create and start it, or adopt it. CreateFailed, StartFailed. NotFound: the image or the sandbox is gone.

        An adopted one may have ended already: look at `state`. One whose start failed before raises StartFailed again.
        """

    async def stop_container(self, container_id: str, grace_seconds: float, *, signal: str = "") -> None:
        """Send the stop signal (`signal` overrides it), wait up to the grace period, kill. Returns once it has ended.

        A second call with a shorter grace hurries it up. Cancelling the call does not take the signal back.
        """

    async def kill_container(self, container_id: str, signal: str = "KILL") -> None:
        """Send a signal and return at once."""

    async def remove_container(self, container_id: str) -> None:
        """Kill it if it runs, and forget it with its log. Returns once its name is free."""

    async def remove_sandbox(self, sandbox_id: str) -> None:
        """Kill and forget it, with its memory volumes. Its containers lose their network: stop them first."""

    async def observe(self, uid: Uid) -> SeenPod:
        """Everything of this pod; empty when there is nothing (then `pod` has no names)."""

    async def list_pods(self) -> tuple[SeenPod, ...]:
        """Everything of this (cluster, node), also what ended, in one picture."""

    def events(self) -> AsyncGenerator[Wake, None]:
        """Wake-ups, for ever: it reconnects by itself. Begins with `Wake(None)`. Close it (`aclosing`)."""

    # Inside a pod ----------------------------------------------------------------------------------------------------

    def logs(self, container_id: str, options: LogOptions) -> AsyncGenerator[Output, None]:
        """What it wrote. With `follow`, until it ends. Close it (`aclosing`). NotFound."""

    def exec(
        self, container_id: str, command: tuple[str, ...], options: StreamOptions
    ) -> AbstractAsyncContextManager[Session]:
        """Run a command in it. NotFound; Conflict when it does not run. A program that is not there: exit code 126 or
        127, with the engine's words on the output."""

    def attach(self, container_id: str, options: StreamOptions) -> AbstractAsyncContextManager[Session]:
        """Talk to its main process. NotFound; Conflict when it does not run."""

    async def connect(self, sandbox_id: str, port: int) -> Connection:
        """A TCP connection to that port as from inside the pod (127.0.0.1 where the machine allows it, else by the
        pod's address). NotFound; Unavailable when nothing listens. The caller closes it."""

    # Figures ---------------------------------------------------------------------------------------------------------

    async def usage(self, container_id: str) -> Usage | None:
        """Of a container or a sandbox; None when it does not run."""

    async def disk_use(self) -> DiskUse:
        """Slow: the engine adds up files. Not more than once a minute."""
