"""Which processes a cluster consists of, and with which flags. Pure."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.cli.local.ledger import Role
from steersman.cli.local.site import Site

HOLLOW_BASE = "node"
"""One hollow process plays node-0, node-1, …; its certificate bears this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What `steer up` was asked for, once everything left open has been settled."""

    grpc: tuple[str, ...]
    rest: tuple[str, ...]
    runtime: str
    controller_managers: int = 2
    nodes: int = 2
    etcd: tuple[str, ...] = ()
    etcd_root: str = ""
    otlp: str = ""
    docker_url: str = ""


@dataclass(frozen=True, slots=True)
class Component:
    """`needs`: files that must be there before it can start. `nodes`: those that it runs the pods of."""

    name: str
    role: Role
    command: tuple[str, ...]
    needs: tuple[Path, ...] = ()
    nodes: tuple[str, ...] = ()


def components(wish: Wish, site: Site) -> list[Component]:
    """In the order in which they start; they end in the opposite order."""
    return [*_api_servers(wish, site), *_controller_managers(wish, site), *_node_agents(wish, site)]


def _api_servers(wish: Wish, site: Site) -> list[Component]:
    flags = [f"--data-dir={site.folder}", f"--node-certificates={','.join(_certificates(wish))}", *_tracing(wish)]
    if wish.etcd:
        flags += [f"--etcd-endpoints={','.join(wish.etcd)}", f"--etcd-root={wish.etcd_root}"]
    made = []
    for number, (grpc, rest) in enumerate(zip(wish.grpc, wish.rest, strict=True)):
        command = _program("apiserver", [f"--grpc-address={grpc}", f"--rest-address={rest}", *flags])
        made.append(Component(_numbered("apiserver", number, len(wish.grpc)), Role.APISERVER, command))
    return made


def _controller_managers(wish: Wish, site: Site) -> list[Component]:
    flags = [_servers(wish), f"--data-dir={site.folder}", "--http-address=127.0.0.1:0", *_tracing(wish)]
    needs = _credentials(site, "controller-manager")
    return [
        Component(
            f"controller-manager/{number}",
            Role.CONTROLLER_MANAGER,
            _program("controller_manager", flags),
            needs,
        )
        for number in range(wish.controller_managers)
    ]


def _node_agents(wish: Wish, site: Site) -> list[Component]:
    names = node_names(wish.nodes)
    flags = [_servers(wish), f"--cluster-dir={site.folder}", f"--data-dir={site.nodes}", "--address=127.0.0.1:0"]
    flags += [f"--runtime={wish.runtime}", *_tracing(wish)]
    if not names:
        return []
    if wish.runtime == "hollow":
        command = _program("nodeagent", [*flags, f"--node-name={HOLLOW_BASE}", f"--nodes={wish.nodes}"])
        return [Component("nodes", Role.NODE, command, _credentials(site, f"node-{HOLLOW_BASE}"), names)]
    if wish.docker_url:
        flags.append(f"--docker-url={wish.docker_url}")
    return [
        Component(
            f"node/{name}",
            Role.NODE,
            _program("nodeagent", [*flags, f"--node-name={name}"]),
            _credentials(site, f"node-{name}"),
            (name,),
        )
        for name in names
    ]


def node_names(count: int) -> tuple[str, ...]:
    return tuple(f"node-{number}" for number in range(count))


def _certificates(wish: Wish) -> tuple[str, ...]:
    return (HOLLOW_BASE,) if wish.runtime == "hollow" else node_names(wish.nodes)


def _credentials(site: Site, name: str) -> tuple[Path, ...]:
    return site.pki / "ca.crt", site.pki / f"{name}.crt", site.pki / f"{name}.key"


def _servers(wish: Wish) -> str:
    return f"--server={','.join(wish.grpc)}"


def _tracing(wish: Wish) -> list[str]:
    return ["--log-style=json", *([f"--otlp-endpoint={wish.otlp}"] if wish.otlp else [])]


def _numbered(name: str, number: int, count: int) -> str:
    return name if count == 1 else f"{name}/{number}"


def _program(module: str, flags: Sequence[str]) -> tuple[str, ...]:
    # -P: a folder of that name where the user happens to stand is not our module.
    return (sys.executable, "-P", "-m", module, *flags)
