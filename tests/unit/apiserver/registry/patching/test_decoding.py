"""From the bytes of a request to plain values, and through a patch to a typed object."""

from __future__ import annotations

import pytest

from apiserver.registry.patching import decode, shape_of, strategic
from apiserver.registry.requests import PatchType
from steersman.api import codec
from steersman.api.core import Container, Pod, PodSpec
from steersman.api.errors import BadRequest
from steersman.api.meta import ObjectMeta


@pytest.mark.parametrize("patch_type", PatchType)
def test_whatever_is_json_is_read(patch_type: PatchType) -> None:
    assert decode(patch_type, b' {"a": [1, 1.0, true, null, "x"]} ') == {"a": [1, 1.0, True, None, "x"]}


UNREADABLE: dict[str, tuple[bytes, str]] = {
    "cut off": (b'{"spec":', "unexpected end of JSON input"),
    "cut off in a string": (b'{"spec', "unexpected end of JSON input"),
    "empty": (b"", "unexpected end of JSON input"),
    "no value": (b'{"spec":}', "invalid character '}' looking for beginning of value"),
    "not JSON": (b"spec", "invalid character 's' looking for beginning of value"),
    "no number": (b'{"a":NaN}', "invalid JSON"),
    "not UTF-8": (b'{"a":"\xff"}', "invalid JSON"),
}


@pytest.mark.parametrize(("body", "why"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_unreadable(body: bytes, why: str) -> None:
    for patch_type, prefix in (
        (PatchType.JSON, "error decoding patch: "),
        (PatchType.MERGE, "error decoding patch: "),
        (PatchType.STRATEGIC, ""),
    ):
        with pytest.raises(BadRequest) as refused:
            decode(patch_type, body)
        assert refused.value.message == prefix + why


def test_depth_without_end() -> None:
    with pytest.raises(BadRequest):
        decode(PatchType.MERGE, b"[" * 100_000)


def test_through_the_codec_and_back() -> None:
    pod = Pod(metadata=ObjectMeta(name="solo"), spec=PodSpec(containers=(Container(name="app", image="v1"),)))
    patch = decode(PatchType.STRATEGIC, b'{"spec":{"containers":[{"name":"app","image":"v2","tty":null}]}}')
    patched, warnings = codec.from_dict(Pod, strategic.apply(codec.to_dict(pod), patch, shape_of(Pod)))
    assert (patched.spec.containers, warnings) == ((Container(name="app", image="v2"),), [])
