"""Claims: what must hold before the folder behind one is mounted; and how long tokens are good for."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from nodeagent.volumes import VolumeProblem, claims, leftovers, tokens
from steersman.api import codec, times
from steersman.api.authentication import TokenRequest
from steersman.api.core import Node, PersistentVolume, PersistentVolumeClaim
from steersman.api.meta import ObjectMeta
from tests.unit.nodeagent.views import NOW, after


def claim(phase: str = "Bound", volume: str = "pv", **meta: Any) -> PersistentVolumeClaim:
    fields = {"metadata": {"name": "data", "uid": "c", **meta}, "spec": {"volumeName": volume}}
    return codec.load(PersistentVolumeClaim, json.dumps({**fields, "status": {"phase": phase}}).encode())


def volume(**spec: Any) -> PersistentVolume:
    return codec.load(PersistentVolume, json.dumps({"metadata": {"name": "pv"}, "spec": spec}).encode())


GONE = "2030-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (claim("Pending"), "PVC is not bound"),
        (claim("Lost"), "PVC is not bound"),
        (claim(volume=""), "PVC has empty pvc.Spec.VolumeName"),
        (claim(deletionTimestamp=GONE), "PVC is being deleted"),
    ],
)
def test_claims_that_are_of_no_use(found: PersistentVolumeClaim, message: str) -> None:
    with pytest.raises(VolumeProblem) as problem:
        claims.volume_name(found)
    assert str(problem.value) == message


def test_a_claim_in_use_keeps_its_volume_while_it_is_deleted() -> None:
    assert claims.volume_name(claim(deletionTimestamp=GONE, finalizers=[claims.PROTECTION])) == "pv"


@pytest.mark.parametrize("reference", [None, {"uid": "another"}])
def test_the_volume_must_know_of_the_claim(reference: dict[str, str] | None) -> None:
    with pytest.raises(VolumeProblem, match="found PV object pv but it"):
        claims.check_bound(volume(claimRef=reference), claim())
    claims.check_bound(volume(claimRef={"uid": "c"}), claim())


def test_a_local_volume_is_on_one_node_and_must_be_there() -> None:
    demand = {"key": "kubernetes.io/hostname", "operator": "In", "values": ["here"]}
    affinity = {"required": {"nodeSelectorTerms": [{"matchExpressions": [demand]}]}}
    local = volume(local={"path": "/disk"}, nodeAffinity=affinity)
    nodes = {
        name: Node(metadata=ObjectMeta(name=name, labels={"kubernetes.io/hostname": name}))
        for name in ("here", "there")
    }
    claims.check_reachable(local, nodes["here"])
    with pytest.raises(VolumeProblem, match="no matching NodeSelectorTerms"):
        claims.check_reachable(local, nodes["there"])
    source = claims.folder(local, "v")
    assert (source.path, source.type) == ("/disk", "Directory")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"hostPath": {"path": "/x"}, "volumeMode": "Block"}, "volume v has volumeMode Block"),
        ({"nfs": {"server": "s", "path": "/"}}, "only hostPath and local"),
    ],
)
def test_volumes_that_this_node_has_not(spec: dict[str, Any], message: str) -> None:
    with pytest.raises(VolumeProblem, match=message):
        claims.folder(volume(**spec), "v")


@pytest.mark.parametrize(
    ("seconds", "refresh_after"),
    [
        pytest.param(3600, timedelta(minutes=48), id="at 80 % of its life"),
        pytest.param(10 * 24 * 3600, timedelta(hours=24), id="not later than after a day"),
    ],
)
def test_when_a_token_is_replaced(seconds: int, refresh_after: timedelta) -> None:
    expiry = times.from_datetime(after(seconds))
    status = {"token": "jwt", "expirationTimestamp": expiry}
    answer = codec.load(TokenRequest, json.dumps({"spec": {"expirationSeconds": seconds}, "status": status}).encode())
    found = tokens.judge(answer, NOW)
    assert (found.refresh_at - NOW, found.expires_at - NOW) == (refresh_after, timedelta(seconds=seconds))


def test_folders_without_a_pod() -> None:
    assert leftovers.orphaned({"a", "b", "c"}, listed={"a"}, running={"b"}) == {"c"}
