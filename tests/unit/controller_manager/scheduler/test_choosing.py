"""Where a pod goes among many nodes: spread, neighbours, scores, and reasons counted over nodes."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from controller_manager.scheduler import reasons, requirements, snapshot
from controller_manager.scheduler.equivalence import Chosen, Equivalence, Unplaceable
from steersman.api.core import Node, Pod
from tests.unit.controller_manager.scheduler.world import HOST, ZONE, away_from, near, node, pod, spread, term

EAST, WEST = {ZONE: "east"}, {ZONE: "west"}
THREE = [node("a", labels=EAST), node("b", labels=EAST), node("c", labels=WEST)]
DB, WEB = {"app": "db"}, {"app": "web"}
SPREAD = "node(s) didn't match pod topology spread constraints"


def decide(nodes: Sequence[Node], there: Sequence[Pod], wanted: Pod) -> str:
    """The node, or the sentence for the user."""
    cluster = snapshot.of(nodes, there)
    match Equivalence().choose(requirements.of(wanted), cluster, Random(1).random):
        case Chosen(name):
            return name
        case Unplaceable(why, count):
            return reasons.describe(why, count)


def prefers(kind: str, app: str) -> dict[str, Any]:
    wish = {"weight": 10, "podAffinityTerm": term(app)}
    return {kind: {"preferredDuringSchedulingIgnoredDuringExecution": [wish]}}


CASES: dict[str, tuple[Sequence[Node], list[Pod], Pod, str]] = {
    "no nodes": ([], [], pod(), "no nodes available to schedule pods"),
    "nowhere": (THREE, [], pod(cpu="9"), "0/3 nodes are available: 3 Insufficient cpu."),
    "several reasons": (
        [node("a", cpu="1"), node("b", taints=[{"key": "k", "effect": "NoSchedule"}]), node("c", memory="1Gi")],
        [],
        pod(cpu="2", memory="2Gi"),
        "0/3 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 node(s) had untolerated taint {k: }.",
    ),
    "with its like": (THREE, [pod("q", on="c", labels=DB)], pod(affinity=near("db")), "c"),
    "no one to be with": (
        THREE,
        [],
        pod(affinity=near("db")),
        "0/3 nodes are available: 3 node(s) didn't match pod affinity rules.",
    ),
    "the first of its kind": (THREE[2:], [], pod(labels=DB, affinity=near("db")), "c"),
    "another namespace": (
        THREE,
        [pod("q", on="c", labels=DB, namespace="other")],
        pod(affinity=near("db")),
        "0/3 nodes are available: 3 node(s) didn't match pod affinity rules.",
    ),
    "away from others": (THREE, [pod("q", on="a", labels=DB)], pod(affinity=away_from("db")), "c"),
    "away, but nowhere": (
        THREE,
        [pod("q", on="a", labels=DB), pod("r", on="c", labels=DB)],
        pod(affinity=away_from("db")),
        "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.",
    ),
    "one per host": (
        THREE,
        [pod("q", on="a", labels=DB), pod("r", on="c", labels=DB)],
        pod(affinity=away_from("db", HOST)),
        "b",
    ),
    "unwelcome": (
        THREE,
        [pod("q", on="a", affinity=away_from("web")), pod("r", on="c", affinity=away_from("web"))],
        pod(labels=WEB),
        "0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules.",
    ),
    "welcome elsewhere": (THREE, [pod("q", on="a", affinity=away_from("web"))], pod(labels=WEB), "c"),
    "evenly": (
        THREE,
        [pod("q", on="a", labels=WEB)],
        pod(labels=WEB, topologySpreadConstraints=spread("web")),
        "c",
    ),
    "going pods do not count": (
        THREE[:1] + THREE[2:],
        [pod("q", on="c", labels=WEB, cpu="1"), pod("r", on="a", labels=WEB, deletionTimestamp="2026-01-01T00:00:00Z")],
        pod(labels=WEB, topologySpreadConstraints=spread("web")),
        "a",
    ),
    "evenly over hosts": (
        THREE,
        [pod("q", on="a", labels=WEB), pod("r", on="b", labels=WEB)],
        pod(labels=WEB, topologySpreadConstraints=spread("web", HOST)),
        "c",
    ),
    "not enough domains": (
        THREE,
        [pod("q", on="a", labels=WEB), pod("r", on="c", labels=WEB)],
        pod(labels=WEB, topologySpreadConstraints=spread("web", minDomains=3)),
        f"0/3 nodes are available: 3 {SPREAD}.",
    ),
    "no zone": (
        [node("a")],
        [],
        pod(labels=WEB, topologySpreadConstraints=spread("web")),
        f"0/1 nodes are available: 1 {SPREAD} (missing required label).",
    ),
    "preferably evenly": (
        THREE,
        [pod("q", on="a", labels=WEB), pod("r", on="c", cpu="1")],
        pod(labels=WEB, topologySpreadConstraints=spread("web", whenUnsatisfiable="ScheduleAnyway")),
        "c",
    ),
    "preferably together": (
        THREE,
        [pod("q", on="c", labels=DB, cpu="1")],
        pod(affinity=prefers("podAffinity", "db")),
        "c",
    ),
    "preferably apart": (
        THREE,
        [pod("q", on="a", labels=DB), pod("r", on="b", labels=DB), pod("s", on="c", cpu="1")],
        pod(affinity=prefers("podAntiAffinity", "db")),
        "c",
    ),
    "preferred by those there": (
        THREE,
        [pod("q", on="c", cpu="1", affinity=prefers("podAffinity", "web"))],
        pod(labels=WEB),
        "c",
    ),
    "the emptiest": (THREE, [pod("q", on="a", cpu="1"), pod("r", on="b", cpu="1")], pod(cpu="1"), "c"),
    "where its image is": (
        [node("a"), node("b", images=[{"names": ["i:latest"], "sizeBytes": 900_000_000}])],
        [],
        pod(),
        "b",
    ),
    "off mild taints": ([node("a", taints=[{"key": "k", "effect": "PreferNoSchedule"}]), node("b")], [], pod(), "b"),
}


@pytest.mark.parametrize("name", CASES)
def test_decision(name: str) -> None:
    nodes, there, wanted, expected = CASES[name]
    assert decide(nodes, there, wanted) == expected


def test_a_pod_that_names_its_node_looks_at_no_other() -> None:
    match_name = {"key": "metadata.name", "operator": "In", "values": ["b"]}
    selector = {"nodeSelectorTerms": [{"matchFields": [match_name]}]}
    daemon = pod(cpu="1", affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}})
    assert decide(THREE, [], daemon) == "b"
    full = "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector."
    assert decide(THREE, [pod("q", on="b", cpu="4")], daemon) == full


def test_a_node_that_comes_is_seen_at_once() -> None:
    shared, chance = Equivalence(), Random(1).random
    cluster, wanted = snapshot.of(THREE), requirements.of(pod(cpu="6"))
    assert isinstance(shared.choose(wanted, cluster, chance), Unplaceable)
    assert shared.choose(wanted, cluster.with_node(node("big", cpu="8")), chance) == Chosen("big")


def test_two_hosts_of_one_name_are_one_domain() -> None:
    shared, chance = Equivalence(), Random(1).random
    wanted = requirements.of(pod(affinity=away_from("db", HOST)))
    cluster = snapshot.of([node("a")], [pod("q", on="a", labels=DB)])
    assert isinstance(shared.choose(wanted, cluster, chance), Unplaceable)
    assert isinstance(shared.choose(wanted, cluster.with_node(node("b", labels={HOST: "a"})), chance), Unplaceable)
