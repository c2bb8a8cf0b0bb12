"""A made-up report with everything in it, so that renderers can be tested without running TensorFlow."""

from __future__ import annotations

import math
import os
import random
from typing import Any

import msgspec

from headstart.analyse.report import (
    PHASES,
    Epoch,
    Finding,
    Function,
    ImportedModule,
    Initializer,
    Library,
    Memory,
    Overhead,
    Phase,
    Report,
    Retrace,
    Steps,
    Target,
    Trend,
)

SCRIPT = os.path.join(os.path.dirname(__file__), "sample_program.py")

SECONDS: dict[str, tuple[float, float]] = {
    "interpreter": (0.048, 0.048),
    "imports": (2.41, 2.41),
    "native-libraries": (0.44, 0.44),
    "device-init": (0.062, 0.062),
    "model-build": (1.31, 1.31),
    "variable-init": (0.29, 0.29),
    "weight-loading": (0.0, 0.0),
    "optimizer-setup": (0.81, 0.81),
    "tracing": (15.2, 15.2),
    "graph-optimization": (5.74, 5.74),
    "xla-compile": (0.0, 0.0),
    "data-warmup": (0.21, 0.21),
    "first-step": (0.88, 0.88),
    "steady-steps": (32.4, 0.0),
    "data-wait": (0.35, 0.0),
    "evaluation": (1.9, 0.0),
    "eager-ops": (0.04, 0.04),
    "external-wait": (0.3, 0.3),
    "user-code": (0.12, 0.1),
    "shutdown": (0.22, 0.0),
    "unattributed": (0.41, 0.33),
}


def steps(count: int = 40, seed: int = 1) -> list[float]:
    rng = random.Random(seed)
    return [22.0] + [0.8 * math.exp(rng.gauss(0, 0.03)) for _ in range(count - 1)]


def report(**changes: Any) -> Report:
    wall = sum(total for total, _ in SECONDS.values())
    durations = steps()
    made = Report(
        schema=1,
        headstart="0.1.0",
        target=Target(
            argv=["train.py", "--epochs", "2"],
            exit_code=0,
            python="3.11.7",
            tensorflow="2.21.0",
            keras="3.15.1",
        ),
        wall_seconds=wall,
        time_to_first_step=sum(before for _, before in SECONDS.values()),
        phases=[Phase(name, *_phase(name, wall)) for name in PHASES],
        steps=Steps(
            count=len(durations),
            kind="fit",
            first_seconds=durations[0],
            steady_median_seconds=0.81,
            steady_ci95=(0.79, 0.84),
            warmup_steps=1,
            trend=Trend(slope_seconds_per_step=1e-5, p_value=0.61, growing=False),
            file=SCRIPT,
            line=11,
            durations=durations,
        ),
        epochs=[Epoch(0, 38.1), Epoch(1, 16.2)],
        memory=Memory(
            rss_start=11_000_000,
            rss_peak=1_930_000_000,
            rss_per_step=2_100.0,
            series=[(0.1 * i, int(1.1e7 + 1.9e9 * (1 - math.exp(-i / 80)))) for i in range(600)],
        ),
        functions=_functions(),
        imports=[
            ImportedModule(module="tensorflow", seconds=2.61, self_seconds=0.31, file=SCRIPT, line=2),
            ImportedModule(module="tensorflow.python", seconds=1.4, self_seconds=0.02, depth=1),
            ImportedModule(module="numpy", seconds=0.11, self_seconds=0.04, file=SCRIPT, line=1),
        ],
        libraries=[
            Library(
                path="/opt/venv/lib/site-packages/tensorflow/libtensorflow_cc.so.2", seconds=0.39, bytes=10**9
            ),
            Library(path="/opt/venv/lib/site-packages/numpy/_core/_multiarray.so", seconds=0.01),
        ],
        findings=_findings(),
        overhead=Overhead(seconds=0.31, share=0.0049),
        initializers=[
            Initializer(
                name="GlorotUniform", seconds=0.25, variables=54, bytes=94_000_000, file=SCRIPT, line=7
            ),
            Initializer(name="Zeros", seconds=0.04, variables=107, bytes=310_000),
        ],
        counts={"modules": 2843, "traces": 14, "nodes": 29_000},
        notes=["The probe for XLA is off: this TensorFlow has no such hook."],
    )
    return msgspec.structs.replace(made, **changes) if changes else made


def _phase(name: str, wall: float) -> tuple[float, float, float]:
    total, before = SECONDS[name]
    return total, total / wall, before


def _functions() -> list[Function]:
    again = [
        Retrace(
            argument="step",
            before=str(n),
            after=str(n + 1),
            file=SCRIPT,
            line=11,
            seconds=0.52,
            reason="scalar",
        )
        for n in range(11)
    ]
    return [
        Function(
            name="train_step",
            file=SCRIPT,
            line=5,
            traces=12,
            trace_seconds=14.9,
            optimize_seconds=5.61,
            nodes=14_500,
            retraces=again,
            calls=40,
            autograph_seconds=0.4,
            gradient_seconds=3.1,
            lines=[(SCRIPT, 6, 9_000), (SCRIPT, 7, 4_000)],
        ),
        Function(
            name="a_function_with_a_rather_long_name_that_must_not_break_the_table",
            file="/usr/lib/somewhere/very/deep/in/a/project/that/nobody/can/remember/helpers.py",
            line=1207,
            traces=2,
            trace_seconds=0.3,
            optimize_seconds=0.13,
            nodes=310,
            retraces=[],
        ),
    ]


def _findings() -> list[Finding]:
    return [
        Finding(
            rule="HS301",
            slug="retrace-python-scalar",
            title="train_step was traced 12 times because `step` is a Python int",
            file=SCRIPT,
            line=11,
            seconds_lost=5.72,
            confidence="high",
            advice="Pass a tensor: train_step(batch, tf.constant(step)). Each new Python number makes a new "
            "graph, and each graph is traced, optimised and kept for as long as the function lives.",
            fix_available=True,
        ),
        Finding(
            rule="HS315",
            slug="traced-twice",
            title="the train step was traced twice because the first trace created the optimizer's "
            "variables, which forces everything to be traced once more",
            file="/nowhere/train.py",
            line=3,
            seconds_lost=0.9,
            confidence="medium",
            advice="Call model.optimizer.build(model.trainable_variables) before fit.",
            fix_available=False,
        ),
    ]
