"""Syntax back to text: what is printed parses to the same syntax. Macros are printed as they were written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from steersman.cel import operators
from steersman.cel.library import texts
from steersman.cel.syntax import Call, Comprehension, Construct, Expr, Ident, ListOf, Literal, MapOf, Parsed, Select
from steersman.cel.values import Uint

_SYMBOLS: Final = {name: symbol for symbol, name in operators.BINARY.items()}
_RANKS: Final = {
    operators.OR: 1,
    operators.AND: 2,
    **{operators.BINARY[symbol]: 3 for symbol in operators.RELATIONS},
    **{operators.BINARY[symbol]: 4 for symbol in operators.SUMS},
    **{operators.BINARY[symbol]: 5 for symbol in operators.PRODUCTS},
}
_CONDITIONAL: Final = 0
_UNARY: Final = 6
_MEMBER: Final = 7


def printed(parsed: Parsed) -> str:
    return _Printer(parsed.macros).text(parsed.expression, _CONDITIONAL)


class _Printer:
    def __init__(self, macros: Mapping[int, Call]) -> None:
        self._macros = macros

    def text(self, node: Expr, rank: int) -> str:
        """In parentheses where it binds weaker than `rank` asks for."""
        written = self._macros.get(node.id)
        shown, own = self._bare(node if written is None else written)
        return shown if own >= rank else f"({shown})"

    def _bare(self, node: Expr) -> tuple[str, int]:
        match node:
            case Literal():
                return _literal(node.value)
            case Ident():
                return node.name, _MEMBER
            case Select():
                return f"{self.text(node.operand, _MEMBER)}.{node.field}", _MEMBER
            case Call():
                return self._call(node)
            case ListOf():
                elements = (
                    self._marked(element, index in node.optional) for index, element in enumerate(node.elements)
                )
                return f"[{', '.join(elements)}]", _MEMBER
            case MapOf():
                entries = (
                    f"{self._marked(each.key, each.optional)}: {self._whole(each.value)}" for each in node.entries
                )
                return f"{{{', '.join(entries)}}}", _MEMBER
            case Construct():
                values = (f"{'?' * each.optional}{each.name}: {self._whole(each.value)}" for each in node.fields)
                return f"{node.type_name}{{{', '.join(values)}}}", _MEMBER
            case Comprehension():
                raise ValueError("a comprehension without the macro that wrote it has no text")

    def _whole(self, node: Expr) -> str:
        return self.text(node, _CONDITIONAL)

    def _marked(self, node: Expr, optional: bool) -> str:  # noqa: FBT001  # of the element, not of the printing
        return f"{'?' * optional}{self._whole(node)}"

    def _call(self, node: Call) -> tuple[str, int]:
        function, arguments = node.function, node.args
        match function:
            case operators.CONDITIONAL:
                condition, then, otherwise = arguments
                shown = f"{self.text(condition, 1)} ? {self.text(then, 1)} : {self._whole(otherwise)}"
                return shown, _CONDITIONAL
            case operators.NOT | operators.NEGATE:
                # Two signs in a row would undo each other, and one before a number be its own.
                return f"{function[0]}{self._operand(arguments[0])}", _UNARY
            case operators.INDEX | operators.OPTIONAL_INDEX:
                mark = "?" if function == operators.OPTIONAL_INDEX else ""
                return f"{self.text(arguments[0], _MEMBER)}[{mark}{self._whole(arguments[1])}]", _MEMBER
            case operators.OPTIONAL_SELECT:
                field = arguments[1]
                name = field.value if isinstance(field, Literal) else ""
                return f"{self.text(arguments[0], _MEMBER)}.?{name}", _MEMBER
        if function in _RANKS and node.target is None:
            rank = _RANKS[function]
            left, right = arguments
            # Chains of one junction were balanced: parentheses keep the tree.
            return f"{self.text(left, rank)} {_SYMBOLS[function]} {self.text(right, rank + 1)}", rank
        target = "" if node.target is None else f"{self.text(node.target, _MEMBER)}."
        return f"{target}{function}({', '.join(map(self._whole, arguments))})", _MEMBER

    def _operand(self, node: Expr) -> str:
        shown = self.text(node, _MEMBER)
        is_number = isinstance(node, Literal) and isinstance(node.value, int | float)
        return f"({shown})" if is_number else shown


def _literal(value: Any) -> tuple[str, int]:
    if value is None:
        return "null", _MEMBER
    if isinstance(value, bool):
        return str(value).lower(), _MEMBER
    if isinstance(value, str):
        return texts.quote(value), _MEMBER
    if isinstance(value, bytes):
        digits = "".join(f"\\x{byte:02x}" for byte in value)
        return f'b"{digits}"', _MEMBER
    if isinstance(value, Uint):
        return repr(value), _MEMBER
    shown = repr(value)
    if isinstance(value, float) and "." not in shown:
        mantissa, _, exponent = shown.partition("e")
        shown = f"{mantissa}.0e{exponent}"
    return shown, _MEMBER if value >= 0 and not shown.startswith("-") else _UNARY
