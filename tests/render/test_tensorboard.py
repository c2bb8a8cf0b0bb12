"""The TensorBoard event file, read back with TensorFlow's own reader."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from headstart.analyse.report import PHASES
from headstart.render import lettering, tensorboard, units
from headstart.render.words import phase_label

from .sample import report


def test_crc_is_castagnoli_s() -> None:
    assert tensorboard._crc32c(b"123456789") == 0xE3069283


def test_varints() -> None:
    assert tensorboard._varint(0) == b"\x00"
    assert tensorboard._varint(300) == b"\xac\x02"


def test_every_phase_can_be_lettered() -> None:
    texts = [*map(phase_label, PHASES), *map(units.seconds, (0.0000123, 0.0456, 7.89, 123.0, 7200.0))]
    assert {letter for text in texts for letter in text} <= set(lettering._ROWS)
    assert len({lettering._ROWS[letter] for letter in lettering._ROWS}) == len(lettering._ROWS)


def test_letters_have_their_shape() -> None:
    shape = ["".join("#" if pixel else "." for pixel in row) for row in lettering.rows("L1")]
    assert shape[0] == "#.......#..."
    assert shape[6] == "#####..###.."
    assert [len(row) for row in lettering.rows("L1", 2)] == [lettering.width("L1", 2)] * 18


def test_the_picture_names_each_phase() -> None:
    lines = tensorboard._bar(report().phases[1], 100.0)
    label, value = (b"".join(line[a:b] for line in lines) for a, b in ((0, 720), (-390, None)))
    assert tensorboard._INK in label
    assert tensorboard._INK in value


READER = """
import sys, zlib
import tensorflow as tf
events = list(tf.compat.v1.train.summary_iterator(sys.argv[1]))
assert events[0].file_version == "brain.Event:2"
assert all(abs(e.wall_time - 1e9) < 1 for e in events)
values = [v for e in events[1:] for v in e.summary.value]
scalars = {v.tag: v.simple_value for v in values if v.WhichOneof("value") == "simple_value"}
assert abs(scalars["headstart/time_to_first_step"] - 28.15) < 0.1, scalars
assert abs(sum(v for k, v in scalars.items() if k.startswith("headstart_phases/")) - 63.14) < 0.1
texts = {v.tag: v.tensor.string_val[0].decode() for v in values if v.metadata.plugin_data.plugin_name == "text"}
assert "| tracing | 15.2 s | 24 % | 15.2 s |" in texts["headstart/ledger"]
(image,) = [v.image for v in values if v.WhichOneof("value") == "image"]
pixels = tf.io.decode_png(image.encoded_image_string)
assert pixels.shape == (image.height, image.width, 3)
assert {e.step for e in events[1:]} == {7}
print("read back")
"""


def test_profile_and_report_add_a_file_each(tmp_path: Path) -> None:
    headstart = [sys.executable, "-m", "headstart"]
    folder = tmp_path / "logs" / "run"
    record = tmp_path / "r.hsrun"
    command = [*headstart, "profile", "-q", "--record", record, "--tensorboard", folder, "-c", "pass"]
    subprocess.run(command, check=True)
    subprocess.run([*headstart, "report", "-q", "--tensorboard", folder, record], check=True)
    names = [path.name for path in folder.iterdir()]
    assert len(names) == 2
    assert all(name.startswith("events.out.tfevents.") for name in names)


def test_a_folder_that_cannot_be_made_is_told_before_the_program_runs(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    command = [
        sys.executable,
        "-m",
        "headstart",
        "profile",
        "--tensorboard",
        tmp_path / "file" / "x",
        "-c",
        "print(1)",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot make the folder" in done.stderr


@pytest.mark.tensorflow
def test_tensorflow_reads_it_back(tmp_path: Path) -> None:
    path = tmp_path / "events.out.tfevents.1.headstart"
    path.write_bytes(tensorboard.render(report(), unix_seconds=1e9, step=7))
    done = subprocess.run([sys.executable, "-c", READER, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "read back" in done.stdout
