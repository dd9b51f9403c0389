"""Objects as text: YAML, JSON, names and JSONPath, as kubectl prints them. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from steersman.api import jsonpath
from steersman.api.jsonpath import PathError

Document = dict[str, Any]

_PIECE = re.compile(r'\{((?:"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[^}"\'])*)\}')
_STRING = "tag:yaml.org,2002:str"
WIDEST = 1_000_000
"""No line is broken for its length."""
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'"}


class BadTemplate(ValueError):
    """The text behind `-o jsonpath=` cannot be read."""


def shown(document: Document) -> Document:
    """Without the bookkeeping of server-side apply, which nobody wants to read."""
    metadata = document.get("metadata")
    if isinstance(metadata, dict) and "managedFields" in metadata:
        kept = {key: value for key, value in metadata.items() if key != "managedFields"}
        return {**document, "metadata": kept}
    return document


def list_of(documents: Sequence[Document]) -> Document:
    return {"apiVersion": "v1", "items": list(documents), "kind": "List", "metadata": {"resourceVersion": ""}}


def as_json(document: Any) -> str:
    return json.dumps(document, indent=4, sort_keys=True, ensure_ascii=False) + "\n"


def as_yaml(document: Any) -> str:
    import yaml  # only those who want it pay for it

    class Dumper(yaml.CSafeDumper):
        """Several lines of text stay several lines; a text that looks like something else is quoted as Go quotes it."""

    def text(dumper: Any, value: str) -> Any:
        is_plain = dumper.resolve(yaml.ScalarNode, value, (True, False)) == _STRING
        return dumper.represent_scalar(_STRING, value, style="|" if "\n" in value else None if is_plain else '"')

    Dumper.add_representer(str, text)
    dumped: str = yaml.dump(
        document, Dumper=Dumper, default_flow_style=False, sort_keys=True, allow_unicode=True, width=WIDEST
    )
    return dumped


def by_template(template: str, document: Any) -> str:
    """kubectl's JSONPath templates: text, {paths}, {"literals"}, {range path}…{end}."""
    pieces = list(
        _pieces(template if "{" in template else f"{{{template if template[:1] in '.[$@' else '.' + template}}}")
    )
    text, used = _rendered(pieces, 0, document, within_range=False)
    if used != len(pieces):
        raise BadTemplate("not in range, nothing to end")
    return text


def _pieces(template: str) -> Iterator[tuple[str, str]]:
    """("text", …) and ("path", …), in order."""
    at = 0
    for match in _PIECE.finditer(template):
        if match.start() > at:
            yield "text", template[at : match.start()]
        yield "path", match[1].strip()
        at = match.end()
    if "{" in template[at:]:
        raise BadTemplate("unclosed action")
    if at < len(template):
        yield "text", template[at:]


def _rendered(pieces: Sequence[tuple[str, str]], at: int, document: Any, *, within_range: bool) -> tuple[str, int]:
    """The text of the pieces up to the end of this range, and where that is."""
    written: list[str] = []
    while at < len(pieces):
        sort, text = pieces[at]
        at += 1
        if sort == "text":
            written.append(text)
        elif text == "end":
            if not within_range:
                return "".join(written), at - 1
            return "".join(written), at
        elif text.startswith("range"):
            at, repeated = _range(pieces, at, _found(text.removeprefix("range").strip(), document))
            written.append(repeated)
        elif text[:1] in "\"'":
            written.append(re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text[1:-1]))
        else:
            written.append(" ".join(_plain(value) for value in _found(text, document)))
    if within_range:
        raise BadTemplate("unterminated range")
    return "".join(written), at


def _range(pieces: Sequence[tuple[str, str]], at: int, values: Sequence[Any]) -> tuple[int, str]:
    end, written = at, []
    for value in values:
        text, end = _rendered(pieces, at, value, within_range=True)
        written.append(text)
    if not values:
        _, end = _rendered(pieces, at, None, within_range=True)
    return end, "".join(written)


def _found(path: str, document: Any) -> list[Any]:
    try:
        return jsonpath.parse(path).find(document)
    except PathError as error:
        raise BadTemplate(str(error)) from error


def _plain(value: Any) -> str:
    """Texts bare, the rest as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
