"""`headstart lab`: what is said about slow starts, measured here."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from types import FrameType
from typing import Any

from ..errors import HeadstartError, UsageError
from ..lab.catalogue import all_claims, find_claim
from ..lab.claim import Claim
from ..lab.lab import Interrupted, put_in, refuse_other_machine, run_lab
from ..lab.result import ClaimResult, LabResult, from_json, to_json
from ..lab.runner import FULL, QUICK, Plan
from ..launch.ending import die_of
from .claims import FORCE
from .options import Option, Values, parse
from .outputs import Output, claim, refuse_doubles, write

OPTIONS = (
    Option(
        "quick",
        "under 10 minutes on 2 cores: arms that measure no process start share an import",
        setting=False,
    ),
    Option("resume", "go on with the lab that was interrupted", setting=False),
    Option("json", "write the result as JSON", "FILE", setting=False),
    Option("html", "write the result as one self-contained page", "FILE", setting=False),
    Option("markdown", "write the result as a page of documentation", "FILE", setting=False),
    Option("from", "measure nothing: show and write the result that this file holds", "FILE", setting=False),
    Option(
        "again",
        "with --from: measure the named claims once more; the others are those of the file",
        setting=False,
    ),
    Option("compare", "put two results (files) side by side", setting=False),
    Option("seed", "of the order of runs and of the intervals (0)", "NUMBER", setting=False),
    Option("budget", "seconds for one claim, after which no further run is begun", "SECONDS", setting=False),
    Option("list", "list the claims", setting=False),
    Option("source", "print the programs of the claims' experiments", setting=False),
    Option("verbose", "show every comparison", letter="v", setting=False),
    FORCE,
)
FILES = {"json": "json", "html": "html", "markdown": "page"}
"""The options that name files, and what kind of file each is."""


def main(argv: list[str]) -> int:
    """Measure on this machine what is said about slow starts of TensorFlow.

    usage: headstart lab [OPTIONS] [CLAIM…]     a claim's id (C07) or name; without one, all of them
           headstart lab --compare A.json B.json

    Each claim is an experiment with a verdict: holds, holds when …, does not hold, or not measurable here. Results
    are kept with the facts of the machine. A full lab takes an hour or more, --quick minutes. Ctrl-C stops it, and
    --resume goes on. Exit status: 0, 1 when an experiment failed, 2 when the lab could not run.
    """
    values, words = parse(argv, OPTIONS)
    if values.flag("compare"):
        return _compare(words)
    claims = _claims(words)
    if values.flag("list"):
        width = max(len(each.slug) for each in claims)
        for each in claims:
            print(f"{each.id}  {each.slug:<{width}}  {each.sentence}")
        return 0
    if values.flag("source"):
        from ..lab.pages import source

        print("\n".join(source(each) for each in claims), end="")
        return 0
    outputs = _outputs(values)
    stored = _read(path) if (path := values.text("from")) else None
    if values.flag("again"):
        if stored is None or not words:
            raise UsageError("--again needs a result and claims: headstart lab --from A.json --again C07")
        result = put_in(_measure(claims, values, stored), stored)
    elif stored is not None:
        result = stored
        for found in result.claims:
            _tell(found, values)
    else:
        result = _measure(claims, values)
    fine = _write(result, outputs)
    failed = any(found.error for found in result.claims)
    return 2 if not fine else 1 if failed else 0


def _claims(words: list[str]) -> list[Claim]:
    found = []
    for word in words:
        each = find_claim(word)
        if each is None:
            raise UsageError(f"no such claim: {word}; `headstart lab --list` lists them")
        found.append(each)
    return found or list(all_claims())


def _measure(claims: list[Claim], values: Values, beside: LabResult | None = None) -> LabResult:
    """``beside``: a result into which this one is to go."""
    from ..lab import session
    from ..lab.show import Progress, machine_line, summary

    plan = _plan(values, beside.lab if beside else None)
    progress = Progress(sys.stderr, claims, plan.mode, session.last_durations())

    def tell(result: ClaimResult) -> None:
        progress.clear()
        _tell(result, values)

    def about(facts: dict[str, Any]) -> None:
        if beside is not None:
            refuse_other_machine(beside, facts)
        print(machine_line(facts), end="\n\n", flush=True)

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.append(number)
        raise KeyboardInterrupt

    stopped: list[int] = []
    before = signal.signal(signal.SIGTERM, stop)  # else what the lab has started would outlive it
    try:
        result = run_lab(
            claims,
            plan,
            go_on=values.flag("resume"),
            watch=progress.watch,
            tell=tell,
            about=about,
        )
    except Interrupted as ended:
        progress.clear()
        words = " --quick" if plan.mode == "quick" else ""
        print(f"headstart: stopped with {ended}; go on with: headstart lab{words} --resume", file=sys.stderr)
        if stopped:
            die_of(stopped[0])
        raise KeyboardInterrupt from None
    finally:
        signal.signal(signal.SIGTERM, before)
    print("\n" + summary(result), flush=True)
    return result


def _plan(values: Values, mode: str | None) -> Plan:
    plan = QUICK if values.flag("quick") or mode == QUICK.mode else FULL
    return replace(
        plan,
        seed=int(_number(values, "seed", plan.seed)),
        budget=_number(values, "budget", plan.budget),
    )


def _number(values: Values, name: str, default: float) -> float:
    text = values.text(name)
    if text is None:
        return default
    try:
        number = float(text)
        if number < 0 or (name == "seed" and number != int(number)):
            raise ValueError
    except ValueError:
        raise UsageError(f"--{name} needs a number of 0 or more, not {text!r}") from None
    return number


def _tell(result: ClaimResult, values: Values) -> None:
    from ..lab.show import claim_lines

    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    print(claim_lines(result, color=color, verbose=values.flag("verbose")), flush=True)


def _outputs(values: Values) -> list[Output]:
    wanted = [(kind, path) for name, kind in FILES.items() if (path := values.text(name))]
    refuse_doubles([path for _, path in wanted])
    return [claim(kind, path, values.flag("force")) for kind, path in wanted]


def _write(result: LabResult, outputs: list[Output]) -> bool:
    fine = True
    for output in outputs:
        try:
            path = write(output, _render(output.kind, result))
        except HeadstartError as error:
            print(f"headstart: {error}", file=sys.stderr)
            fine = False
            continue
        print(f"{output.kind}: {path}", file=sys.stderr)
    return fine


def _render(kind: str, result: LabResult) -> str | bytes:
    if kind == "json":
        return to_json(result)
    if kind == "html":
        from ..lab.webpage import page as webpage

        return webpage(result)
    from ..lab.pages import page

    return page(result)


def _read(path: str) -> LabResult:
    try:
        with open(path, "rb") as handle:
            return from_json(handle.read())
    except OSError as error:
        raise HeadstartError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise HeadstartError(f"{path} is {error}") from None


def _compare(words: list[str]) -> int:
    from ..lab.compare import compare

    if len(words) != 2:
        raise UsageError("--compare needs two results: headstart lab --compare A.json B.json")
    print(compare(_read(words[0]), _read(words[1])))
    return 0
