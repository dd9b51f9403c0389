"""The names by which operators are called: the parser writes them, the libraries declare them."""

from __future__ import annotations

from typing import Final

CONDITIONAL: Final = "_?_:_"
AND: Final = "_&&_"
OR: Final = "_||_"
NOT: Final = "!_"
NEGATE: Final = "-_"
INDEX: Final = "_[_]"
IN: Final = "@in"
NOT_STRICTLY_FALSE: Final = "@not_strictly_false"
OPTIONAL_INDEX: Final = "_[?_]"
OPTIONAL_SELECT: Final = "_?._"

BINARY: Final = {
    "||": OR,
    "&&": AND,
    "<": "_<_",
    "<=": "_<=_",
    ">=": "_>=_",
    ">": "_>_",
    "==": "_==_",
    "!=": "_!=_",
    "in": IN,
    "+": "_+_",
    "-": "_-_",
    "*": "_*_",
    "/": "_/_",
    "%": "_%_",
}
RELATIONS: Final = frozenset({"<", "<=", ">=", ">", "==", "!=", "in"})
SUMS: Final = frozenset({"+", "-"})
PRODUCTS: Final = frozenset({"*", "/", "%"})
