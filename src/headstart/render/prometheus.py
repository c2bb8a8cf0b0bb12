"""The report in Prometheus' text format, for node_exporter's textfile collector or a push gateway."""

from __future__ import annotations

from collections.abc import Iterator

from ..analyse.report import Report

Sample = tuple[dict[str, str], float]


def render(report: Report) -> str:
    program = " ".join(report.target.argv)
    lines = []
    for name, text, samples in _metrics(report):
        known = [(labels, value) for labels, value in samples if value is not None]
        if not known:
            continue
        lines += [f"# HELP headstart_{name} {text}", f"# TYPE headstart_{name} gauge"]
        for labels, value in known:
            pairs = ",".join(
                f'{key}="{_escape(text)}"' for key, text in {"program": program, **labels}.items()
            )
            lines.append(f"headstart_{name}{{{pairs}}} {value!r}")
    return "\n".join(lines) + "\n"


def _metrics(report: Report) -> Iterator[tuple[str, str, list[tuple[dict[str, str], float | None]]]]:
    steps, target = report.steps, report.target
    versions = {
        "python": target.python,
        "tensorflow": target.tensorflow or "",
        "keras": target.keras or "",
        "headstart": report.headstart,
    }
    yield "info", "Versions that were measured.", [(versions, 1.0)]
    yield "wall_seconds", "Length of the run.", [({}, report.wall_seconds)]
    text = "From process start to the end of the first step."
    yield "time_to_first_step_seconds", text, [({}, report.time_to_first_step)]
    yield "phase_seconds", "Time by phase; the phases add up to the run.", _by_phase(report, whole=True)
    text = "Time by phase up to the end of the first step."
    yield "phase_before_first_step_seconds", text, _by_phase(report, whole=False)
    yield "first_step_seconds", "Length of the first step.", [({}, steps.first_seconds)]
    yield "steady_step_seconds", "Median of the steady steps.", [({}, steps.steady_median_seconds)]
    yield "steps", "Steps seen.", [({}, float(steps.count))]
    yield "memory_peak_bytes", "Largest resident size.", [({}, _number(report.memory.rss_peak))]
    text = "Things that were counted."
    yield "count", text, [({"what": name}, float(value)) for name, value in report.counts.items()]
    text = "Time lost by finding."
    lost: dict[str, float] = {}
    for finding in report.findings:
        lost[finding.rule] = lost.get(finding.rule, 0.0) + finding.seconds_lost
    yield "finding_seconds", text, [({"rule": rule}, seconds) for rule, seconds in lost.items()]
    yield "overhead_seconds", "headstart's own cost.", [({}, report.overhead.seconds)]


def _by_phase(report: Report, *, whole: bool) -> list[tuple[dict[str, str], float | None]]:
    if not whole and report.time_to_first_step is None:
        return []
    return [
        ({"phase": phase.id}, phase.seconds if whole else phase.before_first_step_seconds)
        for phase in report.phases
    ]


def _number(value: int | None) -> float | None:
    return None if value is None else float(value)


def _escape(text: str) -> str:
    text = text.encode("utf-8", "backslashreplace").decode()
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
