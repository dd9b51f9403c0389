"""The files of volumes that come from the API."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from nodeagent.downward import Place
from nodeagent.volumes import VolumeProblem, payload
from nodeagent.volumes.payload import Contents, File, Needed, TokenWish
from steersman.api.core import ConfigMap, Pod, Secret, Volume
from steersman.api.meta import ObjectMeta

CONFIG = ConfigMap(metadata=ObjectMeta(name="c"), data={"a": "1", "b": "2"}, binary_data={"raw": b"\xff"})
SECRET = Secret(metadata=ObjectMeta(name="s"), data={"key": b"hidden"})
WISH = TokenWish("vault", 7200)
CONTENTS = Contents({"c": CONFIG}, {"s": SECRET}, {WISH: "jwt"}, Place(allocatable={"cpu": "4"}))


def volume(**source: Any) -> Volume:
    return msgspec.convert({"name": "v", **source}, Volume)


def pod(**spec: Any) -> Pod:
    meta = {"name": "web", "namespace": "default", "uid": "u", "labels": {"app": "x"}}
    return msgspec.convert({"metadata": meta, "spec": {"containers": [{"name": "main"}], **spec}}, Pod)


def projected(*sources: dict[str, Any], **fields: Any) -> Volume:
    return volume(projected={"sources": list(sources), **fields})


LABELS = {"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}
TOKEN = {"serviceAccountToken": {"path": "token", "audience": "vault", "expirationSeconds": 7200}}


@pytest.mark.parametrize(
    ("source", "files"),
    [
        pytest.param(
            volume(configMap={"name": "c"}),
            {"a": File(b"1", 0o644), "b": File(b"2", 0o644), "raw": File(b"\xff", 0o644)},
            id="every key of a config map",
        ),
        pytest.param(
            volume(configMap={"name": "c", "defaultMode": 0o600, "items": [{"key": "a", "path": "x/y"}]}),
            {"x/y": File(b"1", 0o600)},
            id="one key under another path",
        ),
        pytest.param(
            volume(configMap={"name": "c", "items": [{"key": "a", "path": "a", "mode": 0o400, "user": 7}]}),
            {"a": File(b"1", 0o400, 7)},
            id="a mode and a user of its own",
        ),
        pytest.param(volume(configMap={"name": "no", "optional": True}), {}, id="optional and missing"),
        pytest.param(
            volume(configMap={"name": "c", "optional": True, "items": [{"key": "no", "path": "x"}]}),
            {},
            id="an optional key that is missing",
        ),
        pytest.param(volume(secret={"secretName": "s"}), {"key": File(b"hidden", 0o644)}, id="a secret"),
        pytest.param(volume(downwardAPI={"items": [LABELS]}), {"labels": File(b'app="x"', 0o644)}, id="labels"),
        pytest.param(
            projected(
                {"configMap": {"name": "c", "items": [{"key": "a", "path": "same"}]}},
                {"secret": {"name": "s", "items": [{"key": "key", "path": "same"}]}},
                {"downwardAPI": {"items": [LABELS]}},
                TOKEN,
                defaultMode=0o440,
            ),
            {"same": File(b"hidden", 0o440), "labels": File(b'app="x"', 0o440), "token": File(b"jwt", 0o440)},
            id="several sources, the later above the earlier",
        ),
    ],
)
def test_files(source: Volume, files: dict[str, File]) -> None:
    assert payload.files(pod(), source, CONTENTS) == files


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (volume(configMap={"name": "no"}), 'configmap "no" not found'),
        (volume(secret={"secretName": "no"}), 'secret "no" not found'),
        (
            volume(configMap={"name": "c", "items": [{"key": "no", "path": "x"}]}),
            "configmap references non-existent config key: no",
        ),
        (
            volume(secret={"secretName": "s", "items": [{"key": "no", "path": "x"}]}),
            "references non-existent secret key: no",
        ),
        (
            projected({"configMap": {"name": "no"}}, {"secret": {"name": "gone"}}),
            '[configmap "no" not found, secret "gone" not found]',
        ),
        (
            volume(downwardAPI={"items": [{"path": "x", "fieldRef": {"fieldPath": "spec.no"}}]}),
            "unsupported fieldPath: spec.no",
        ),
    ],
)
def test_what_is_missing_is_told(source: Volume, message: str) -> None:
    with pytest.raises(VolumeProblem) as problem:
        payload.files(pod(), source, CONTENTS)
    assert str(problem.value) == message


@pytest.mark.parametrize(
    ("spec", "file"),
    [
        pytest.param({}, File(b"jwt", 0o644), id="nothing is known of the user"),
        pytest.param({"securityContext": {"fsGroup": 5}}, File(b"jwt", 0o600), id="the group gets it with the volume"),
        pytest.param({"securityContext": {"runAsUser": 7}}, File(b"jwt", 0o600, 7), id="one user"),
        pytest.param(
            {"containers": [{"name": "a", "securityContext": {"runAsUser": 1}}, {"name": "b"}]},
            File(b"jwt", 0o644),
            id="different users",
        ),
    ],
)
def test_who_may_read_a_token(spec: dict[str, Any], file: File) -> None:
    assert payload.files(pod(**spec), projected(TOKEN), CONTENTS) == {"token": file}


def test_what_is_needed() -> None:
    source = projected({"configMap": {"name": "c"}}, {"secret": {"name": "s"}}, TOKEN, {"downwardAPI": {}})
    assert payload.needed(source) == Needed(frozenset({"c"}), frozenset({"s"}), frozenset({WISH}))
    assert payload.needed(volume(emptyDir={})) == Needed()
