"""Request bodies of every kind that Kubernetes takes: JSON, YAML and protobuf, told apart by the content type."""

from __future__ import annotations

from typing import TypeVar

from steersman.api import codec, protobuf, yamltext
from steersman.api.codec import FieldValidation
from steersman.api.errors import BadRequest, UnsupportedMediaType
from steersman.api.part import Part

JSON, YAML = "application/json", "application/yaml"
ACCEPTED = (JSON, YAML, protobuf.MEDIA_TYPE)

T = TypeVar("T", bound=Part)


def to_struct(
    struct: type[T], body: bytes, content_type: str = JSON, validation: FieldValidation = FieldValidation.IGNORE
) -> tuple[T, list[str]]:
    """What a user sent, and the warnings to send back. Without a content type it is JSON.

    BadRequest when it cannot be read as a `struct`, UnsupportedMediaType when it is none of the three.
    """
    match media_type(content_type):
        case "" | "application/json":
            return codec.decode(struct, body, validation=validation)
        case "application/yaml":
            return _from_yaml(struct, body, validation)
        case protobuf.MEDIA_TYPE:
            return protobuf.decode(struct, body), []
        case _:
            raise unsupported()


def type_of(body: bytes, content_type: str = JSON) -> tuple[str, str]:
    """The apiVersion and kind that a body claims, empty where it does not say."""
    match media_type(content_type):
        case protobuf.MEDIA_TYPE:
            return protobuf.type_of(body)
        case "application/yaml":
            try:
                return codec.type_of(yamltext.to_json(body)[0])
            except yamltext.Unreadable:
                return "", ""
        case _:
            return codec.type_of(body)


def media_type(content_type: str) -> str:
    """The media type without its parameters (`; charset=utf-8`)."""
    return content_type.partition(";")[0].strip().lower()


def unsupported() -> UnsupportedMediaType:
    accepted = ", ".join(ACCEPTED)
    return UnsupportedMediaType(
        f"the body of the request was in an unknown format - accepted media types include: {accepted}"
    )


def _from_yaml(struct: type[T], body: bytes, validation: FieldValidation) -> tuple[T, list[str]]:
    try:
        document, repeated = yamltext.to_json(body)
    except yamltext.Unreadable as err:
        raise BadRequest(codec.unrecognized(struct, body, f"error converting YAML to JSON: {err}")) from err
    if validation is FieldValidation.IGNORE:
        return codec.decode(struct, document)
    decoded, unknown = codec.decode(struct, document, validation=FieldValidation.WARN)
    complaints = [*repeated, *unknown]
    if complaints and validation is FieldValidation.STRICT:
        raise BadRequest(codec.cannot_be_handled(struct, f"strict decoding error: {', '.join(complaints)}"))
    return decoded, complaints
