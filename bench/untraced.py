"""`python -m bench.untraced …`: the API server with its instrumentation taken out, to measure what that costs.

It is the same program, but for its spans: while a module of ours is imported, `with … span(…):` becomes the body alone,
"is tracing on?" becomes no, and what would leave a trace on an object becomes the object. So it knows nothing of which
calls there are, and cannot fall behind them; if it finds none, it refuses to start.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

OURS = frozenset({"apiserver", "steersman"})
_ANSWERS: dict[str, bool | None] = {"enabled": False, "inject": None, "current": None, "extract": None}
_LEAVES_A_TRACE = frozenset({"left_on_new", "as_present"})
_OPENS_A_SPAN = frozenset({"span", "_span"})


class _WithoutSpans(ast.NodeTransformer):
    def __init__(self) -> None:
        self.removed = 0

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name("tracing"), attr=name)) if name in _ANSWERS:
                return self._replaced(ast.Constant(_ANSWERS[name]), node)
            case ast.Call(func=ast.Attribute(value=ast.Name("traces"), attr=name), args=[value, *_]) if (
                name in _LEAVES_A_TRACE
            ):
                return self._replaced(value, node)
        return node

    def visit_With(self, node: ast.With) -> ast.With | list[ast.stmt]:
        self.generic_visit(node)
        kept = [item for item in node.items if item.optional_vars is not None or not _opens_a_span(item.context_expr)]
        self.removed += len(node.items) - len(kept)
        if not kept:
            return node.body
        node.items = kept
        return node

    def _replaced(self, new: ast.expr, old: ast.expr) -> ast.expr:
        self.removed += 1
        return ast.copy_location(new, old)


def _opens_a_span(expression: ast.expr) -> bool:
    match expression:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name in _OPENS_A_SPAN
    return False


class _Loader(SourceFileLoader):
    removed = 0

    def get_code(self, fullname: str) -> CodeType:
        """From the source: what Python keeps compiled has the spans in it."""
        path = self.get_filename(fullname)
        without = _WithoutSpans()
        tree = ast.fix_missing_locations(without.visit(ast.parse(self.get_data(path), path)))
        _Loader.removed += without.removed
        return compile(tree, path, "exec")


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in OURS:
            return None
        found = PathFinder.find_spec(fullname, path, target)
        if found is not None and isinstance(found.loader, SourceFileLoader) and found.origin is not None:
            found.loader = _Loader(fullname, found.origin)
        return found


def main() -> None:
    sys.meta_path.insert(0, _Finder())
    from apiserver import __main__ as apiserver  # only now: what is imported before keeps its spans

    if not _Loader.removed:
        raise SystemExit("untraced: found no span to take out")
    apiserver.main()


if __name__ == "__main__":
    main()
