"""Where the history is kept: a SQLite file of the user's, or any database that a URL names."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from ..errors import HeadstartError
from .entry import COLUMNS, Entry

KEPT = 5000
"""Rows kept in a file of the user's own. A team's database is its owner's business."""


NAMES = ", ".join(f'"{name}"' for name in COLUMNS)


class Store(Protocol):
    def add(self, entry: Entry) -> None: ...

    def entries(self, program: str | None = None, most: int = 1000) -> list[Entry]:
        """The newest rows, oldest first."""
        ...

    def programs(self) -> list[tuple[str, int]]:
        """Names with the number of their runs, the latest first."""
        ...

    def forget(self, program: str | None = None) -> int: ...


def open_store(where: str | None = None) -> Store:
    """`where` is a file, a database URL, or None for the file in the user's data folder."""
    if where and "://" in where and not where.startswith("sqlite:///"):
        from .database import Database

        return Database(where)
    path = where.removeprefix("sqlite:///") if where else default_path()
    return SqliteFile(os.path.abspath(os.path.expanduser(path)))


def default_path() -> str:
    from platformdirs import user_data_dir

    return os.path.join(user_data_dir("headstart", appauthor=False), "history.sqlite")


class SqliteFile:
    """The standard library's own: nothing to import that the program's end would wait for."""

    def __init__(self, path: str) -> None:
        self.path = path

    def add(self, entry: Entry) -> None:
        marks = ", ".join("?" * len(COLUMNS))
        with self._open() as db:
            db.execute(f"INSERT INTO runs ({NAMES}) VALUES ({marks})", _row(entry))
            db.execute(
                "DELETE FROM runs WHERE id <= (SELECT id FROM runs ORDER BY id DESC LIMIT 1 OFFSET ?)",
                (KEPT,),
            )

    def entries(self, program: str | None = None, most: int = 1000) -> list[Entry]:
        where, values = ("WHERE program = ?", [program]) if program is not None else ("", [])
        columns = NAMES
        query = f"SELECT {columns} FROM (SELECT * FROM runs {where} ORDER BY id DESC LIMIT ?) ORDER BY id"
        with self._open() as db:
            return [_entry(row) for row in db.execute(query, [*values, most])]

    def programs(self) -> list[tuple[str, int]]:
        with self._open() as db:
            rows = db.execute("SELECT program, COUNT(*) FROM runs GROUP BY program ORDER BY MAX(id) DESC")
            return [(str(name), int(count)) for name, count in rows]

    def forget(self, program: str | None = None) -> int:
        with self._open() as db:
            if program is None:
                return db.execute("DELETE FROM runs").rowcount
            return db.execute("DELETE FROM runs WHERE program = ?", (program,)).rowcount

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            db = sqlite3.connect(self.path, timeout=5)
        except (OSError, sqlite3.Error) as error:
            raise HeadstartError(f"cannot open the history {self.path}: {error}") from None
        try:
            with db:
                db.execute(
                    "CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY AUTOINCREMENT, "
                    'at REAL, program TEXT, argv TEXT, "commit" TEXT, host TEXT, time_to_first_step REAL, '
                    "first_step REAL, steady_step REAL, wall REAL, traces INTEGER, python TEXT, tensorflow TEXT, "
                    "keras TEXT, warm INTEGER, phases TEXT)"
                )
                yield db
        except sqlite3.Error as error:
            raise HeadstartError(f"the history {self.path} cannot be used: {error}") from None
        finally:
            db.close()


def _row(entry: Entry) -> list[object]:
    return [getattr(entry, name) for name in COLUMNS]


def _entry(row: tuple[object, ...]) -> Entry:
    values = dict(zip(COLUMNS, row, strict=True))
    return Entry(**{**values, "warm": bool(values["warm"])})  # type: ignore[arg-type]
