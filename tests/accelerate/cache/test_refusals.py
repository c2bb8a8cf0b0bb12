"""What must be traced as always: its reason is on record, and nothing of it is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from .harness import Runner, placed, same

#: Function and a part of the reason.
REASONS = {
    "uses_py_function": "calls Python from the graph",
    "uses_numpy_function": "calls Python from the graph",
    "uses_table": "table",
    "uses_dataset": "dataset",
    "draws_python": "python's random generator",
    "draws_numpy": "numpy's random generator",
    "draws_own": "trace changes what it reads",
    "reads_clock": "time.time",
    "prints": "prints",
    "logs": "logs",
    "warns": "warns",
    "counts": "trace changes what it reads",
    "appends": "trace changes what it reads",
    "iterates": "iterator",
    "writes": "writes",
    "lists_folder": "os.listdir",
    "looks_by_tensorflow": "has TensorFlow look at files",
    "asks_for_a_terminal": "isatty",
    "loads_checkpoint": "has TensorFlow look at files",
    "asks_cursor": "sqlite3.Cursor",
    "reads_open_file": "TextIOWrapper",
    "calls_function": "another tf.function",
    "reads_variable_now": "ReadVariableOp",
    "evaluates": "eval()",
    "sets_numpy": "changes a setting (numpy errors)",
    "sets_a_logger": "changes a setting (the logger mine.own)",
    "sets_warnings": "changes a setting (the filters of warnings)",
    "sets_the_step": "changes a setting (tensorflow summaries)",
    "distributed": "distribution strategy",
}


@pytest.mark.tensorflow
def test_what_cannot_be_promised_is_traced_as_always(runner: Runner, tmp_path: Path) -> None:
    script = placed("refused", tmp_path)
    plain = runner.run(script)
    assert plain.code == 0, plain.stderr[-3000:]
    for number in range(3):
        ran = runner.run(script, cache=tmp_path / "cache")
        same(plain, ran)
        assert ran.stderr == plain.stderr
        assert ran.count("failed") == 0, ran.reasons("failed")
        used = {event["function"] for event in ran.events if event["what"] in ("replayed", "stored")}
        assert used == {"kept"}
        assert ran.count("replayed") == (1 if number else 0)
        refused = {event["function"]: event["reason"] for event in ran.events if event["what"] == "refused"}
        for name, part in REASONS.items():
            assert part in refused.get(name, "not refused"), name
