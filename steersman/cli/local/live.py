"""What `steer up` shows while it runs: on a terminal a view that is drawn again and again, elsewhere lines."""

from __future__ import annotations

from collections import deque

import click
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from steersman.base.clock import Clock
from steersman.cli.local import processes, survey, view, watching
from steersman.cli.local.keeper import Keeper
from steersman.cli.local.ledger import Ledger
from steersman.cli.local.site import Site
from steersman.cli.local.view import Scene
from steersman.cli.local.watching import Follower

DRAW_SECONDS = 0.5
NOTES = 4
WIDE = 200


def console() -> Console:
    """Where there is no terminal nothing is cut to the width of one."""
    found = Console()
    return found if found.is_terminal else Console(width=WIDE, soft_wrap=True)


class Screen:
    """The live view. `tell` notes a line that stays in sight for a while."""

    def __init__(self, site: Site, console: Console, clock: Clock) -> None:
        self._site = site
        self._console = console
        self._clock = clock
        self._notes: deque[str] = deque(maxlen=NOTES)

    def tell(self, line: str) -> None:
        self._notes.append(f"{self._clock.now():%H:%M:%S} {line}")

    async def show(self, keeper: Keeper) -> None:
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            self._draw(live, scene_of(keeper.ledger, None, self._clock, self._site))
            await watching.api_ready(keeper, self._clock)
            async with watching.following(self._site, keeper.ledger) as follower:
                while True:
                    self._draw(live, scene_of(keeper.ledger, follower, self._clock, self._site))
                    await self._clock.sleep(DRAW_SECONDS)

    def _draw(self, live: Live, scene: Scene) -> None:
        notes = Text("\n".join(self._notes), style="yellow")
        hint = Text(f"Ctrl-C ends the cluster; its data is kept. From another terminal: steer kill leader{scene.flags}")
        live.update(Group(view.whole(scene), notes, hint), refresh=True)


class Lines:
    """The same for a file or a pipe."""

    def tell(self, line: str) -> None:
        click.echo(line)

    async def show(self, keeper: Keeper) -> None:
        """Everything is told as it happens."""


def scene_of(ledger: Ledger, follower: Follower | None, clock: Clock, site: Site) -> Scene:
    seen = follower.look() if follower is not None else None
    paused = frozenset(part.name for part in ledger.parts if part.pid is not None and processes.is_paused(part.pid))
    roles = view.roles(ledger, seen, survey.leader_of) if seen is not None else None
    return Scene(ledger, clock.now(), seen, roles, paused, site.flags)
