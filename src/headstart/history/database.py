"""The history in a team's database, through SQLAlchemy: PostgreSQL, MySQL, whatever it speaks."""

from __future__ import annotations

from typing import Any

from ..errors import HeadstartError
from .entry import COLUMNS, Entry


class Database:
    """Makes its table where there is none. Rows are never thrown away on their own."""

    def __init__(self, url: str) -> None:
        try:
            import sqlalchemy as sa
        except ImportError:
            raise HeadstartError(
                "a history in a database needs SQLAlchemy: pip install 'headstart[history]'"
            ) from None
        self._sa: Any = sa
        meta = sa.MetaData()
        text = {"program", "argv", "commit", "host", "python", "tensorflow", "keras", "phases"}
        columns: list[Any] = [sa.Column("id", sa.Integer, primary_key=True)]
        for name in COLUMNS:
            kind = sa.Text() if name in text else sa.Boolean() if name == "warm" else sa.Float(53)
            columns.append(sa.Column(name, sa.Integer() if name == "traces" else kind))
        self._runs: Any = sa.Table("headstart_runs", meta, *columns)
        try:
            self._engine: Any = sa.create_engine(_with_driver(url), connect_args=_quickly(url))
            meta.create_all(self._engine)
        except Exception as error:
            raise HeadstartError(f"cannot open the history {_hidden(url)}: {_reason(error)}") from None
        self._where = _hidden(url)

    def add(self, entry: Entry) -> None:
        self._do(self._runs.insert().values(**{name: getattr(entry, name) for name in COLUMNS}))

    def entries(self, program: str | None = None, most: int = 1000) -> list[Entry]:
        query = self._sa.select(*(self._runs.c[name] for name in COLUMNS))
        if program is not None:
            query = query.where(self._runs.c.program == program)
        rows = self._do(query.order_by(self._runs.c.id.desc()).limit(most))
        return [Entry(**dict(zip(COLUMNS, row, strict=True))) for row in reversed(rows)]

    def programs(self) -> list[tuple[str, int]]:
        sa, runs = self._sa, self._runs
        query = sa.select(runs.c.program, sa.func.count()).group_by(runs.c.program)
        return [(row[0], row[1]) for row in self._do(query.order_by(sa.func.max(runs.c.id).desc()))]

    def forget(self, program: str | None = None) -> int:
        statement = self._runs.delete()
        if program is not None:
            statement = statement.where(self._runs.c.program == program)
        return int(self._do(statement))

    def _do(self, statement: Any) -> Any:
        try:
            with self._engine.begin() as connection:
                result = connection.execute(statement)
                return result.fetchall() if result.returns_rows else result.rowcount
        except self._sa.exc.SQLAlchemyError as error:
            raise HeadstartError(f"the history {self._where} cannot be used: {_reason(error)}") from None


def _with_driver(url: str) -> str:
    """`postgresql://` means the driver that headstart[history] installs."""
    for scheme in ("postgresql://", "postgres://"):
        if url.startswith(scheme):
            return "postgresql+psycopg://" + url[len(scheme) :]
    return url


def _quickly(url: str) -> dict[str, Any]:
    # A database that does not answer must not hold up the end of every run.
    return {"connect_timeout": 3, "client_encoding": "utf8"} if url.startswith("postgres") else {}


def _hidden(url: str) -> str:
    """The URL without the password, for messages."""
    head, at, tail = url.rpartition("@")
    scheme, _, user = head.partition("://")
    return f"{scheme}://{user.partition(':')[0]}@{tail}" if at else url


def _reason(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip().split("\n")[0]
