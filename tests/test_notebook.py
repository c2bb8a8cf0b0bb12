"""The notebook extension, in a real kernel."""

from __future__ import annotations

from typing import Any

import pytest

from headstart.api import Reading
from headstart.notebook import ReportView
from tests.render.sample import report
from tests.render.test_trace import run

pytest.importorskip("nbclient", reason="notebook tests need nbclient and ipykernel: pip install -e .[dev]")
pytest.importorskip("ipykernel")


def execute(*cells: str, allow_errors: bool = False) -> list[list[dict[str, Any]]]:
    """The outputs of each cell."""
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    NotebookClient(book, timeout=120, kernel_name="python3", allow_errors=allow_errors).execute()
    return [cell["outputs"] for cell in book.cells]


def data(outputs: list[dict[str, Any]]) -> dict[str, str]:
    (found,) = [output["data"] for output in outputs if output["output_type"] == "execute_result"]
    return dict(found)


def stream(outputs: list[dict[str, Any]], name: str) -> str:
    return "".join(o["text"] for o in outputs if o["output_type"] == "stream" and o["name"] == name)


def test_cells_are_profiled_and_shown() -> None:
    _, here, after, fresh, plain, wrong = execute(
        "%load_ext headstart.notebook",
        "%%headstart\nimport colorsys\nvalue = 42\nprint('in the kernel')",
        "value + 1",
        "%%headstart --fresh\nimport json\nprint('in a process')",
        "%%headstart --text\n1 / 1",
        "%%headstart --luck\n1",
    )
    assert stream(here, "stdout") == "in the kernel\n"
    assert 'sandbox="allow-scripts"' in data(here)["text/html"]
    assert "Where the" in data(here)["text/plain"]
    assert data(after)["text/plain"] == "43"
    assert "in a process" in stream(fresh, "stdout")
    assert "srcdoc=" in data(fresh)["text/html"]
    shown = [output["data"] for output in plain if "text/plain" in output.get("data", {})]
    assert any("Where the" in item["text/plain"] and "text/html" not in item for item in shown)
    assert "no such option: --luck" in stream(wrong, "stderr")


def test_an_error_in_a_cell_stays_an_error_and_is_still_profiled() -> None:
    _, broken = execute("%load_ext headstart.notebook", "%%headstart\nprint(1 / 0)", allow_errors=True)
    text = str(broken)
    assert "ZeroDivisionError" in text
    assert "headstart report" in text
    # The traceback is shown once, without a frame of headstart's.
    assert [len(o["traceback"]) > 1 for o in broken if o["output_type"] == "error"] == [True, False]
    assert "notebook.py" not in text.split("headstart report")[0]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("1 +", "SyntaxError"),
        ("--fresh\nraise SystemExit(3)", "the program ended with status 3"),
    ],
)
def test_a_notebook_stops_at_a_cell_that_fails_as_it_does_without_headstart(cell: str, message: str) -> None:
    from nbclient.exceptions import CellExecutionError

    magic = "%%headstart " if cell.startswith("--") else "%%headstart\n"
    with pytest.raises(CellExecutionError, match=message):
        execute("%load_ext headstart.notebook", magic + cell)


def test_the_frame_holds_the_page_as_one_attribute() -> None:
    from html.parser import HTMLParser

    found: list[tuple[str, dict[str, str | None]]] = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, dict(attrs)))

    Parser().feed(ReportView(Reading(report(), [run()]))._repr_html_() or "")
    ((tag, attributes),) = found
    assert tag == "iframe"
    assert (attributes["srcdoc"] or "").startswith("<!doctype html>")
