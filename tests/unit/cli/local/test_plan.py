"""Which processes `steer up` starts, and with which flags."""

from __future__ import annotations

from pathlib import Path

import pytest

from steersman.cli.local import plan, ports, site
from steersman.cli.local.plan import Wish
from steersman.cli.local.ports import Ports
from steersman.cli.local.site import Site

SITE = Site("t", Path("/c"))


def wish(**changes: object) -> Wish:
    given = {"grpc": ("127.0.0.1:2",), "rest": ("127.0.0.1:1",), "runtime": "hollow", **changes}
    return Wish(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        pytest.param(wish(), ["apiserver", "controller-manager/0", "controller-manager/1", "nodes"], id="usual-hollow"),
        pytest.param(
            wish(runtime="docker", nodes=2, controller_managers=1),
            ["apiserver", "controller-manager/0", "node/node-0", "node/node-1"],
            id="one-process-per-docker-node",
        ),
        pytest.param(wish(nodes=0, controller_managers=0), ["apiserver"], id="api-server-alone"),
        pytest.param(
            wish(grpc=("h:2", "h:4"), rest=("h:1", "h:3"), etcd=("http://e",), nodes=0, controller_managers=0),
            ["apiserver/0", "apiserver/1"],
            id="several-api-servers-are-numbered",
        ),
    ],
)
def test_components(asked: Wish, names: list[str]) -> None:
    assert [component.name for component in plan.components(asked, SITE)] == names


def test_every_component_knows_every_api_server() -> None:
    asked = wish(grpc=("h:2", "h:4"), rest=("h:1", "h:3"), etcd=("http://e",))
    others = [each for each in plan.components(asked, SITE) if each.needs]
    assert others
    assert all("--server=h:2,h:4" in component.command for component in others)


def test_the_api_server_makes_the_certificates_that_the_agents_wait_for() -> None:
    server, *_, agent = plan.components(wish(runtime="docker", nodes=1), SITE)
    assert "--node-certificates=node-0" in server.command
    assert Path("/c/pki/node-node-0.crt") in agent.needs


def test_tracing_reaches_every_component() -> None:
    assert all("--otlp-endpoint=http://j" in each.command for each in plan.components(wish(otlp="http://j"), SITE))


@pytest.mark.parametrize(
    ("rest", "grpc", "before", "usual", "expected"),
    [
        pytest.param(None, None, None, True, ("127.0.0.1:6443", "127.0.0.1:6444"), id="usual-ones"),
        pytest.param(None, None, None, False, None, id="any-for-a-named-cluster"),
        pytest.param(None, None, Ports(("h:8",), ("h:7",)), False, ("h:7", "h:8"), id="those-of-last-time"),
        pytest.param(100, 200, Ports(("h:8",), ("h:7",)), True, ("127.0.0.1:100", "127.0.0.1:200"), id="those-given"),
        pytest.param(100, None, None, True, ("127.0.0.1:100", "127.0.0.1:101"), id="grpc-beside-rest"),
        pytest.param(None, 100, None, True, ("127.0.0.1:99", "127.0.0.1:100"), id="rest-beside-grpc"),
    ],
)
def test_ports(
    rest: int | None, grpc: int | None, before: Ports | None, usual: bool, expected: tuple[str, str] | None
) -> None:
    wanted = ports.wanted(1, rest, grpc, before, are_usual=usual)
    assert (None if wanted is None else (wanted.rest[0], wanted.grpc[0])) == expected


def test_ports_of_several_servers_do_not_meet() -> None:
    wanted = ports.wanted(3, None, None, None, are_usual=True)
    assert wanted is not None
    assert len(set(wanted.all)) == 6


@pytest.mark.parametrize(
    ("name", "folder", "expected"),
    [
        pytest.param(None, None, Site("default", Path("/h/default"), ""), id="default"),
        pytest.param("b", None, Site("b", Path("/h/b"), " --name b"), id="by-name"),
        pytest.param(None, Path("/x/.y"), Site("y", Path("/x/.y"), " --data-dir /x/.y"), id="by-folder"),
        pytest.param("b", Path("/x"), Site("b", Path("/x"), " --data-dir /x"), id="by-folder-with-a-name"),
    ],
)
def test_site(name: str | None, folder: Path | None, expected: Site) -> None:
    assert site.find(name, folder, {"STEER_HOME": "/h"}) == expected


@pytest.mark.parametrize("name", ["", "A", "a/b", "..", "-a", "a" * 64])
def test_names_that_cannot_be_a_folder_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no name for a cluster"):
        site.find(name, None, {})
