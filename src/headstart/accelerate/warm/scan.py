"""What a program does to its environment before it imports TensorFlow, read from its source ahead of the run.

Many programs begin with `os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"`. Such a variable is read while TensorFlow is
imported, so a server must have had it then. Follows the program's statements in order, through the user's own
modules that it imports, up to the import of TensorFlow. A plain assignment of a constant is understood;
anything else that may change the environment is reported as unknown, and the program then runs cold.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable

_HINTS = (b"environ", b"putenv", b"setenv", b"dotenv")
_MOST_FILES = 500
_MOST_BYTES = 2 << 20
_READING = frozenset(("get", "copy", "items", "keys", "values", "__contains__", "__getitem__"))
_HARMLESS = frozenset(
    (
        *("dict", "len", "sorted", "list", "print", "str", "repr", "iter", "Popen", "run", "call"),
        *(
            "check_call",
            "check_output",
            "posix_spawn",
            "posix_spawnp",
            "execve",
            "execvpe",
            "execle",
            "execlpe",
        ),
        *("spawnve", "spawnvpe"),
    )
)
_WRITERS = frozenset(("putenv", "unsetenv", "load_dotenv", "setenv"))


class Unknown(Exception):
    """The program may set a variable in a way that cannot be foreseen; the text says where."""


class Scan:
    """`changes` maps a variable to what the program sets it to, None if it removes it."""

    def __init__(
        self,
        folders: Iterable[str],
        ends_at: frozenset[str],
        matters: Callable[[str], bool],
        given: dict[str, str],
    ) -> None:
        self._folders = [folder for folder in folders if folder]
        self._ends_at = ends_at
        self._matters = matters
        self._given = given
        self._seen: set[str] = set()
        self._later: list[tuple[str, ast.AST]] = []
        self.changes: dict[str, str | None] = {}

    def script(self, path: str) -> None:
        """Follow the program; raises Unknown."""
        if not self._file(path):
            self._functions()

    def code(self, text: str) -> None:
        if not self._source(text.encode("utf-8", "surrogateescape"), "<string>"):
            self._functions()

    def module(self, name: str) -> None:
        """`python -m name`."""
        for part in _prefixes(name):
            path = self._find(part)
            if path is None:
                return
            if self._file(path):
                return
        main = self._find(f"{name}.__main__")
        if main is None or not self._file(main):
            self._functions()

    def _functions(self) -> None:
        """TensorFlow is imported inside a function, or not at all: any function may run before that."""
        for path, node in self._later:
            self._uncertain(path, node)

    def _file(self, path: str) -> bool:
        """Whether TensorFlow has been imported when this file is through."""
        path = os.path.realpath(path)
        if path in self._seen or (not path.endswith(".py") and not os.path.isfile(path)):
            return False
        self._seen.add(path)
        if len(self._seen) > _MOST_FILES:
            raise Unknown("too many modules to read")
        try:
            if os.path.getsize(path) > _MOST_BYTES:
                raise Unknown(f"{path} is too large to read")
            with open(path, "rb") as handle:
                data = handle.read()
        except OSError:
            return False
        return self._source(data, path)

    def _source(self, data: bytes, path: str) -> bool:
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError, RecursionError):
            return True  # it fails before it imports anything
        suspect = any(hint in data for hint in _HINTS)
        return any(self._statement(node, path, suspect) for node in tree.body)

    def _statement(self, node: ast.stmt, path: str, suspect: bool) -> bool:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return self._import(node, path)
        if isinstance(node, ast.Try):
            parts = (*node.body, *node.orelse, *node.finalbody)
            return any(self._statement(child, path, suspect) for child in parts)
        if isinstance(node, ast.With):
            return any(self._statement(child, path, suspect) for child in node.body)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if suspect:
                self._later.append((path, node))
            return False
        if suspect:
            self._plain(node, path)
        if self._later and _calls(node):
            self._functions()
        for child in ast.walk(node):
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                self._import(child, path)  # perhaps: what follows is still before the import, for all we know
        return False

    def _import(self, node: ast.Import | ast.ImportFrom, path: str) -> bool:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            base = ""
        else:
            base = _relative(node, path)
            stem = node.module or ""
            names = [stem] if stem else []
            names += [f"{stem}.{alias.name}".lstrip(".") for alias in node.names]
        for name in names:
            if not base and name.partition(".")[0] in self._ends_at:
                return True
            for part in _prefixes(name):
                found = self._find(part, base)
                if found is None:
                    break
                if self._file(found):
                    return True
        return False

    def _find(self, name: str, base: str = "") -> str | None:
        """The file of one of the user's own modules."""
        inside = name.replace(".", os.sep)
        for folder in [base] if base else self._folders:
            for tail in (os.path.join(inside, "__init__.py"), inside + ".py"):
                path = os.path.join(folder, tail)
                if os.path.isfile(path):
                    return path
        return None

    def _plain(self, node: ast.stmt, path: str) -> None:
        """Understand `os.environ[NAME] = "constant"`, `.setdefault`, `.update`, `.pop` and `del`."""
        if not isinstance(node, _SIMPLE) or any(isinstance(child, _PERHAPS) for child in ast.walk(node)):
            return self._uncertain(path, node)
        for child in ast.walk(node):
            for name, value, only_if_missing in _writes(child):
                if name is None or (value is _UNKNOWN and self._matters(name)):
                    return self._uncertain(path, node)
                if not self._matters(name):
                    continue
                present = self.changes.get(name, self._given.get(name)) is not None
                if not (only_if_missing and present):
                    assert value is None or isinstance(value, str)
                    self.changes[name] = value

    def _uncertain(self, path: str, node: ast.AST) -> None:
        for child in ast.walk(node):
            for name, _, _ in _writes(child):
                if name is None or self._matters(name):
                    line = getattr(child, "lineno", 0)
                    raise Unknown(f"{path}:{line} may set {name or 'an environment variable'}")


_UNKNOWN = object()
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Delete, ast.Pass, ast.Assert)
_PERHAPS = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.comprehension)
Write = tuple["str | None", object, bool]


def _writes(node: ast.AST) -> list[Write]:
    """The environment variables that this one statement or expression writes: name, value, only-if-missing. An
    unknown name is None."""
    if isinstance(node, ast.Assign) and any(_is_environ_item(target) for target in node.targets):
        return [
            (_constant(t.slice), _value(node.value), False)
            for t in node.targets
            if isinstance(t, ast.Subscript)
        ]
    if isinstance(node, ast.Assign) and _is_environ(node.value):
        return [(None, _UNKNOWN, False)]
    if isinstance(node, (ast.AugAssign, ast.AnnAssign)) and (
        _is_environ_item(node.target) or _is_environ(node.target)
    ):
        name = _constant(node.target.slice) if isinstance(node.target, ast.Subscript) else None
        return [(name, _UNKNOWN, False)]
    if isinstance(node, ast.Delete) and any(_is_environ_item(target) for target in node.targets):
        return [(_constant(t.slice), None, False) for t in node.targets if isinstance(t, ast.Subscript)]
    if isinstance(node, ast.Call):
        return _call_writes(node)
    return []


def _call_writes(node: ast.Call) -> list[Write]:
    function = node.func
    called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    first = _constant(node.args[0]) if node.args else None
    if isinstance(function, ast.Attribute) and _is_environ(function.value):
        if called in _READING:
            return []
        if called == "setdefault" and len(node.args) == 2:
            return [(first, _value(node.args[1]), True)]
        if called == "pop":
            return [(first, None, False)]
        if called == "update":
            return _update_writes(node)
        return [(None, _UNKNOWN, False)]
    if called == "putenv" and len(node.args) == 2:
        return [(first, _UNKNOWN, False)]
    if called in _WRITERS:
        return [(None, _UNKNOWN, False)]
    if any(_is_environ(argument) for argument in node.args) and called not in _HARMLESS:
        return [(None, _UNKNOWN, False)]  # handed to somebody who may write to it
    return []


def _update_writes(node: ast.Call) -> list[Write]:
    found: list[Write] = [(word.arg, _value(word.value), False) for word in node.keywords]
    for argument in node.args:
        if not isinstance(argument, ast.Dict):
            return [(None, _UNKNOWN, False)]
        for key, value in zip(argument.keys, argument.values, strict=True):
            found.append((_constant(key) if key is not None else None, _value(value), False))
    return found


def _is_environ(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in ("environ", "environb")
    return isinstance(node, ast.Name) and node.id in ("environ", "environb")


def _is_environ_item(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and _is_environ(node.value)


def _constant(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _value(node: ast.AST) -> object:
    found = _constant(node)
    return _UNKNOWN if found is None else found


def _calls(node: ast.AST) -> bool:
    return any(isinstance(child, ast.Call) for child in ast.walk(node))


def _prefixes(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[: n + 1]) for n in range(len(parts))]


def _relative(node: ast.ImportFrom, path: str) -> str:
    folder = os.path.dirname(path)
    for _ in range(node.level - 1):
        folder = os.path.dirname(folder)
    return folder if node.level else ""
