"""Every verb of `steer` on one screen. A verb's module is imported when the verb is used, so that each starts fast."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

import click

from steersman.version import VERSION


@dataclass(frozen=True, slots=True)
class Verb:
    """`module` has the command, as `function`; without one, under the verb's name with underscores."""

    module: str
    summary: str
    function: str = ""


LOCAL = {
    "up": Verb("steersman.cli.local.up", "Start a cluster on this machine and keep it running"),
    "status": Verb("steersman.cli.local.status", "Show what runs, who leads, and how the nodes and pods are"),
    "down": Verb("steersman.cli.local.down", "End a cluster on this machine; its data is kept"),
    "component-logs": Verb("steersman.cli.local.component_logs", "Print what a component has logged"),
    "kill": Verb("steersman.cli.local.kill", "Kill or pause a component, to see the cluster heal"),
    "failover": Verb("steersman.cli.local.failover", "Kill the leader and show the take-over in milliseconds"),
}
CLIENT = {
    "get": Verb("steersman.cli.get", "Show objects"),
    "apply": Verb("steersman.cli.apply", "Bring objects to what their manifests say"),
    "create": Verb("steersman.cli.create", "Make what manifests say"),
    "delete": Verb("steersman.cli.delete", "Delete objects, and wait until they are gone"),
    "describe": Verb("steersman.cli.describe", "Show all about objects, with what happened to them"),
    "scale": Verb("steersman.cli.scale", "Set how many replicas there shall be"),
    "rollout": Verb("steersman.cli.rollout", "Watch, list, undo, pause, resume and restart rollouts"),
    "logs": Verb("steersman.cli.logs", "Print what containers have said"),
    "exec": Verb("steersman.cli.exec", "Run a command in a container", "run_command"),
    "wait": Verb("steersman.cli.wait", "Wait until objects are as they should be"),
    "events": Verb("steersman.cli.events", "Show what happened"),
    "why": Verb("steersman.cli.why", "Say what an object waits for, down to the containers"),
    "trace": Verb("steersman.cli.trace", "Show the trace of an object's last change as a tree"),
    "explain": Verb("steersman.cli.explain", "Say what the fields of a kind mean"),
    "api-resources": Verb("steersman.cli.api_resources", "Show every kind that the server serves"),
    "completion": Verb("steersman.cli.completion", "Let a shell complete verbs, flags and kinds"),
}
VERBS = {**LOCAL, **CLIENT}


class Verbs(click.Group):
    """Knows the verbs by name, and each one only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        function = verb.function or cmd_name.replace("-", "_")
        command: click.Command = getattr(importlib.import_module(verb.module), function)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("A cluster on this machine"):
            formatter.write_dl([(name, verb.summary) for name, verb in LOCAL.items()])
        with formatter.section("Objects, with kubectl's words"):
            formatter.write_dl([(name, verb.summary) for name, verb in CLIENT.items()])


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="steer")
def steer() -> None:
    """Run a Steersman cluster on this machine, and talk to one."""
