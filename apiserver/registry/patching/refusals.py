"""Every way to refuse a patch, in the words and with the codes that a Kubernetes API server answers.

Three kinds: BadRequest (the patch itself is malformed), Invalid with one fixed sentence (a JSON patch that does not fit
the document; the true reason is attached as a note, for the log), and Unmergeable (a strategic merge patch that the
schema cannot place).
"""

from __future__ import annotations

from typing import Any

from steersman.api.errors import ApiError, BadRequest, Details, Invalid, RequestTooLarge

UNPROCESSABLE = "the server rejected our request due to an error in our request"

# Messages quote pieces of the patch. They travel in headers too, so a megabyte of patch must not come back in one.
MAX_QUOTED = 4096


class Unmergeable(ApiError):
    """A strategic merge patch that names an unknown field, or a list element that cannot be told from its siblings.

    Kubernetes answers these over HTTP as 500 without a reason, and so do we. gRPC has no precedent to keep to, and
    there it is what it is: the caller's mistake.
    """

    http_code, grpc_code, reason = 500, "INVALID_ARGUMENT", ""


def too_deep() -> BadRequest:
    return BadRequest("error decoding patch: exceeded max depth")


def unprocessable(why: str) -> Invalid:
    refused = Invalid(UNPROCESSABLE, details=Details())
    refused.add_note(why)
    return refused


def too_many_operations(limit: int, given: int) -> RequestTooLarge:
    why = f"The allowed maximum operations in a JSON patch is {limit}, got {given}"
    return RequestTooLarge(f"Request entity too large: {why}")


def cannot_decode(value: object, expected: str) -> str:
    """The sentence for a JSON value of the wrong type: `expected` says where it was and what belongs there."""
    return f"json: cannot unmarshal {_json_type(value)} into Go {expected}"


def bad_retain_keys() -> BadRequest:
    return BadRequest("invalid patch format of retainKeys")


def bad_primitive_list() -> BadRequest:
    return BadRequest("invalid patch format of primitive list")


def bad_element_order() -> BadRequest:
    return BadRequest("invalid patch format of setElementOrder list")


def lists_of_lists() -> Invalid:
    return unprocessable("lists of lists are not supported")


def mixed_elements(*lists: list[Any]) -> Unmergeable:
    return Unmergeable(f"list element types are not identical: {_quoted(list(lists))}")


def no_elements() -> Unmergeable:
    return Unmergeable("no elements in any of the given slices")


def no_merge_key(item: dict[str, Any], merge_key: str) -> Unmergeable:
    return Unmergeable(f"map: {_quoted(item)} does not contain declared merge key: {merge_key}")


def no_declared_merge_key() -> Unmergeable:
    return Unmergeable("cannot merge lists without merge key for struct")


def unknown_directive(directive: object, patch: dict[str, Any]) -> Unmergeable:
    return Unmergeable(f"unknown patch type: {_quoted(directive)} in map: {_quoted(patch)}")


def merge_directive_in_list() -> Unmergeable:
    return Unmergeable("merging lists cannot yet be specified in the patch")


def order_mismatch(patch: list[Any], order: list[Any]) -> Unmergeable:
    shown, wanted = _quoted(patch), _quoted(order)
    return Unmergeable(f"The order in patch list:\n{shown}\n doesn't match $setElementOrder list:\n{wanted}\n")


def wrong_type(expected: object, received: object) -> Unmergeable:
    """`expected` is any value of the right type."""
    return Unmergeable(f"expected a {_go_type(expected)}, but received a {_go_type(received)}")


def unknown_field(struct: str, field: str) -> Unmergeable:
    return Unmergeable(f'unable to find api field in struct {struct} for the json field "{field}"')


def not_a_struct(kind: str) -> Unmergeable:
    return Unmergeable(f"merging an object in json but data type is not struct, instead is: {kind}")


def _json_type(value: object) -> str:
    match value:
        case bool():
            return "bool"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _go_type(value: object) -> str:
    match value:
        case None:
            return "%!s(<nil>)"
        case bool():
            return "bool"
        case int():
            return "int64"
        case float():
            return "float64"
        case str():
            return "string"
        case list():
            return "[]interface {}"
        case _:
            return "map[string]interface {}"


def _quoted(value: object) -> str:
    text = _go_text(value)
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}…"


def _go_text(value: object) -> str:
    """As Go prints a value inside a sentence: `map[image:nginx ports:[80 443]]`, keys sorted."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return "true" if value else "false"
        case dict():
            return f"map[{' '.join(f'{key}:{_go_text(value[key])}' for key in sorted(value))}]"
        case list():
            return f"[{' '.join(map(_go_text, value))}]"
        case _:
            return str(value)
