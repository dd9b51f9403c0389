"""Starting the parts of a pod: volumes, the sandbox, and containers with their images, environment and hooks.

Every start can be repeated after a crash at any point: what is there already is adopted. A start that fails raises
CannotStart with what to tell the user and when to try again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from nodeagent import blueprint, environment, volumes
from nodeagent.blueprint import ClusterDns, Ingredients
from nodeagent.downward import Place
from nodeagent.environment import ConfigProblem, FileRef
from nodeagent.handlers import Target
from nodeagent.hooks import HookFailed, Hooks
from nodeagent.images import CannotStart, Images
from nodeagent.library import Library
from nodeagent.picture import Trouble
from nodeagent.podmachine import StartContainer, StartSandbox
from nodeagent.recording import Recorder
from nodeagent.runtime.interface import ContainerRuntime, CreateFailed, StartFailed
from nodeagent.runtime.seen import SeenContainer, SeenSandbox, State
from nodeagent.volumes import Folder, Prepared, VolumeProblem, Volumes, subpaths
from nodeagent.waiting import Reason
from steersman.api.core import Container, Pod
from steersman.api.errors import ApiError, NotFound
from steersman.base import log
from steersman.base.clock import Clock

RETRY_SECONDS = 10.0
VOLUME_RETRY_SECONDS = 5.0
MAX_ENV_FILE_BYTES = 1 << 20
SOON_SECONDS = 1.0
"""After a start that failed: from then on the delay of a crash loop holds."""

_log = log.get("launching")


@dataclass(frozen=True, slots=True)
class Machine:
    """The node that pods are started on. `data_dir` None: nothing real runs, so nothing is kept on disk."""

    host_ips: tuple[str, ...]
    allocatable: Callable[[], dict[str, str]]
    memory_bytes: int
    dns: ClusterDns
    data_dir: Path | None


class Launcher:
    def __init__(
        self,
        machine: Machine,
        runtime: ContainerRuntime,
        library: Library,
        recorder: Recorder,
        clock: Clock,
        *,
        images: Images,
        pod_volumes: Volumes,
        hooks: Hooks,
    ) -> None:
        self._machine = machine
        self._runtime = runtime
        self._library = library
        self._recorder = recorder
        self._clock = clock
        self._images = images
        self._volumes = pod_volumes
        self._hooks = hooks

    async def prepare_volumes(self, pod: Pod) -> Prepared:
        try:
            return await self._volumes.prepare(pod)
        except VolumeProblem as problem:
            self._recorder.warning(pod, "FailedMount", str(problem))
            raise self._cannot(Reason.CREATING, "", VOLUME_RETRY_SECONDS) from problem

    async def start_sandbox(self, pod: Pod, action: StartSandbox, prepared: Prepared) -> None:
        if action.attempt:
            self._recorder.normal(pod, "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.")
        spec = blueprint.sandbox(pod, action.attempt, self._machine.dns, prepared)
        try:
            await self._runtime.run_sandbox(spec)
        except ApiError as error:
            message = f"Failed to create pod sandbox: {error.message}"
            self._recorder.warning(pod, "FailedCreatePodSandBox", message)
            raise self._cannot(Reason.CREATING, "", RETRY_SECONDS) from error

    async def ingredients(
        self, pod: Pod, container: Container, action: StartContainer, sandbox: SeenSandbox, prepared: Prepared
    ) -> Ingredients:
        """Everything that a container needs and that can be had without starting it: this may be cancelled."""
        image = await self._images.ensure(pod, container, await self._library.pull_secrets(pod))
        place = Place(self._machine.host_ips, sandbox.ips or self._machine.host_ips, self._machine.allocatable())
        try:
            files = await asyncio.to_thread(_read_files, container, prepared)
            sources = await self._library.sources(pod, container, place, files)
            variables = environment.variables(pod, container, sources)
        except (ConfigProblem, ApiError) as problem:
            raise self._refused(pod, Reason.CONFIG, str(problem)) from problem
        return Ingredients(
            sandbox_id=sandbox.id,
            attempt=action.attempt,
            setbacks=action.setbacks,
            image=image,
            environment=variables,
            volumes=prepared,
            message_file=await self._message_file(pod, container.name, action.attempt),
            memory_bytes=self._machine.memory_bytes,
        )

    async def start_container(self, pod: Pod, container: Container, made_of: Ingredients, ip: str) -> None:
        try:
            spec = blueprint.container(pod, container, made_of)
            await asyncio.to_thread(_make_sub_paths, container, made_of)
        except (ConfigProblem, OSError) as problem:
            raise self._refused(pod, Reason.CONFIG, str(problem)) from problem
        try:
            started = await self._runtime.run_container(spec)
        except StartFailed as error:
            self._recorder.normal(pod, "Created", "Container created")
            self._recorder.warning(pod, "Failed", f"Error: {error.message}")
            retry_at = self._clock.now() + timedelta(seconds=SOON_SECONDS)
            raise CannotStart(Trouble(Reason.RUN, error.message, retry_at, is_refusal=True)) from error
        except (CreateFailed, NotFound) as error:
            raise self._refused(pod, Reason.CREATE, error.message) from error
        self._recorder.normal(pod, "Created", "Container created")
        if started.state is State.RUNNING:
            self._recorder.normal(pod, "Started", "Container started")
            await self._after_start(pod, container, started, ip)

    async def _after_start(self, pod: Pod, container: Container, started: SeenContainer, ip: str) -> None:
        try:
            await self._hooks.after_start(pod, Target(container, started.id, ip))
        except HookFailed as error:
            self._recorder.normal(pod, "Killing", "FailedPostStartHook")
            await self._runtime.stop_container(started.id, pod.spec.termination_grace_period_seconds or 0)
            raise self._cannot(Reason.POST_START, str(error), 0) from error

    async def _message_file(self, pod: Pod, name: str, attempt: int) -> Path | None:
        if self._machine.data_dir is None:
            return None
        path = message_file(self._machine.data_dir, pod.metadata.uid, name, attempt)
        await asyncio.to_thread(_make_message_file, path)
        return path

    def _refused(self, pod: Pod, reason: Reason, message: str) -> CannotStart:
        self._recorder.warning(pod, "Failed", f"Error: {message}")
        return self._cannot(reason, message, RETRY_SECONDS)

    def _cannot(self, reason: Reason, message: str, seconds: float) -> CannotStart:
        return CannotStart(Trouble(reason, message, self._clock.now() + timedelta(seconds=seconds)))


def message_file(data_dir: Path, uid: str, name: str, attempt: int) -> Path:
    """Where the last words of one attempt are written."""
    return volumes.pod_folder(data_dir, uid) / "messages" / f"{name}_{attempt}"


def _make_message_file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(exist_ok=True)
    path.chmod(0o666)  # whoever the container runs as may write


def _read_files(container: Container, prepared: Prepared) -> dict[FileRef, str]:
    """Of those that variables come from. One that cannot be read is left out, and missed later."""
    found: dict[FileRef, str] = {}
    for wanted in environment.needed_files(container):
        source = prepared.sources.get(wanted.volume)
        if not isinstance(source, Folder):
            raise ConfigProblem(f'cannot find the volume "{wanted.volume}" referenced by FileKeyRef')
        try:
            found[wanted] = subpaths.read(source.path, wanted.path, MAX_ENV_FILE_BYTES).decode()
        except (OSError, UnicodeDecodeError) as error:
            _log.info("no variables from a file", volume=wanted.volume, path=wanted.path, reason=str(error))
    return found


def _make_sub_paths(container: Container, made_of: Ingredients) -> None:
    """A subPath that is missing becomes a folder."""
    for mount in container.volume_mounts:
        source, part = made_of.volumes.sources.get(mount.name), blueprint.sub_path(mount, made_of.environment)
        if part and isinstance(source, Folder):
            subpaths.make(source.path, part)
