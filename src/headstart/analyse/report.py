"""The finished report: what every renderer gets. Its JSON form is the product's contract (schema 1)."""

from __future__ import annotations

from typing import Any

import msgspec

SCHEMA = 1

PHASES = (
    "interpreter",
    "imports",
    "native-libraries",
    "device-init",
    "model-build",
    "variable-init",
    "weight-loading",
    "optimizer-setup",
    "tracing",
    "graph-optimization",
    "xla-compile",
    "data-warmup",
    "first-step",
    "steady-steps",
    "data-wait",
    "evaluation",
    "eager-ops",
    "external-wait",
    "user-code",
    "shutdown",
    "unattributed",
)
"""In the order in which a start meets them. `eager-ops` is an addition to the contract's list: see
docs/decisions for why time in ops that user code runs outside any step needs a name of its own."""


class Target(msgspec.Struct, frozen=True, kw_only=True):
    argv: list[str]
    exit_code: int | None
    """As a shell would show it (128 + signal for a death by signal); None when the record is cut."""
    python: str
    tensorflow: str | None
    keras: str | None
    signal: int | None = None
    warm: bool = False
    cut: bool = False
    """True when the record ends before the program did (it was killed): the report covers what is there."""


class Phase(msgspec.Struct, frozen=True):
    id: str
    seconds: float
    share: float
    before_first_step_seconds: float = 0.0


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    slope_seconds_per_step: float
    p_value: float
    growing: bool


class Steps(msgspec.Struct, frozen=True, kw_only=True):
    count: int
    kind: str | None
    first_seconds: float | None
    steady_median_seconds: float | None
    steady_ci95: tuple[float, float] | None
    warmup_steps: int
    trend: Trend | None
    file: str | None = None
    line: int | None = None
    durations: list[float] = []
    """Seconds of each step, thinned when there are very many."""


NO_STEPS = Steps(
    count=0,
    kind=None,
    first_seconds=None,
    steady_median_seconds=None,
    steady_ci95=None,
    warmup_steps=0,
    trend=None,
)


class Epoch(msgspec.Struct, frozen=True):
    index: int
    seconds: float


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    rss_start: int | None
    rss_peak: int | None
    rss_per_step: float | None
    series: list[tuple[float, int]] = []
    """(seconds since process start, resident bytes), thinned."""


class Retrace(msgspec.Struct, frozen=True, kw_only=True):
    argument: str | None
    before: str | None
    after: str | None
    file: str | None
    line: int | None
    seconds: float
    reason: str = "unknown"
    """"scalar" | "shape" | "dtype" | "object" | "structure" | "new-function" | "variables-created" | "unknown"."""


class Function(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    file: str | None
    line: int | None
    traces: int
    trace_seconds: float
    optimize_seconds: float
    nodes: int
    retraces: list[Retrace]
    objects: int = 1
    """How many tf.function objects of this same code were made."""
    calls: int = 0
    compile_seconds: float = 0.0
    autograph_seconds: float = 0.0
    gradient_seconds: float = 0.0
    lines: list[tuple[str, int, int]] = []
    """(file, line, nodes): which of the user's lines made the graph's nodes, most first."""


class ImportedModule(msgspec.Struct, frozen=True, kw_only=True):
    module: str
    seconds: float
    self_seconds: float
    depth: int = 0
    file: str | None = None
    line: int | None = None


class Library(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    seconds: float
    bytes: int | None = None


class Initializer(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    seconds: float
    variables: int
    bytes: int
    file: str | None = None
    line: int | None = None


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """What one of the program's functions did, or had a library do, in one phase."""

    phase: str
    name: str
    seconds: float
    """Estimated: the phase's time, divided by how often the sampler saw what."""
    looks: int


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    rule: str
    slug: str
    title: str
    file: str | None
    line: int | None
    seconds_lost: float
    confidence: str
    """"high" | "medium" | "low"."""
    advice: str
    fix_available: bool
    details: dict[str, Any] = {}


class Overhead(msgspec.Struct, frozen=True, kw_only=True):
    seconds: float
    share: float


class Event(msgspec.Struct, frozen=True):
    """One bar of the timeline, for pictures: seconds since process start."""

    lane: str
    name: str
    kind: str
    phase: str | None
    start: float
    seconds: float
    depth: int
    detail: dict[str, Any] = {}


class Report(msgspec.Struct, frozen=True, kw_only=True):
    schema: int
    headstart: str
    target: Target
    wall_seconds: float
    time_to_first_step: float | None
    phases: list[Phase]
    steps: Steps
    epochs: list[Epoch]
    memory: Memory
    functions: list[Function]
    imports: list[ImportedModule]
    libraries: list[Library]
    findings: list[Finding]
    overhead: Overhead
    initializers: list[Initializer] = []
    loads: list[dict[str, Any]] = []
    counts: dict[str, int] = {}
    """Things that can be counted exactly: modules, traces, nodes, variables, ops and kernels registered."""
    notes: list[str] = []
    """What the reader should know about this measurement (cut record, probe that is off …)."""
    children: list[dict[str, Any]] = []
    work: list[Work] = []
    environment: dict[str, str] = {}
    """What a fair comparison must hold equal: machine, cores, flags that change how TensorFlow starts."""
