"""Keeps the processes of one cluster running: starts them, starts again what dies, ends them in order.

A component that dies is started again after a delay that doubles; one that has run for STEADY_SECONDS begins again with
the shortest. Every change is in the ledger before the next thing happens. Children have sessions of their own: Ctrl-C
in a terminal reaches the keeper alone, which then ends them in order.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import msgspec

from steersman.base.backoff import Backoff
from steersman.base.clock import Clock
from steersman.base.run import Stopping
from steersman.cli.local import ledger, logs, processes
from steersman.cli.local.ledger import Ledger, Part, Role, State
from steersman.cli.local.plan import Component
from steersman.cli.local.site import Site

BETWEEN_STARTS = Backoff(initial=0.25, maximum=30.0)
STEADY_SECONDS = 10.0
END_SECONDS = 10.0
LOOK_SECONDS = 0.02

Tell = Callable[[str], None]
"""One line for whoever watches."""


class Keeper:
    def __init__(self, site: Site, components: Sequence[Component], begun: Ledger, clock: Clock, tell: Tell) -> None:
        self._site = site
        self._components = tuple(components)
        self._clock = clock
        self._tell = tell
        self._running: dict[str, asyncio.subprocess.Process] = {}
        parts = tuple(_unstarted(component, site) for component in components)
        self.ledger = msgspec.structs.replace(begun, parts=parts)

    async def run(self, stopping: Stopping) -> None:
        """Until `stopping`; then everything has ended. Whatever happens here, no child is left behind."""
        self._note(self.ledger)
        try:
            async with asyncio.TaskGroup() as tasks:
                keeping = [tasks.create_task(self._keep(component)) for component in self._components]
                await stopping.wait()
                for task in keeping:
                    task.cancel()
        finally:
            await self._end_all()

    def note_usable(self, after_seconds: float) -> None:
        self._note(msgspec.structs.replace(self.ledger, usable_after_seconds=round(after_seconds, 2)))

    async def _keep(self, component: Component) -> None:
        failures = 0
        while True:
            await self._present(component.needs)
            began = self._clock.monotonic()
            code = await self._run_once(component)
            failures = 0 if self._clock.monotonic() - began > STEADY_SECONDS else failures
            delay = BETWEEN_STARTS.delay(failures)
            failures += 1
            at = self._clock.now() + timedelta(seconds=delay)
            restarts = self._part(component.name).restarts + 1
            self._change(
                component.name, state=State.WAITING, pid=None, exit_code=code, next_start_at=at, restarts=restarts
            )
            self._tell(f"{component.name} {_how_it_ended(code)}; starting again in {delay:g} s")
            await self._clock.sleep(delay)

    async def _present(self, needs: Sequence[Path]) -> None:
        """Certificates come from the API server, early in its first start."""
        while not all(path.exists() for path in needs):
            await self._clock.sleep(LOOK_SECONDS)

    async def _run_once(self, component: Component) -> int:
        log = self._site.log_of(component.name)
        offset = logs.turn_over(log)
        with log.open("ab") as output:
            process = await asyncio.create_subprocess_exec(
                *component.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self._site.folder,
                start_new_session=True,
            )
        self._running[component.name] = process
        self._change(
            component.name,
            state=State.RUNNING,
            pid=processes.identify(process.pid),
            started_at=self._clock.now(),
            log_offset=offset,
            next_start_at=None,
        )
        code = await process.wait()
        del self._running[component.name]
        return code

    async def _end_all(self) -> None:
        """In the opposite order of starting: whoever writes goes before the API server that it writes to."""
        for role in (Role.NODE, Role.CONTROLLER_MANAGER, Role.APISERVER):
            names = [component.name for component in self._components if component.role is role]
            await self._end([self._running[name] for name in names if name in self._running])
        for component in self._components:
            self._change(component.name, state=State.ENDED, pid=None, next_start_at=None)

    async def _end(self, children: Sequence[asyncio.subprocess.Process]) -> None:
        for child in children:
            _signal(child, signal.SIGTERM)
            _signal(child, signal.SIGCONT)  # one that is paused would not hear
        try:
            async with asyncio.timeout(END_SECONDS):
                for child in children:
                    await child.wait()
        except TimeoutError:
            for child in children:
                _signal(child, signal.SIGKILL)
            for child in children:
                await child.wait()

    def _part(self, name: str) -> Part:
        found = self.ledger.part(name)
        assert found is not None, f"{name} is none of ours"
        return found

    def _change(self, name: str, **news: object) -> None:
        changed = msgspec.structs.replace(self._part(name), **news)
        parts = tuple(changed if part.name == name else part for part in self.ledger.parts)
        self._note(msgspec.structs.replace(self.ledger, parts=parts))

    def _note(self, news: Ledger) -> None:
        self.ledger = news
        ledger.write(self._site.ledger, news)


def _unstarted(component: Component, site: Site) -> Part:
    return Part(
        name=component.name,
        role=component.role,
        state=State.WAITING,
        log=str(site.log_of(component.name)),
        nodes=component.nodes,
    )


def _signal(child: asyncio.subprocess.Process, number: signal.Signals) -> None:
    if child.returncode is None:
        child.send_signal(number)


def _how_it_ended(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
