"""Compiles a library function again from its own source, with calls to a probe's hooks added.

Only needed when the result is not remembered from an earlier run (see `splice_cache`).
"""

from __future__ import annotations

import ast
import sys
import types
import warnings
from typing import Any

from .splice import ENTER, LEAVE, RESULT, CannotSplice

_TOKEN = "_headstart_token"


def recompile(
    function: types.FunctionType,
    original: types.CodeType,
    wants_result: bool,
    arguments: tuple[str, ...] | None,
) -> types.CodeType:
    """The function's code with placeholders for the hooks among its constants."""
    node = _parse(original)
    _instrument(node, arguments, wants_result)
    owner = _owner(function)
    body: list[ast.stmt] = [node]
    if owner:
        # Compiled inside a class of the same name, so that private names are mangled alike.
        body = [_at(ast.ClassDef(name=owner, bases=[], keywords=[], body=body, decorator_list=[]), node)]
        if sys.version_info >= (3, 12):
            body[0].type_params = []  # type: ignore[attr-defined]
    free = [name for name in original.co_freevars if name != "__class__"]
    outer = ast.FunctionDef(
        name="_headstart_outer",
        args=ast.arguments(
            posonlyargs=[], args=[ast.arg(arg=n) for n in free], kwonlyargs=[], kw_defaults=[], defaults=[]
        ),
        # Declared global, so that a function (or class) that names itself means what it meant.
        body=[ast.Global(names=[owner or node.name]), *body],
        decorator_list=[],
    )
    if sys.version_info >= (3, 12):
        outer.type_params = []  # type: ignore[attr-defined]
    module = ast.Module(body=[_at(outer, node)], type_ignores=[])
    ast.fix_missing_locations(module)
    flags = original.co_flags & _FUTURE_FLAGS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = compile(module, original.co_filename, "exec", flags=flags, dont_inherit=True)
    code = _find(compiled, original)
    nested = 0x10  # CO_NESTED: it was compiled inside a function here, it need not have been there
    flags = code.co_flags & ~nested | original.co_flags & nested
    changes: dict[str, Any] = {"co_name": original.co_name, "co_flags": flags}
    if sys.version_info >= (3, 11):
        changes["co_qualname"] = original.co_qualname
    return code.replace(**changes)


# The compiler flags that `from __future__` sets, as code objects carry them (annotations and the like).
_FUTURE_FLAGS = 0x1000000 | 0x800000 | 0x400000 | 0x100000


def _parse(original: types.CodeType) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """The function's own syntax tree, with the line and column numbers of its file."""
    lines = _source_lines(original.co_filename)
    first = original.co_firstlineno
    last = _last_line(original)
    if not lines or first > len(lines):
        raise CannotSplice(f"no source for {original.co_name} in {original.co_filename}")
    indented = lines[first - 1][:1] in (" ", "\t")
    for end in range(last, min(last + 12, len(lines)) + 1):
        text = "".join(lines[first - 1 : end])
        # A line in front keeps an indented function's columns as they are.
        try:
            tree = ast.parse("if 1:\n" + text if indented else text)
        except SyntaxError:
            continue
        node = tree.body[0].body[0] if indented else tree.body[0]  # type: ignore[attr-defined]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == original.co_name:
            ast.increment_lineno(node, first - (2 if indented else 1))
            return node
    raise CannotSplice(f"cannot parse {original.co_name} in {original.co_filename}")


def _last_line(code: types.CodeType) -> int:
    last = code.co_firstlineno
    for _, _, line in code.co_lines():
        if line is not None and line > last:
            last = line
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            last = max(last, _last_line(const))
    return last


_files: dict[str, list[str]] = {}


def _source_lines(filename: str) -> list[str]:
    lines = _files.get(filename)
    if lines is None:
        try:
            with open(filename, encoding="utf-8") as handle:
                lines = handle.readlines()
        except (OSError, UnicodeDecodeError):
            lines = []
        _files.clear()  # probes of one module follow one another; no need to keep more
        _files[filename] = lines
    return lines


def _owner(function: types.FunctionType) -> str | None:
    parts = function.__qualname__.split(".")
    return parts[-2] if len(parts) > 1 and parts[-2] != "<locals>" else None


def _at(node: Any, where: ast.AST) -> Any:
    return ast.copy_location(node, where)


def _instrument(
    node: ast.FunctionDef | ast.AsyncFunctionDef, arguments: tuple[str, ...] | None, wants_result: bool
) -> None:
    args = node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    if args.vararg:
        names.append(args.vararg.arg)
    if args.kwarg:
        names.append(args.kwarg.arg)
    if arguments is not None:
        missing = [name for name in arguments if name not in names]
        if missing:
            raise CannotSplice(f"{node.name} has no parameter {missing[0]!r}")
        names = list(arguments)
    body = node.body
    head: list[ast.stmt] = []
    if body and isinstance(body[0], ast.Expr) and isinstance(getattr(body[0], "value", None), ast.Constant):
        head, body = body[:1], body[1:]
    if wants_result:
        body = [_Returns().visit(statement) for statement in body]
    # Our own calls sit on the line of the `def`: a signal that strikes there still shows a true line.
    enter = ast.Assign(
        targets=[ast.Name(id=_TOKEN, ctx=ast.Store())],
        value=ast.Call(
            func=ast.Constant(value=ENTER), args=[ast.Name(id=n, ctx=ast.Load()) for n in names], keywords=[]
        ),
    )
    leave = ast.Expr(
        value=ast.Call(
            func=ast.Constant(value=LEAVE), args=[ast.Name(id=_TOKEN, ctx=ast.Load())], keywords=[]
        )
    )
    guarded = ast.Try(body=body or [ast.Pass()], handlers=[], orelse=[], finalbody=[leave])
    spot = ast.Pass(
        lineno=node.lineno, col_offset=node.col_offset, end_lineno=node.lineno, end_col_offset=node.col_offset
    )
    for added in (enter, leave, guarded):
        for part in ast.walk(added):
            if not hasattr(part, "lineno"):
                ast.copy_location(part, spot)
    node.body = [*head, enter, guarded]


class _Returns(ast.NodeTransformer):
    """`return x` → `return result(token, x)`, in this function only."""

    def visit_Return(self, node: ast.Return) -> ast.Return:
        value = node.value or ast.copy_location(ast.Constant(value=None), node)
        call = ast.Call(
            func=ast.Constant(value=RESULT), args=[ast.Name(id=_TOKEN, ctx=ast.Load()), value], keywords=[]
        )
        for part in (call, call.func, call.args[0]):
            ast.copy_location(part, value)
        return ast.copy_location(ast.Return(value=call), node)

    def _stop(self, node: Any) -> Any:
        return node

    visit_FunctionDef = _stop
    visit_AsyncFunctionDef = _stop
    visit_Lambda = _stop
    visit_ClassDef = _stop


def _find(code: types.CodeType, original: types.CodeType) -> types.CodeType:
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            if const.co_name == original.co_name and const.co_firstlineno == original.co_firstlineno:
                return const
            try:
                return _find(const, original)
            except CannotSplice:
                continue
    raise CannotSplice(f"{original.co_name} was lost while compiling")
