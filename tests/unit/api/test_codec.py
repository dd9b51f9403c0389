from __future__ import annotations

import json
from typing import Any

import pytest

from steersman.api import codec, kinds, schema
from steersman.api.apps import ControllerRevision, Deployment
from steersman.api.autoscaling import HorizontalPodAutoscaler, Scale
from steersman.api.codec import FieldValidation
from steersman.api.coordination import Lease
from steersman.api.core import ConfigMap, Pod, Secret
from steersman.api.errors import BadRequest
from steersman.api.meta import ObjectMeta
from steersman.api.part import Part

DEPLOYMENT = 'Deployment in version "v1" cannot be handled as a Deployment: '


def refusal(struct: type[Part], document: bytes | str, validation: FieldValidation = FieldValidation.STRICT) -> str:
    data = document if isinstance(document, bytes) else document.encode()
    with pytest.raises(BadRequest) as caught:
        codec.decode(struct, data, validation=validation)
    return caught.value.message


def pod_with(container: dict[str, Any]) -> bytes:
    return json.dumps({"spec": {"containers": [container]}}).encode()


@pytest.mark.parametrize(
    ("document", "complaints"),
    [
        pytest.param('{"spec":{"replicaz":2}}', ['unknown field "spec.replicaz"'], id="unknown"),
        pytest.param('{"Spec":{}}', ['unknown field "Spec"'], id="case matters"),
        pytest.param('{"metadata":{"name":"a","name":"b"}}', ['duplicate field "metadata.name"'], id="repeated"),
        pytest.param(
            '{"metadata":{"name" : "a", "name" : "b"}}', ['duplicate field "metadata.name"'], id="repeated, with blanks"
        ),
        pytest.param(
            '{"metadata":{"labels":{"a":"b","a":"\\u003a"}}}',
            ['duplicate field "metadata.labels.a"'],
            id="repeated key of a map, beside an escaped colon",
        ),
        pytest.param('{"x":1,"x":2}', ['unknown field "x"'], id="unknown twice is named once"),
        pytest.param(
            '{"spec":{"b":1,"template":{"spec":{"containers":[{},{"c":{"d":1}}]}}},"a":1}',
            ['unknown field "spec.b"', 'unknown field "spec.template.spec.containers[1].c"', 'unknown field "a"'],
            id="all of them, in order, none inside another",
        ),
    ],
)
def test_unknown_and_repeated_fields(document: str, complaints: list[str]) -> None:
    said = refusal(Deployment, document)
    assert said == f"{DEPLOYMENT}strict decoding error: {', '.join(complaints)}"
    assert codec.decode(Deployment, document.encode(), validation=FieldValidation.WARN)[1] == complaints
    assert codec.decode(Deployment, document.encode(), validation=FieldValidation.IGNORE)[1] == []


def test_what_is_unknown_is_dropped_and_the_last_of_repeated_fields_counts() -> None:
    decoded, _ = codec.decode(ConfigMap, b'{"what":1,"metadata":{"name":"a","name":"b"},"data":{"k":"v"}}')
    assert decoded == ConfigMap(metadata=ObjectMeta(name="b"), data={"k": "v"})


@pytest.mark.parametrize("validation", FieldValidation)
def test_a_clean_document_has_no_warnings(validation: FieldValidation) -> None:
    document = b'{"metadata":{"name":"a","annotations":{"json":"{\\"a\\":1,\\"a\\":2}","quote":"\\u0022:"}}}'
    assert codec.decode(ConfigMap, document, validation=validation)[1] == []


def test_repetition_inside_opaque_json_is_not_our_business() -> None:
    document = b'{"metadata":{"managedFields":[{"fieldsV1":{"f:a":{},"f:a":{}}}]}}'
    assert codec.decode(ConfigMap, document, validation=FieldValidation.STRICT)[1] == []


def test_only_the_first_hundred_complaints_are_kept() -> None:
    document = json.dumps({f"x{number}": 1 for number in range(500)}).encode()
    assert len(codec.decode(ConfigMap, document, validation=FieldValidation.WARN)[1]) == 100


@pytest.mark.parametrize(
    ("struct", "document", "why"),
    [
        (
            Deployment,
            '{"spec":{"replicas":"three"}}',
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            Deployment,
            '{"spec":{"replicas":1.5}}',
            "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            Deployment,
            '{"spec":{"replicas":99999999999}}',
            "json: cannot unmarshal number 99999999999 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            Deployment,
            '{"metadata":{"labels":{"a":1}}}',
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
        ),
        (
            Deployment,
            '{"spec":{"template":{"spec":{"containers":[{"env":[{"name":"a","value":1}]}]}}}}',
            "json: cannot unmarshal number into Go struct field EnvVar.spec.template.spec.containers.env.value "
            "of type string",
        ),
        (
            Deployment,
            '{"spec":"a"}',
            "json: cannot unmarshal string into Go struct field Deployment.spec of type v1.DeploymentSpec",
        ),
        (
            Deployment,
            '{"spec":{"template":{"spec":{"containers":{}}}}}',
            "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers "
            "of type []v1.Container",
        ),
        (
            HorizontalPodAutoscaler,
            '{"spec":{"behavior":[]}}',
            "json: cannot unmarshal array into Go struct field HorizontalPodAutoscalerSpec.spec.behavior "
            "of type v2.HorizontalPodAutoscalerBehavior",
        ),
        (
            Deployment,
            '{"metadata":{"creationTimestamp":"yesterday"}}',
            'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
        ),
        (
            Deployment,
            '{"metadata":{"creationTimestamp":5}}',
            "json: cannot unmarshal number into Go value of type string",
        ),
        (
            Deployment,
            '{"spec":{"template":{"spec":{"overhead":{"cpu":"1x"}}}}}',
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (
            Deployment,
            '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":true}}}}',
            "json: cannot unmarshal bool into Go value of type int32",
        ),
        (Secret, '{"data":{"a":"YWJ"}}', "illegal base64 data at input byte 0"),
        (Secret, '{"data":{"a":"YW*j"}}', "illegal base64 data at input byte 2"),
        (
            Scale,
            '{"spec":{"replicas":{}}}',
            "json: cannot unmarshal object into Go struct field ScaleSpec.spec.replicas of type int32",
        ),
    ],
)
def test_wrong_types_are_refused_as_go_does(struct: type[Part], document: str, why: str) -> None:
    said = refusal(struct, document, FieldValidation.IGNORE)
    version = "v2" if struct is HorizontalPodAutoscaler else "v1"
    assert said == f'{struct.__name__} in version "{version}" cannot be handled as a {struct.__name__}: {why}'


def test_a_wrong_type_is_said_before_an_unknown_field() -> None:
    assert "cannot unmarshal" in refusal(Deployment, '{"what":1,"spec":{"replicas":"a"}}')


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (b"", "unexpected end of JSON input (<empty>)"),
        (b"{", "unexpected end of JSON input ({)"),
        (b'{"a":"b', 'unexpected end of JSON input ({"a":"b)'),
        (b'{"a":}', """invalid character '}' looking for beginning of value ({"a":})"""),
        (b'{"a" 1}', """invalid character '1' after object key ({"a" 1})"""),
        (b"{'a':1}", "invalid character '\\'' looking for beginning of object key string ({'a':1})"),
        (b'{"a":1 "b"}', """invalid character '"' after object key:value pair ({"a":1 "b"})"""),
        (b'{"a":["]" 2]}', """invalid character '2' after array element ({"a":["]" 2]})"""),
        (b'{"a":NaN}', """invalid character 'N' looking for beginning of value ({"a":NaN})"""),
        (b"{}x", "invalid character 'x' after top-level value ({}x)"),
        (b"kind: Pod", "invalid character 'k' looking for beginning of value (6b696e643a20506f64)"),
        (b'{"metadata":{"name":"\xff"}}', 'invalid UTF-8 at byte 21 ({"metadata":{"name":"\ufffd"}})'),
    ],
)
def test_bad_json(document: bytes, why: str) -> None:
    said = refusal(Deployment, document)
    head = "the object provided is unrecognized (must be of type Deployment): couldn't get version/kind; "
    assert said.replace('\\"', '"') == f"{head}json parse error: {why}"


@pytest.mark.parametrize(("document", "word"), [("[]", "array"), ('"a"', "string"), ("1", "number"), ("true", "bool")])
def test_what_is_no_object(document: str, word: str) -> None:
    assert f"json: cannot unmarshal {word} into Go value of type struct {{ APIVersion" in refusal(Pod, document)


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(b'{"metadata":' + b"[" * 100_000, id="unfinished"),
        pytest.param(b'{"a":' * 100_000, id="unknown fields"),
        pytest.param(b'{"metadata":{"managedFields":[{"fieldsV1":' + b"[" * 9999 + b"]" * 9999 + b"}]}}", id="opaque"),
        pytest.param(b'{"metadata":{"generation":' + b"9" * 10_000 + b"}}", id="a number without end"),
        pytest.param(b'{"spec":{"overhead":{"cpu":"1e999999999"}}}', id="a quantity without end"),
        pytest.param(b'{"spec":{"overhead":{"cpu":' + b"9" * 5000 + b"}}}", id="a quantity of too many digits"),
    ],
)
def test_attacks_are_bad_requests(document: bytes) -> None:
    refusal(Pod, document)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        pytest.param(r"\ud83d\ude00", "\U0001f600", id="a whole pair"),
        pytest.param(r"a\ud83db", "a\ufffdb", id="the first half"),
        pytest.param(r"\ude00\uD83D", "\ufffd\ufffd", id="halves in the wrong order"),
        pytest.param(r"\\ud800", r"\ud800", id="a backslash before a u"),
    ],
)
def test_half_of_a_utf16_pair_is_read_as_the_replacement_character(text: str, read: str) -> None:
    document = f'{{"data":{{"a":"{text}"}}}}'
    assert codec.decode(ConfigMap, document.encode())[0].data == {"a": read}


def test_a_refusal_that_repeats_half_of_a_utf16_pair_can_be_written_down() -> None:
    refusal(ConfigMap, r'{"data":{"\ud800":1},"\ud800":2}').encode()


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ('{"metadata":null,"spec":{"containers":null,"hostNetwork":null,"nodeName":null}}', Pod()),
        ('{"metadata":{"creationTimestamp":null,"labels":{"a":null}}}', Pod(metadata=ObjectMeta(labels={"a": ""}))),
    ],
)
def test_null_means_absent(document: str, value: Pod) -> None:
    assert codec.decode(Pod, document.encode(), validation=FieldValidation.STRICT) == (value, [])


def test_scalars_become_canonical() -> None:
    limits = {"cpu": 0.5, "memory": "1024Mi", "pods": 1}
    pod, _ = codec.decode(Pod, pod_with({"resources": {"limits": limits}}))
    assert pod.spec.containers[0].resources.limits == {"cpu": "500m", "memory": "1Gi", "pods": "1"}
    lease, _ = codec.decode(Lease, b'{"spec":{"renewTime":"2026-01-02T03:04:05.678901+01:00"}}')
    assert lease.spec.renew_time == "2026-01-02T02:04:05.678901Z"
    config, _ = codec.decode(ConfigMap, b'{"metadata":{"creationTimestamp":"2026-01-02T03:04:05.9-05:00"}}')
    assert config.metadata.creation_timestamp == "2026-01-02T08:04:05Z"


def test_base64_may_be_broken_into_lines() -> None:
    secret, _ = codec.decode(Secret, b'{"data":{"a":"YW\\nJj\\n"}}', validation=FieldValidation.STRICT)
    assert secret.data == {"a": b"abc"}


def test_an_explicit_zero_of_a_pointer_is_kept_and_that_of_a_plain_field_is_not() -> None:
    document = b'{"metadata":{"name":"a"},"spec":{"replicas":0,"minReadySeconds":0,"paused":false}}'
    spec = codec.to_dict(codec.decode(Deployment, document)[0])["spec"]
    assert spec == {"replicas": 0, "selector": None, "template": {"metadata": {}, "spec": {"containers": []}}} | {
        "strategy": {}
    }


def test_the_stored_form_begins_with_metadata() -> None:
    value = Pod(metadata=ObjectMeta(name="a"), api_version="v1", kind="Pod")
    assert codec.encode(value).startswith(b'{"metadata":{"name":"a"},"apiVersion":"v1","kind":"Pod","spec":{')


def test_the_revision_is_spliced_in() -> None:
    stored = codec.encode(ConfigMap(metadata=ObjectMeta(name="a"), data={"b": "c"}))
    shown = codec.with_revision(stored, 42)
    assert shown == b'{"metadata":{"resourceVersion":"42","name":"a"},"data":{"b":"c"}}'
    assert codec.with_revision(b'{"metadata":{}}', 7) == b'{"metadata":{"resourceVersion":"7"}}'


def test_loading_drops_what_a_newer_server_has_written() -> None:
    stored = b'{"metadata":{"name":"a","invented":{"x":1}},"data":{"k":"v"}}'
    assert codec.load(ConfigMap, stored) == ConfigMap(metadata=ObjectMeta(name="a"), data={"k": "v"})


def test_dicts_are_as_strict_as_bytes() -> None:
    value = codec.from_dict(ConfigMap, {"metadata": {"name": "a"}, "data": {"k": "v"}})[0]
    assert codec.from_dict(ConfigMap, codec.to_dict(value), validation=FieldValidation.STRICT) == (value, [])
    with pytest.raises(BadRequest, match='strict decoding error: unknown field "dat"'):
        codec.from_dict(ConfigMap, {"dat": {}}, validation=FieldValidation.STRICT)


@pytest.mark.parametrize(
    ("document", "claimed"),
    [
        (b'{"kind":"Pod","spec":{"x":[1,2]},"apiVersion":"v1"}', ("v1", "Pod")),
        (b'{"apiVersion":null}', ("", "")),
        (b"[]", ("", "")),
        (b"nonsense", ("", "")),
    ],
)
def test_the_claimed_type(document: bytes, claimed: tuple[str, str]) -> None:
    assert codec.type_of(document) == claimed


def test_any_json_is_kept_without_the_layout_of_the_sender() -> None:
    body = b'{"metadata":{"name":"r"},\n "data": { "a" : [ 1.50,\t"x  y" ] },\n "revision": 1}'
    decoded, _ = codec.decode(ControllerRevision, body)
    assert bytes(decoded.data) == b'{"a":[1.50,"x  y"]}'
    strict, _ = codec.decode(ControllerRevision, body, validation=FieldValidation.STRICT)
    assert strict == decoded


def test_who_holds_any_json() -> None:
    holders = {kind.kind for kind in kinds.ALL if schema.holds_json(kind.struct)}
    assert {"ControllerRevision", "CustomResourceDefinition"} <= holders
    assert not holders & {"Pod", "ConfigMap", "Deployment", "Service", "Event"}
