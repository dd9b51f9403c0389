"""JSON patch (RFC 6902): a list of operations, all of them or none.

Where Kubernetes and the RFC differ, people's patches are written for Kubernetes, so:

* `replace` may create the last key of its path; only its parents must exist;
* `test` for null holds where the key is absent, which is how a patch says "only if nobody has set it";
* an absent `value` is null, and a negative index counts from the end of the array.

Otherwise the RFC holds: `test` compares deeply and tells 1 from 1.0 and from true, and `move` cannot put a value inside
itself. `copy` can; what all copies of one patch add together is bounded, so that doubling ends early.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from apiserver.registry.patching import refusals
from apiserver.registry.patching.document import Json, check_depth, copy_of, same
from steersman.api.errors import BadRequest

MAX_OPERATIONS = 10_000
MAX_COPIED_BYTES = 3 * 1024 * 1024

Tokens = tuple[str, ...]

# RFC 6901 forbids leading zeros; nine digits are more elements than any document has.
_INDEX: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,8})")
_END: Final = "-"


@dataclass(frozen=True, slots=True)
class Operation:
    """One step as it was sent: what it lacks is None."""

    name: str | None
    path: str | None
    source: str | None
    value: Json


def apply(document: Json, patch: Json) -> Json:
    """`document` after every operation of `patch`.

    BadRequest when the patch is not a list of operations, or too deep; RequestTooLarge when it has too many; Invalid
    when an operation does not fit the document or a test fails. The document is never changed.
    """
    operations = _decode(patch)
    check_depth(patch)
    draft = Draft(document)
    for operation in operations:
        _perform(draft, operation)
    return draft.finished()


class Draft:
    """A document under change. What it was made from stays untouched: a container is copied when first written to."""

    def __init__(self, document: Json) -> None:
        self.root = document
        self._own: dict[int, Json] = {}  # by id; holding the containers keeps their ids from being reused
        self._copied_bytes = 0
        self._moved = False

    def finished(self) -> Json:
        # Moves can stack shallow values into a deep one. Looking at each would let ten thousand of them walk a large
        # document ten thousand times, so the outcome is looked at once.
        if self._moved:
            check_depth(self.root)
        return self.root

    def get(self, tokens: Tokens) -> Json:
        value = self.root
        for token in tokens:
            value = _child(value, token)
        return value

    def test(self, tokens: Tokens, expected: Json) -> None:
        parent = self.get(tokens[:-1])
        actual = parent.get(tokens[-1]) if tokens and isinstance(parent, dict) else self.get(tokens)
        if not same(actual, expected):
            raise refusals.unprocessable(f"testing value {_pointer(tokens)} failed: test failed")

    def add(self, tokens: Tokens, value: Json) -> None:
        check_depth(value, above=len(tokens))
        self._insert(tokens, value)

    def replace(self, tokens: Tokens, value: Json) -> None:
        check_depth(value, above=len(tokens))
        if not tokens:
            self.root = value
            return
        parent = self._writable_parent(tokens)
        if isinstance(parent, dict):
            parent[tokens[-1]] = value
        else:
            parent[_index(parent, tokens[-1])] = value

    def remove(self, tokens: Tokens) -> Json:
        if not tokens:
            raise refusals.unprocessable("the whole document cannot be removed")
        parent = self._writable_parent(tokens)
        if isinstance(parent, list):
            return parent.pop(_index(parent, tokens[-1]))
        if tokens[-1] not in parent:
            raise refusals.unprocessable(f"Unable to remove nonexistent key: {tokens[-1]}")
        return parent.pop(tokens[-1])

    def move(self, source: Tokens, target: Tokens) -> None:
        if len(source) < len(target) and target[: len(source)] == source:
            raise refusals.unprocessable(f"{_pointer(source)} cannot move into itself")
        self._moved = True
        self._insert(target, self.remove(source))

    def copy(self, source: Tokens, target: Tokens) -> None:
        value = self.get(source)
        check_depth(value, above=len(target))
        self._copied_bytes += len(msgspec.json.encode(value))
        if self._copied_bytes > MAX_COPIED_BYTES:
            raise refusals.unprocessable(f"all copies together exceed {MAX_COPIED_BYTES} bytes")
        self._insert(target, copy_of(value))

    def _insert(self, tokens: Tokens, value: Json) -> None:
        if not tokens:
            self.root = value
            return
        parent = self._writable_parent(tokens)
        if isinstance(parent, dict):
            parent[tokens[-1]] = value
        else:
            parent.insert(_insertion_index(parent, tokens[-1]), value)

    def _writable_parent(self, tokens: Tokens) -> dict[str, Json] | list[Json]:
        node = self.root = self._writable(self.root)
        for token in tokens[:-1]:
            child = self._writable(_child(node, token))
            if isinstance(node, dict):
                node[token] = child
            else:
                node[_index(node, token)] = child
            node = child
        return node

    def _writable(self, node: Json) -> dict[str, Json] | list[Json]:
        if not isinstance(node, dict | list):
            raise refusals.unprocessable("the path leads through a value that is neither object nor array")
        if id(node) not in self._own:
            node = node.copy()
            self._own[id(node)] = node
        return node


def _perform(draft: Draft, operation: Operation) -> None:
    """Kubernetes names every misfit alike, so an operation's own members are looked at only when it is its turn."""
    perform = _OPERATIONS.get(operation.name or "")
    if perform is None:
        raise refusals.unprocessable(f"Unexpected kind: {operation.name}")
    perform(draft, operation)


_OPERATIONS: Final[dict[str, Callable[[Draft, Operation], object]]] = {
    "add": lambda draft, step: draft.add(_tokens(step.path), step.value),
    "remove": lambda draft, step: draft.remove(_tokens(step.path)),
    "replace": lambda draft, step: draft.replace(_tokens(step.path), step.value),
    "move": lambda draft, step: draft.move(_tokens(step.source), _tokens(step.path)),
    "copy": lambda draft, step: draft.copy(_tokens(step.source), _tokens(step.path)),
    "test": lambda draft, step: draft.test(_tokens(step.path), step.value),
}


def _decode(patch: Json) -> list[Operation]:
    if patch is None:
        return []
    if not isinstance(patch, list):
        raise _undecodable(patch, "value of type []handlers.jsonPatchOp")
    if len(patch) > MAX_OPERATIONS:
        raise refusals.too_many_operations(MAX_OPERATIONS, len(patch))
    return [_operation(step) for step in patch]


def _operation(step: Json) -> Operation:
    if step is None:
        step = {}
    if not isinstance(step, dict):
        raise _undecodable(step, "value of type handlers.jsonPatchOp")
    name, path, source = (_text(step, member) for member in ("op", "path", "from"))
    return Operation(name, path, source, step.get("value"))


def _text(step: dict[str, Json], member: str) -> str | None:
    value = step.get(member)
    if value is None or isinstance(value, str):
        return value
    raise _undecodable(value, f"struct field jsonPatchOp.{member} of type string")


def _undecodable(value: Json, expected: str) -> BadRequest:
    return BadRequest(f"error decoding patch: {refusals.cannot_decode(value, expected)}")


def _tokens(pointer: str | None) -> Tokens:
    """A JSON pointer's reference tokens, unescaped (`~1` before `~0`, so that `~01` stays `~1`)."""
    if pointer is None:
        raise refusals.unprocessable("the operation lacks a path")
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise refusals.unprocessable(f"{pointer} is no JSON pointer: it must begin with /")
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/"))


def _pointer(tokens: Tokens) -> str:
    return "".join(f"/{token.replace('~', '~0').replace('/', '~1')}" for token in tokens)


def _child(value: Json, token: str) -> Json:
    if isinstance(value, dict) and token in value:
        return value[token]
    if isinstance(value, list):
        return value[_index(value, token)]
    raise refusals.unprocessable(f"doc is missing key: {token}")


def _index(array: list[Json], token: str) -> int:
    """The place of an existing element."""
    return _place(token, len(array))


def _insertion_index(array: list[Json], token: str) -> int:
    """Where a new element goes: before an existing one, or at the end. -1 is the end too."""
    return len(array) if token == _END else _place(token, len(array) + 1)


def _place(token: str, places: int) -> int:
    if _INDEX.fullmatch(token) is None:
        raise refusals.unprocessable(f"value was not a proper array index: '{token}'")
    index = int(token)
    if not -places <= index < places:
        raise refusals.unprocessable(f"Unable to access invalid index: {token}")
    return index if index >= 0 else index + places
