"""Bad input gets a clear error, the right exit status, and loses nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.launch.program import environment

from .commands import HEADSTART, headstart

MARKER = "from pathlib import Path\nPath('ran').touch()\nprint('ran')\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main.py").write_text(MARKER)
    return tmp_path


def refused(
    folder: Path, *words: str, says: str, status: int = 2, env: dict[str, str | None] | None = None
) -> str:
    """headstart says what is wrong in a line or two, before the program has run."""
    before = sorted(folder.rglob("*"))
    done = headstart(*words, cwd=folder, env=env)
    assert done.returncode == status, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(folder.rglob("*")) == before
    return done.stderr


# --- what to run ----------------------------------------------------------------------------------------------


def test_no_such_script(folder: Path) -> None:
    refused(folder, "profile", "nope.py", says="no such script: nope.py")


def test_forgotten_suffix(folder: Path) -> None:
    refused(folder, "profile", "main", says="there is main.py")


def test_directory_without_main(folder: Path) -> None:
    (folder / "pack").mkdir()
    refused(folder, "profile", "pack", says="pack is a directory without __main__.py")


def test_unreadable_script(folder: Path) -> None:
    (folder / "main.py").chmod(0)
    # Root may read everything, unless that right is taken from it.
    as_anybody = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.getuid() == 0 else []
    if as_anybody and shutil.which("setpriv") is None:
        pytest.skip("root may read everything, and there is no setpriv")
    command = [*as_anybody, HEADSTART, "profile", "main.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "permission denied" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "ran").exists()


def test_nothing_to_run(folder: Path) -> None:
    refused(folder, "profile", says="nothing to run")
    refused(folder, "profile", "--quiet", says="nothing to run")


@pytest.mark.parametrize("flag", ["-m", "-c"])
def test_flag_without_its_word(folder: Path, flag: str) -> None:
    refused(folder, "profile", flag, says=f"{flag} needs")


def test_program_from_standard_input(folder: Path) -> None:
    refused(folder, "profile", "-", says="standard input")


def test_unknown_command(folder: Path) -> None:
    refused(folder, "profil", "main.py", says="did you mean profile?")
    refused(folder, "main.py", says="headstart profile main.py")


def test_unknown_option(folder: Path) -> None:
    assert "try: headstart profile --help" in refused(
        folder, "profile", "--jsn", "out.json", "main.py", says="did you mean --json?"
    )


def test_option_without_value(folder: Path) -> None:
    refused(folder, "profile", "--json", says="--json needs a value")
    refused(folder, "profile", "--json=", "main.py", says="--json needs a value")
    refused(folder, "profile", "--quiet=1", "main.py", says="--quiet takes no value")


def test_bad_setting(folder: Path) -> None:
    refused(
        folder, "profile", "main.py", says="HEADSTART_QUIET must be 0 or 1", env={"HEADSTART_QUIET": "maybe"}
    )
    (folder / "pyproject.toml").write_text("[tool.headstart]\nquiet = [")
    refused(folder, "profile", "main.py", says="cannot read [tool.headstart]")


# --- where to write -------------------------------------------------------------------------------------------

KINDS = ["json", "html", "trace", "record"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_such_folder(folder: Path, kind: str) -> None:
    refused(folder, "profile", f"--{kind}", "no/such/out", "main.py", says="there is no folder")


@pytest.mark.parametrize("kind", KINDS)
def test_output_is_a_directory(folder: Path, kind: str) -> None:
    refused(folder, "profile", f"--{kind}", ".", "main.py", says="is a directory")


@pytest.mark.parametrize("kind", KINDS)
def test_output_in_a_place_that_takes_none(folder: Path, kind: str) -> None:
    refused(folder, "profile", f"--{kind}", "/proc/out", "main.py", says="cannot write")


@pytest.mark.parametrize("kind", KINDS)
def test_a_foreign_file_is_not_overwritten(folder: Path, kind: str) -> None:
    precious = folder / "precious"
    precious.write_text("thesis")
    refused(folder, "profile", f"--{kind}", "precious", "main.py", says="--force")
    assert precious.read_text() == "thesis"


def test_the_script_itself_is_not_overwritten(folder: Path) -> None:
    refused(folder, "profile", "--json", "main.py", "main.py", says="--force")
    assert (folder / "main.py").read_text() == MARKER


def test_the_same_name_twice(folder: Path) -> None:
    refused(folder, "profile", "--json", "out", "--html", "./out", "main.py", says="two outputs")
    refused(folder, "profile", "--json", "out", "--record", "out", "main.py", says="two outputs")


def test_standard_output_belongs_to_the_program(folder: Path) -> None:
    refused(folder, "profile", "--json", "-", "main.py", says="give a name instead of -")


def test_force_overwrites(folder: Path) -> None:
    (folder / "out.json").write_text("thesis")
    done = headstart("profile", "-q", "--force", "--json", "out.json", "main.py", cwd=folder)
    assert done.returncode == 0
    assert json.loads((folder / "out.json").read_text())["schema"] == 1


@pytest.mark.parametrize("kind", ["json", "html", "trace", "record"])
def test_a_former_report_is_replaced(folder: Path, kind: str) -> None:
    for _ in range(2):
        done = headstart("profile", "-q", f"--{kind}", "out", "main.py", cwd=folder)
        assert done.returncode == 0, done.stderr
    # … but not by a report of another kind.
    other = "trace" if kind != "trace" else "json"
    refused(folder, "profile", f"--{other}", "out", "main.py", says="--force")


def test_a_symbolic_link_stays_one(folder: Path) -> None:
    (folder / "real.json").write_text("")
    (folder / "out.json").symlink_to("real.json")
    assert headstart("profile", "-q", "--json", "out.json", "main.py", cwd=folder).returncode == 0
    assert (folder / "out.json").is_symlink()
    assert json.loads((folder / "real.json").read_text())["schema"] == 1


# --- while it runs and after ----------------------------------------------------------------------------------


def test_full_disk_leaves_the_status_and_no_half_file(folder: Path) -> None:
    (folder / "main.py").write_text("import sys\nprint('ran')\nsys.exit(3)")
    done = headstart("profile", "-q", "--json", "/dev/full", "main.py", cwd=folder)
    assert done.returncode == 3
    assert "could not write the json to /dev/full: No space left on device" in done.stderr
    assert done.stdout == "ran\n"


def test_a_report_that_grows_past_the_limit_leaves_no_half_file(folder: Path) -> None:
    """The file system takes the first kilobyte and no more: nothing half-written stays, the status does."""
    (folder / "main.py").write_text("import sys\nsys.exit(3)")
    done = headstart(
        "profile", "-q", "--json", "out.json", "main.py", cwd=folder, shell='ulimit -f 1; exec "$@"'
    )
    assert done.returncode == 3
    assert "could not write the json" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["main.py"]


def test_a_full_record_does_not_disturb_the_program(folder: Path) -> None:
    (folder / "main.py").write_text("import json, csv, decimal, email.message\nprint('fine')\n")
    done = headstart(
        "profile", "-q", "--record", "run", "main.py", cwd=folder, shell='ulimit -f 1; exec "$@"'
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "fine\n", "")
    shown = headstart("report", "run", cwd=folder)
    assert shown.returncode == 0, shown.stderr


def test_two_runs_with_one_json_name_keep_both(folder: Path) -> None:
    (folder / "main.py").write_text("import sys\nprint('up', flush=True)\nsys.stdin.readline()\n")
    pair = [
        subprocess.Popen(
            [HEADSTART, "profile", "-q", "--json", "out.json", "main.py"],
            cwd=folder,
            env=environment({}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in pair:  # both are past the check of the name
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
    errors = [process.communicate("\n", timeout=60)[1] for process in pair]
    assert [process.returncode for process in pair] == [0, 0]
    assert "another run" in errors[1]
    assert json.loads((folder / "out.json").read_text())["schema"] == 1
    assert json.loads((folder / "out.2.json").read_text())["schema"] == 1


def test_two_runs_cannot_share_a_record(folder: Path) -> None:
    (folder / "main.py").write_text("import sys\nprint('up', flush=True)\nsys.stdin.readline()\n")
    first = subprocess.Popen(
        [HEADSTART, "profile", "-q", "--record", "run", "main.py"],
        cwd=folder,
        env=environment({}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert first.stdout is not None
    assert first.stdout.readline() == "up\n"
    held = (folder / "run").read_bytes()
    refused(folder, "profile", "--record", "run", "main.py", says="another run is writing")
    assert (folder / "run").read_bytes()[: len(held)] == held
    first.communicate("\n", timeout=60)
    assert headstart("report", "run", cwd=folder).returncode == 0


def test_a_crash_half_way_has_a_ledger(folder: Path) -> None:
    (folder / "main.py").write_text("import json\n\n\ndef f():\n    1 / 0\n\n\nf()\n")
    done = headstart("profile", "--json", "out.json", "main.py", cwd=folder)
    plain = subprocess.run([sys.executable, "main.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == plain.returncode == 1
    assert done.stderr.startswith(plain.stderr)
    report = json.loads((folder / "out.json").read_text())
    assert report["target"]["exit_code"] == 1
    assert sum(phase["seconds"] for phase in report["phases"]) == pytest.approx(
        report["wall_seconds"], rel=0.01
    )


def test_a_syntax_error_is_the_programs_own(folder: Path) -> None:
    (folder / "main.py").write_text("x = = 1\n")
    done = headstart("profile", "main.py", cwd=folder)
    plain = subprocess.run([sys.executable, "main.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith(plain.stderr)


def test_a_program_without_tensorflow(folder: Path) -> None:
    done = headstart("profile", "--json", "out.json", "main.py", cwd=folder)
    assert done.returncode == 0
    report = json.loads((folder / "out.json").read_text())
    assert report["target"]["tensorflow"] is None
    assert report["time_to_first_step"] is None
    assert sum(phase["seconds"] for phase in report["phases"]) == pytest.approx(
        report["wall_seconds"], rel=0.01
    )


def test_tensorflow_missing(folder: Path) -> None:
    (folder / "main.py").write_text("import sys\nsys.modules['tensorflow'] = None\nimport tensorflow\n")
    done = headstart("profile", "main.py", cwd=folder)
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr
    assert "Where the" in done.stderr


def test_tensorflow_too_old(folder: Path) -> None:
    """A TensorFlow that the probes do not know is left alone: it runs, the ledger adds up, a note says so."""
    (folder / "tensorflow").mkdir()
    (folder / "tensorflow" / "__init__.py").write_text("__version__ = '2.3.0'\n")
    (folder / "main.py").write_text("import tensorflow as tf\nprint(tf.__version__)\n")
    done = headstart("profile", "--json", "out.json", "main.py", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "2.3.0\n")
    report = json.loads((folder / "out.json").read_text())
    assert sum(phase["seconds"] for phase in report["phases"]) == pytest.approx(
        report["wall_seconds"], rel=0.01
    )
    assert any("2.3.0" in note for note in report["notes"])


@pytest.mark.parametrize(
    "shell",
    [
        '"$@" 2>&-',
        '"$@" 2>/dev/full',
        'exec 3>&1; { "$@" 2>&1 >&3 3>&-; echo $? >status; } | true; exit $(cat status)',
    ],
)
def test_nobody_reads_the_report(folder: Path, shell: str) -> None:
    """The program's output and status stay, and the report does not turn up on its stdout."""
    (folder / "main.py").write_text("import sys\nprint('ran')\nsys.exit(3)")
    done = headstart("profile", "main.py", cwd=folder, shell=shell)
    assert (done.returncode, done.stdout, done.stderr) == (3, "ran\n", "")


# --- stored runs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"hello\n", "not a headstart run file"),
        (b'{"a": 1}\n', "not a headstart run file"),
        (b"\x00\xff\xfe" * 100, "not a headstart run file"),
        (b'{"headstart_record": 99}\n', "record format 99"),
        (b'{"headstart_record": 1}\n', "damaged header"),
    ],
)
def test_foreign_and_damaged_records(folder: Path, content: bytes, says: str) -> None:
    (folder / "run").write_bytes(content)
    refused(folder, "report", "run", says=says)


def test_no_such_record(folder: Path) -> None:
    refused(folder, "report", "nope", says="cannot read nope")
    refused(folder, "report", ".", says="no record")


def test_nothing_profiled_yet(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    empty = str(tmp_path_factory.mktemp("empty"))
    refused(folder, "report", says="no run has been profiled yet", env={"HEADSTART_CACHE_DIR": empty})


def test_a_cut_record_is_shown_as_far_as_it_goes(folder: Path) -> None:
    assert headstart("profile", "-q", "--record", "run", "main.py", cwd=folder).returncode == 0
    whole = (folder / "run").read_bytes()
    lines = whole.splitlines(keepends=True)
    (folder / "run").write_bytes(b"".join(lines[: len(lines) // 2]) + lines[len(lines) // 2][:9])
    done = headstart("report", "--json", "out.json", "run", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "cut" in done.stdout
    assert json.loads((folder / "out.json").read_text())["target"]["cut"] is True


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null/x"])
def test_a_cache_folder_that_cannot_be(folder: Path, place: str) -> None:
    """Without a place to remember things, the program still runs and is reported on."""
    done = headstart("profile", "main.py", cwd=folder, env={"HEADSTART_CACHE_DIR": place})
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert "Where the" in done.stderr
