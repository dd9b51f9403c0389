"""Kubernetes' protobuf bodies: what kubectl sends is read as it was meant, and nonsense is refused in good order."""

from __future__ import annotations

import base64
import timeit
from collections.abc import Iterator
from random import Random
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.api import codec, kinds, protobuf, protowire
from steersman.api.apiextensions import CustomResourceDefinition, JSONSchemaProps
from steersman.api.apps import ControllerRevision, Deployment
from steersman.api.authentication import TokenRequest
from steersman.api.autoscaling import HorizontalPodAutoscaler, HorizontalPodAutoscalerV1, Scale
from steersman.api.core import Binding, ConfigMap, Event, Pod, Secret, Service
from steersman.api.errors import BadRequest
from steersman.api.meta import DeleteOptions, ListMeta, Status
from steersman.api.part import At, Part
from steersman.api.policy import Eviction, PodDisruptionBudget
from tests.unit.api import anyobject, facts, protoencoder
from tests.unit.api.protoencoder import chunk, envelope, varint

OTHERS: tuple[type[Part], ...] = (Binding, DeleteOptions, Eviction, Scale, Status, TokenRequest)
STRUCTS = tuple(dict.fromkeys((*(kind.struct for kind in kinds.ALL), *OTHERS)))


def plain(value: Part) -> Any:
    return msgspec.json.decode(codec.encode(value))


def sent(struct: type[Part], raw: bytes) -> bytes:
    """A body that claims to be a `struct` and holds these bytes."""
    kind = kinds.of_struct(struct)
    name, _ = kinds.name_and_version(struct)
    return envelope(chunk(1, (kind.api_version if kind else "v1").encode()) + chunk(2, name.encode()), raw)


def read(struct: type[Part], raw: bytes) -> Any:
    decoded = plain(protobuf.decode(struct, sent(struct, raw)))
    return {name: value for name, value in decoded.items() if name not in ("apiVersion", "kind")}


# -- what is read


def test_a_plain_zero_is_absent_and_a_pointer_zero_is_meant() -> None:
    spec = varint(1 << 3) + varint(0) + varint(5 << 3) + varint(0)  # replicas (pointer), minReadySeconds (plain)
    assert read(Deployment, chunk(2, spec))["spec"] == plain(Deployment())["spec"] | {"replicas": 0}


READINGS = [
    pytest.param(ConfigMap, chunk(2, chunk(1, b"a") + chunk(2, b"b")), {"data": {"a": "b"}}, id="map-of-texts"),
    pytest.param(ConfigMap, chunk(2, chunk(1, b"a")), {"data": {"a": ""}}, id="map-entry-without-a-value"),
    pytest.param(ConfigMap, chunk(2, chunk(2, b"b")), {"data": {"": "b"}}, id="map-entry-without-a-key"),
    pytest.param(
        Secret, chunk(2, chunk(1, b"a") + chunk(2, b"\0\xff")), {"data": {"a": "AP8="}}, id="bytes-are-base64"
    ),
    pytest.param(ConfigMap, varint(4 << 3) + b"\0", {"immutable": False}, id="pointer-to-false"),
    pytest.param(ConfigMap, chunk(99, b"zz") + varint(98 << 3) + b"\1", {}, id="unknown-fields"),
    pytest.param(ConfigMap, varint(97 << 3 | 1) + b"12345678" + varint(96 << 3 | 5) + b"1234", {}, id="unknown-fixed"),
]


@pytest.mark.parametrize(("struct", "raw", "expected"), READINGS)
def test_reads(struct: type[Part], raw: bytes, expected: dict[str, Any]) -> None:
    assert read(struct, raw) == {"metadata": {}} | expected


def test_numbers_come_one_by_one_or_packed() -> None:
    one_by_one = b"".join(varint(4 << 3) + varint(each) for each in (1, 300))
    packed = chunk(4, varint(1) + varint(300))
    for groups in (one_by_one, packed):
        spec = chunk(14, groups)
        assert read(Pod, chunk(2, spec))["spec"]["securityContext"] == {"supplementalGroups": [1, 300]}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param(b"", None, id="none"),
        pytest.param(
            varint(1 << 3) + varint(1795000000) + varint(2 << 3) + varint(5), "2026-11-18T11:06:40Z", id="time"
        ),
        pytest.param(varint(1 << 3) + varint(0), "1970-01-01T00:00:00Z", id="the-epoch-is-a-time"),
        pytest.param(varint(1 << 3) + varint(-1), "1969-12-31T23:59:59Z", id="before-the-epoch"),
        pytest.param(varint(1 << 3) + varint(-62135596800), None, id="go's-zero"),
    ],
)
def test_times_to_the_second(message: bytes, expected: str | None) -> None:
    assert read(Event, chunk(6, message))["firstTimestamp"] == expected


def test_times_to_the_microsecond_drop_what_is_finer() -> None:
    message = varint(1 << 3) + varint(1795000000) + varint(2 << 3) + varint(1999)
    assert read(Event, chunk(10, message))["eventTime"] == "2026-11-18T11:06:40.000001Z"


def test_a_map_of_times() -> None:
    entry = chunk(1, b"web-0") + chunk(2, varint(1 << 3) + varint(0))
    budget = read(PodDisruptionBudget, chunk(3, chunk(2, entry)))
    assert budget["status"]["disruptedPods"] == {"web-0": "1970-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param(b"", 0, id="nothing"),
        pytest.param(varint(2 << 3) + varint(8080), 8080, id="number"),
        pytest.param(varint(1 << 3) + b"\1" + chunk(3, b"http"), "http", id="text"),
        pytest.param(varint(1 << 3) + b"\0" + chunk(3, b"http"), 0, id="the-type-decides"),
    ],
)
def test_int_or_string(message: bytes, expected: int | str) -> None:
    port = chunk(1, chunk(4, message))
    assert read(Service, chunk(2, port))["spec"]["ports"][0]["targetPort"] == expected


def test_quantities_become_canonical() -> None:
    limits = chunk(1, chunk(1, b"cpu") + chunk(2, chunk(1, b"0.5")))
    container = chunk(1, b"c") + chunk(8, limits)
    found = read(Pod, chunk(2, chunk(2, container)))["spec"]["containers"][0]
    assert found["resources"] == {"limits": {"cpu": "500m"}}


def test_inlined_messages_give_their_fields_to_the_struct_around() -> None:
    volume = chunk(1, b"data") + chunk(2, chunk(2, b"") + chunk(99, b""))
    assert read(Pod, chunk(2, chunk(1, volume)))["spec"]["volumes"] == [{"name": "data", "emptyDir": {}}]


def test_an_inlined_message_may_come_in_pieces() -> None:
    pieces = chunk(1, chunk(1, b"debug") + chunk(3, b"sh")) + chunk(1, chunk(3, b"-c"))
    found = read(Pod, chunk(2, chunk(34, pieces)))["spec"]["ephemeralContainers"][0]
    assert (found["name"], found["command"]) == ("debug", ["sh", "-c"])


def test_raw_extensions_are_json() -> None:
    assert read(ControllerRevision, chunk(2, chunk(1, b'{"a":1}')))["data"] == {"a": 1}
    assert read(ControllerRevision, chunk(2, b""))["data"] is None


def test_schemas_and_their_simpler_choices() -> None:
    schema = JSONSchemaProps(
        items=JSONSchemaProps(type="string"),
        additional_properties=False,
        additional_items=JSONSchemaProps(type="integer"),
        dependencies={"a": ("b", "c"), "d": JSONSchemaProps(type="object")},
        default=msgspec.Raw(b'"x"'),
        enum=(msgspec.Raw(b"1"), msgspec.Raw(b"null")),
        maximum=2.5,
    )
    version = chunk(4, chunk(1, protoencoder.message(schema)))
    found = read(CustomResourceDefinition, chunk(2, chunk(7, version)))
    assert found["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == plain(schema)


def test_the_kind_comes_from_the_envelope() -> None:
    body = envelope(chunk(1, b"apps/v1") + chunk(2, b"Deployment"), b"")
    assert protobuf.type_of(body) == ("apps/v1", "Deployment")
    decoded = protobuf.decode(Deployment, body)
    assert (decoded.api_version, decoded.kind) == ("apps/v1", "Deployment")


def test_options_come_in_the_version_of_any_group() -> None:
    raw = varint(1 << 3) + b"\0" + chunk(4, b"Background")
    body = envelope(chunk(1, b"apps/v1") + chunk(2, b"DeleteOptions"), raw)
    decoded = protobuf.decode(DeleteOptions, body)
    assert (decoded.grace_period_seconds, decoded.propagation_policy) == (0, "Background")


# -- there and back


@pytest.mark.parametrize(
    "struct", STRUCTS, ids=lambda struct: f"{struct.__module__.rpartition('.')[2]}.{struct.__name__}"
)
def test_every_kind_comes_back(struct: type[Part]) -> None:
    for seed in range(3):
        assert_comes_back(struct, seed, packed=bool(seed % 2))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(STRUCTS), st.integers(0, 2**32), st.booleans())
def test_any_object_comes_back(struct: type[Part], seed: int, packed: bool) -> None:
    assert_comes_back(struct, seed, packed=packed)


def assert_comes_back(struct: type[Part], seed: int, *, packed: bool) -> None:
    value = anyobject.draw(struct, Random(seed))
    raw = sent(struct, protoencoder.message(value, packed=packed))
    decoded: Any = protobuf.decode(struct, raw)
    assert codec.encode(decoded) == codec.encode(msgspec.structs.replace(value, **_type_meta(decoded)))


def _type_meta(value: Any) -> dict[str, str]:
    return {"api_version": value.api_version, "kind": value.kind}


# -- what is refused

DEEP = b""
for _ in range(150):
    DEEP = chunk(28, DEEP)

REFUSALS = [
    pytest.param(b"", "empty data (<empty>)", id="empty"),
    pytest.param(b"{}", "expected prefix [107 56 115 0]", id="json"),
    pytest.param(b"k8s\0\x0a\x7f", "unexpected EOF", id="truncated-envelope"),
    pytest.param(sent(ConfigMap, b"\x12\x7fab"), "unexpected EOF", id="length-beyond-the-end"),
    pytest.param(sent(ConfigMap, b"\x12" + b"\xff" * 9 + b"\x01"), "unexpected EOF", id="huge-length"),
    pytest.param(sent(ConfigMap, b"\x12"), "unexpected EOF", id="no-length"),
    pytest.param(sent(ConfigMap, b"\xff" * 11), "proto: integer overflow", id="overlong-varint"),
    pytest.param(sent(ConfigMap, b"\xff"), "unexpected EOF", id="half-a-varint"),
    pytest.param(sent(ConfigMap, varint(2 << 3) + b"\1"), "proto: wrong wireType = 0 for field data", id="wrong-wire"),
    pytest.param(sent(ConfigMap, chunk(4, b"")), "proto: wrong wireType = 2 for field immutable", id="wrong-wire-bool"),
    pytest.param(sent(ConfigMap, chunk(2, b"\x08\1")), "proto: wrong wireType = 0 for field data", id="wrong-wire-key"),
    pytest.param(sent(ConfigMap, b"\x13\x14"), "proto: illegal wireType 3", id="group"),
    pytest.param(sent(ConfigMap, b"\x9f\x06"), "proto: illegal wireType 7", id="no-such-wire-type"),
    pytest.param(sent(ConfigMap, b"\x02\x00"), "proto: illegal tag 0 (wire type 2)", id="field-zero"),
    pytest.param(sent(ConfigMap, chunk(1, chunk(1, b"\xff"))), "invalid UTF-8", id="not-utf-8"),
    pytest.param(
        sent(ControllerRevision, chunk(2, chunk(1, b'{"a":'))), "invalid JSON in a raw extension", id="bad-json"
    ),
    pytest.param(
        sent(ControllerRevision, chunk(2, chunk(1, b"[" * 100_000))), "invalid JSON in a raw extension", id="deep-json"
    ),
    pytest.param(sent(Event, chunk(6, b"\x08" + varint(2**60))), "year outside of range", id="far-future"),
    pytest.param(sent(Event, chunk(6, b"\x0a\x00")), "proto: wrong wireType = 2", id="wrong-wire-time"),
    pytest.param(
        sent(PodDisruptionBudget, chunk(3, chunk(2, chunk(1, b"p")))), 'no value for "p"', id="map-without-a-time"
    ),
    pytest.param(
        sent(Pod, chunk(2, chunk(2, chunk(8, chunk(1, chunk(1, b"cpu") + chunk(2, chunk(1, b"lots"))))))),
        "quantities must match the regular expression",
        id="bad-quantity",
    ),
    pytest.param(
        sent(CustomResourceDefinition, chunk(2, chunk(7, chunk(4, chunk(1, DEEP))))),
        "proto: message nested too deeply",
        id="deep-nesting",
    ),
]


@pytest.mark.parametrize(("body", "why"), REFUSALS)
def test_refuses(body: bytes, why: str) -> None:
    _, name = protobuf.type_of(body)
    struct = next((each for each in STRUCTS if each.__name__ == name), ConfigMap)
    with pytest.raises(BadRequest) as refused:
        protobuf.decode(struct, body)
    assert why in refused.value.message


@pytest.mark.parametrize(
    ("struct", "body", "why"),
    [
        pytest.param(
            Pod,
            sent(ConfigMap, b""),
            'ConfigMap in version "v1" cannot be handled as a Pod: the body is a ConfigMap',
            id="another-kind",
        ),
        pytest.param(
            HorizontalPodAutoscaler,
            sent(HorizontalPodAutoscalerV1, b""),
            "the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)",
            id="another-version",
        ),
    ],
)
def test_refuses_what_it_was_not_asked_for(struct: type[Part], body: bytes, why: str) -> None:
    with pytest.raises(BadRequest) as refused:
        protobuf.decode(struct, body)
    assert refused.value.message == why


@settings(max_examples=150, deadline=None)
@given(st.data(), st.integers(0, 2**32))
def test_broken_bodies_are_read_or_refused(data: st.DataObject, seed: int) -> None:
    struct = data.draw(st.sampled_from(STRUCTS))
    body = bytearray(sent(struct, protoencoder.message(anyobject.draw(struct, Random(seed)))))
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    del body[data.draw(st.integers(0, len(body))) :]
    assert_read_or_refused(struct, bytes(body))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(STRUCTS), st.binary(max_size=200))
def test_noise_is_read_or_refused(struct: type[Part], noise: bytes) -> None:
    assert_read_or_refused(struct, noise)
    assert_read_or_refused(struct, sent(struct, noise))


def assert_read_or_refused(struct: type[Part], body: bytes) -> None:
    try:
        decoded = protobuf.decode(struct, body)
    except BadRequest:
        return
    # What was taken can be stored and read again.
    assert codec.encode(codec.load(struct, codec.encode(decoded))) == codec.encode(decoded)


def test_a_flood_of_empty_messages_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protobuf, "MOST_MESSAGES", 1000)
    body = sent(Pod, chunk(2, b"\x12\x00" * 1000))
    with pytest.raises(BadRequest, match="too many messages"):
        protobuf.decode(Pod, body)


def test_a_deployment_is_read_in_microseconds() -> None:
    body = sent(Deployment, protoencoder.message(anyobject.draw(Deployment, Random(3))))
    best = min(timeit.repeat(lambda: protobuf.decode(Deployment, body), number=1, repeat=30))
    assert best < 0.005, f"{best * 1e6:.0f} µs for {len(body)} bytes"


@given(st.integers(0, 2**64 - 1))
def test_varints(number: int) -> None:
    written = varint(number)
    assert protowire.varint(written, 0, len(written)) == (number, len(written))


@pytest.mark.parametrize("number", [0, 1, -1, 2**31 - 1, -(2**31)])
def test_signed_numbers(number: int) -> None:
    assert protowire.int32(number % 2**64) == number
    assert protowire.int64(number % 2**64) == number


# -- recorded


def recorded() -> Iterator[Any]:
    for path in facts.folder("golden/http"):
        for number, exchange in enumerate(facts.read(f"golden/http/{path.name}")["exchanges"]):
            for side in ("request", "response"):
                body = exchange[side].get("body")
                text = body.get("base64", "<") if isinstance(body, dict) else "<"
                if not text.startswith("<"):  # some are redacted
                    yield pytest.param(base64.b64decode(text), id=f"{path.stem}-{number}-{side}")


RECORDED = list(recorded())


def struct_named(api_version: str, name: str) -> type[Part]:
    group, _, version = api_version.rpartition("/")
    if kind := kinds.by_kind(group, version, name):
        return kind.struct
    if item := kinds.by_kind(group, version, name.removesuffix("List")):
        return list_of(item.struct)
    return next(each for each in OTHERS if each.__name__ == name)


def list_of(item: type[Part]) -> type[Part]:
    """A list, which is never in a request but in many a recorded answer."""
    fields: list[tuple[str, Any, Any]] = [
        ("metadata", Annotated[ListMeta, At(1)], msgspec.field(default_factory=ListMeta)),
        ("items", Annotated[tuple[item, ...], At(2)], ()),  # type: ignore[valid-type]
        ("api_version", str, ""),
        ("kind", str, ""),
    ]
    made: Any = msgspec.defstruct(f"{item.__name__}List", fields, bases=(Part,), kw_only=True)
    return made  # type: ignore[no-any-return]


@facts.needed
@pytest.mark.parametrize("body", RECORDED)
def test_recorded_bodies_are_read_whole(body: bytes) -> None:
    """Written again they are the same bytes, so nothing was overlooked."""
    decoded = protobuf.decode(struct_named(*protobuf.type_of(body)), body)
    assert protoencoder.body(decoded) == body


@facts.needed
def test_a_recorded_answer_is_the_same_in_json() -> None:
    first, second, *_ = facts.read("golden/http/013-describe-node.json")["exchanges"]
    assert first["request"]["path"] == second["request"]["path"]
    bodies = [first["response"]["body"], second["response"]["body"]]
    in_json = next(body for body in bodies if "base64" not in body)
    in_protobuf = next(body for body in bodies if "base64" in body)
    decoded = protobuf.decode(kinds.by_kind("", "v1", "Node").struct, base64.b64decode(in_protobuf["base64"]))  # type: ignore[union-attr]
    assert plain(decoded) == in_json


MEANT = {
    "035-create-deployment-imperative": {
        "metadata": {"name": "demo", "labels": {"app": "demo"}},
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "demo"}},
            "template": {
                "metadata": {"labels": {"app": "demo"}},
                "spec": {"containers": [{"name": "nginx", "image": "nginx:1.25", "resources": {}}]},
            },
            "strategy": {},
        },
        "status": {},
    },
    "133-autoscale": {
        "metadata": {"name": "demo"},
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "spec": {
            "scaleTargetRef": {"kind": "Deployment", "name": "demo", "apiVersion": "apps/v1"},
            "minReplicas": 2,
            "maxReplicas": 4,
            "metrics": [
                {
                    "type": "Resource",
                    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
                }
            ],
        },
        "status": {"desiredReplicas": 0, "currentMetrics": None},
    },
    "201-can-i-as": {
        "metadata": {},
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"namespace": "default", "verb": "create", "resource": "pods"}},
        "status": {"allowed": False},
    },
    "205-create-rolebinding": {
        "metadata": {"name": "reader"},
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "jane"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
    },
    "207-create-token": {
        "metadata": {},
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"audiences": [], "expirationSeconds": 600, "boundObjectRef": None},
        "status": {"token": "", "expirationTimestamp": None},
    },
}


@facts.needed
@pytest.mark.parametrize("case", MEANT)
def test_recorded_requests_are_what_kubectl_meant(case: str) -> None:
    body = next(
        each.values[0] for each in RECORDED if str(each.id).startswith(case) and str(each.id).endswith("request")
    )
    assert isinstance(body, bytes)
    assert plain(protobuf.decode(struct_named(*protobuf.type_of(body)), body)) == MEANT[case]
