"""One file of source code, parsed, with what the checks ask of it: who is around a node, what a name means.

Built on the standard library's `ast`. Checks only read; a fix is a list of small text edits, so that comments
and layout survive without a second parser in the dependencies.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.AsyncFor | ast.While
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | ast.Module


@dataclass(frozen=True)
class Edit:
    """Replace the text between two offsets."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Problem:
    """A place where the source has a rule's cause."""

    line: int
    column: int
    message: str
    edits: tuple[Edit, ...] = ()
    """What `--fix` would change; empty when there is no safe enough text for it."""
    safe: bool = False
    """This very edit is known to be safe, although the rule's edits in general are not."""


class Source:
    """A parsed file. Raises SyntaxError when it does not parse."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = ast.parse(text, filename=path)

    # -- structure ---------------------------------------------------------------------------------------
    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the tree; walked once, since every check asks for them."""
        return list(ast.walk(self.tree))

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while (above := self.parents.get(node)) is not None:
            yield above
            node = above

    def scope(self, node: ast.AST) -> Scope:
        """The function, class or module whose body the node runs in."""
        child = node
        for above in self.ancestors(node):
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
                # Decorators and defaults run where the function is defined, not in it.
                if child is not above.args and child not in above.decorator_list:
                    return above
            elif isinstance(above, (ast.Lambda, ast.ClassDef, ast.Module)):
                return above
            child = above
        return self.tree

    def function(self, node: ast.AST) -> FunctionNode | None:
        """The named function around the node, past classes and lambdas."""
        scope = self.scope(node)
        while not isinstance(scope, ast.Module):
            if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return scope
            scope = self.scope(scope)
        return None

    def loops(self, node: ast.AST) -> list[Loop]:
        """The loops around the node in its own scope, innermost first; a loop's own header is outside it."""
        found: list[Loop] = []
        child = node
        for above in self.ancestors(node):
            if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)):
                break
            if isinstance(above, (ast.For, ast.AsyncFor, ast.While)) and child in above.body:
                found.append(above)
            child = above
        return found

    @cached_property
    def functions(self) -> dict[str, list[FunctionNode]]:
        """Every function of the file by name."""
        found: dict[str, list[FunctionNode]] = {}
        for node in self.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault(node.name, []).append(node)
        return found

    @cached_property
    def calls(self) -> list[ast.Call]:
        return [node for node in self.nodes if isinstance(node, ast.Call)]

    @cached_property
    def calls_by_name(self) -> dict[str, list[ast.Call]]:
        """Calls by the last part of what is called: `f(…)`, `self.f(…)` and `obj.f(…)` are all "f"."""
        found: dict[str, list[ast.Call]] = {}
        for call in self.calls:
            func = call.func
            name = (
                func.id
                if isinstance(func, ast.Name)
                else func.attr
                if isinstance(func, ast.Attribute)
                else None
            )
            if name is not None:
                found.setdefault(name, []).append(call)
        return found

    @cached_property
    def constants(self) -> dict[str, int | float | str]:
        """Names that the module sets once, to a literal."""
        seen: dict[str, list[ast.expr]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    _note(seen, target, node.value)
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign)) and node.value is not None:
                _note(seen, node.target, node.value)
            elif isinstance(node, (ast.For, ast.AsyncFor)):
                for name in ast.walk(node.target):
                    if isinstance(name, ast.Name):
                        seen.setdefault(name.id, []).extend([node.iter, node.iter])
        return {
            name: values[0].value
            for name, values in seen.items()
            if len(values) == 1
            and isinstance(values[0], ast.Constant)
            and isinstance(values[0].value, (int, float, str))
        }

    # -- names -------------------------------------------------------------------------------------------
    @cached_property
    def imported(self) -> dict[str, str]:
        """Local name → the dotted thing that an import bound it to."""
        found: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    found[alias.asname or alias.name.split(".")[0]] = (
                        alias.name if alias.asname else alias.name.split(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        return found

    def dotted(self, node: ast.AST | None) -> str | None:
        """`tf.keras.layers.Dense` → "keras.layers.Dense", however it was imported; None for local names."""
        raw = self.raw_dotted(node)
        return canonical(raw) if raw else None

    def raw_dotted(self, node: ast.AST | None) -> str | None:
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.imported:
            return None
        return ".".join([self.imported[node.id], *reversed(parts)])

    def whole_name(self, node: ast.AST) -> ast.AST:
        """The longest dotted name that begins with this one: `tf` → `tf.keras.utils.to_categorical`."""
        while isinstance(above := self.parents.get(node), ast.Attribute):
            node = above
        return node

    def called(self, call: ast.Call) -> str | None:
        return self.dotted(call.func)

    @cached_property
    def uses_tensorflow(self) -> bool:
        return any(is_tensorflow(name) for name in self.imported.values())

    @cached_property
    def graph_mode(self) -> bool:
        """The file asks for TF1 graphs: eager advice does not apply to it."""
        return any(
            (self.called(call) or "").endswith(("disable_eager_execution", "disable_v2_behavior"))
            for call in self.calls
        )

    def names(self, node: ast.AST) -> set[str]:
        return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}

    def integer(self, node: ast.expr) -> int | None:
        """The value of a literal, or of a module constant that is set once."""
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.Name):
            value = self.constants.get(node.id)
            return value if type(value) is int else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Add, ast.Sub)):
            left, right = self.integer(node.left), self.integer(node.right)
            if left is None or right is None:
                return None
            if isinstance(node.op, ast.Mult):
                return left * right
            return left + right if isinstance(node.op, ast.Add) else left - right
        return None

    # -- text --------------------------------------------------------------------------------------------
    @cached_property
    def _line_offsets(self) -> list[int]:
        # Python's own idea of a line: str.splitlines() would also split at form feeds and the like.
        return [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", self.text)), len(self.text)]

    @cached_property
    def lines(self) -> list[str]:
        return re.split(r"\r\n|\r|\n", self.text)

    def offset(self, line: int, column: int) -> int:
        """Where an `ast` position (bytes of UTF-8 into its line) is in the text."""
        content = self.lines[line - 1] if line <= len(self.lines) else ""
        return self._line_offsets[line - 1] + len(content.encode()[:column].decode(errors="replace"))

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.end_lineno, node.end_col_offset)

    def segment(self, node: ast.expr | ast.stmt) -> str:
        return self.text[self.start(node) : self.end(node)]

    def new_line(self, at: int, beside: ast.stmt, text: str) -> tuple[Edit, ...]:
        """Put in a line as the file has them, indented like a statement; nothing where that does not begin its line."""
        line = self.lines[beside.lineno - 1]
        indentation = line[: len(line) - len(line.lstrip())]
        if len(indentation.encode()) != beside.col_offset:
            return ()
        ending = re.search(r"\r\n|\r|\n", self.text)
        return (Edit(at, at, f"{indentation}{text}{ending[0] if ending else chr(10)}"),)

    def problem(self, node: ast.expr | ast.stmt, message: str, edits: tuple[Edit, ...] = ()) -> Problem:
        return Problem(node.lineno, node.col_offset + 1, message, edits)


def _note(seen: dict[str, list[ast.expr]], target: ast.expr, value: ast.expr) -> None:
    if isinstance(target, ast.Name):
        seen.setdefault(target.id, []).append(value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            _note(seen, part, target)


_SAME = (
    ("tensorflow.compat.v1.", "tensorflow."),
    ("tensorflow.compat.v2.", "tensorflow."),
    ("tensorflow.python.keras.", "keras."),
    ("tensorflow.keras.", "keras."),
    ("keras.src.", "keras."),
    ("tf_keras.", "keras."),
)


def canonical(name: str) -> str:
    """One spelling for the many ways to reach the same thing."""
    name += "."
    for _ in range(2):
        for old, new in _SAME:
            if name.startswith(old):
                name = new + name[len(old) :]
    return name[:-1]


def is_tensorflow(dotted: str) -> bool:
    return canonical(dotted).split(".")[0] in ("tensorflow", "keras")
