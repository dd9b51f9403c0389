"""A cluster as a person sees it: rich renderables made of the ledger and a survey. Pure; the time is an argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from steersman.cli import ages
from steersman.cli.local import addresses
from steersman.cli.local.ledger import Ledger, Part, Role, State
from steersman.cli.local.survey import CONTROLLERS, SCHEDULER, EventGlance, NodeGlance, Survey

PHASES = ("Running", "Pending", "Terminating", "Succeeded", "Failed", "Unknown")

_STYLES = {
    "LEADER": "bold green",
    "Running": "green",
    "Pending": "yellow",
    "Terminating": "yellow",
    "Failed": "red",
    "Warning": "yellow",
}


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that is shown. `survey` None: the API does not answer. `roles`: of controller managers, by name."""

    ledger: Ledger
    now: datetime
    survey: Survey | None = None
    roles: Mapping[str, str] | None = None
    paused: frozenset[str] = frozenset()
    flags: str = ""


def roles(ledger: Ledger, survey: Survey, leader_of: Callable[[Ledger, str], Part | None]) -> dict[str, str]:
    """What each controller manager does: both Leases in one hand is a LEADER, one of them says which."""
    controllers = leader_of(ledger, survey.holders.get(CONTROLLERS, ""))
    scheduler = leader_of(ledger, survey.holders.get(SCHEDULER, ""))
    found = {}
    for part in ledger.of(Role.CONTROLLER_MANAGER):
        leads = [name for name, who in (("controllers", controllers), ("scheduler", scheduler)) if who is part]
        found[part.name] = f"LEADER ({' + '.join(leads)})" if leads else "standby"
    return found


def whole(scene: Scene) -> RenderableType:
    """Components, nodes, pods, Events, and where everything is."""
    pieces: list[RenderableType] = [_headline(scene), components(scene)]
    if scene.survey is None:
        pieces.append(Text("the API server does not answer", style="red"))
    else:
        pieces += [nodes(scene.survey.nodes), pods(scene.survey.phases)]
        if scene.survey.events:
            pieces.append(events(scene.survey.events))
    return Group(*pieces, places(scene.ledger))


def _headline(scene: Scene) -> Text:
    ledger = scene.ledger
    usable = ledger.usable_after_seconds
    state = f"usable after {usable:g} s" if usable is not None else "starting"
    text = Text.assemble(("steersman ", "bold"), (ledger.name, "bold cyan"), f"  {state}, runtime {ledger.runtime}")
    if ledger.runtime_reason:
        text.append(f" ({ledger.runtime_reason})", style="dim")
    return text


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, no_wrap=True)
    return table


def components(scene: Scene) -> Table:
    table = _table("COMPONENT", "PID", "STATE", "ROLE", "UPTIME", "RESTARTS")
    for part in scene.ledger.parts:
        role = _role(part, scene.roles or {})
        table.add_row(
            part.name,
            str(part.pid.number) if part.pid else "-",
            _state(part, scene),
            Text(role, style=_STYLES.get(role.split(" ")[0], "")),
            ages.age(scene.now - part.started_at) if part.started_at and part.state is State.RUNNING else "-",
            str(part.restarts),
        )
    return table


def _role(part: Part, known: Mapping[str, str]) -> str:
    if part.role is Role.NODE and len(part.nodes) > 1:
        return f"plays {part.nodes[0]} … {part.nodes[-1]}"
    return known.get(part.name, "")


def _state(part: Part, scene: Scene) -> Text:
    if part.name in scene.paused:
        return Text("paused", style="magenta")
    if part.state is State.RUNNING:
        return Text("running", style="green")
    if part.next_start_at is not None:
        seconds = max(0.0, (part.next_start_at - scene.now).total_seconds())
        return Text(f"starts in {seconds:.1f} s (exit {part.exit_code})", style="yellow")
    return Text(part.state.value, style="dim")


def nodes(found: tuple[NodeGlance, ...]) -> Table:
    table = _table("NODE", "STATUS", "PODS", "RUNTIME")
    for node in found:
        status = Text("Ready", style="green") if node.ready else Text("NotReady", style="red")
        table.add_row(node.name, status, str(node.pods), node.runtime)
    return table


def pods(phases: Mapping[str, int]) -> Text:
    text = Text.assemble((f"pods {sum(phases.values())}", "bold"))
    for phase in (*PHASES, *sorted(set(phases) - set(PHASES))):
        if phases.get(phase):
            text.append(f"  {phases[phase]} {phase}", style=_STYLES.get(phase, ""))
    return text


def events(found: tuple[EventGlance, ...]) -> Table:
    table = _table("AT", "REASON", "OBJECT", "MESSAGE")
    table.columns[-1].overflow = "ellipsis"
    for event in found:
        style = _STYLES.get(event.type, "")
        table.add_row(event.at[11:19], Text(event.reason, style=style), event.about, event.message)
    return table


def places(ledger: Ledger) -> Text:
    """Where the kubeconfig, the API, the logs and the traces are."""
    logs = ledger.parts[0].log.rpartition("/")[0] if ledger.parts else ""
    rows = [
        ("kubeconfig", f"export KUBECONFIG={ledger.kubeconfig}"),
        ("api", f"https://{ledger.rest[0]} (REST), {', '.join(ledger.grpc)} (gRPC)"),
        ("logs", logs),
    ]
    if ledger.otlp:
        rows.append(("traces", addresses.jaeger(ledger.otlp)))
    return Text("\n".join(f"{name:<11} {value}" for name, value in rows), style="dim")
