"""`headstart profile --check`: does the run keep to [tool.headstart.budget]?"""

from __future__ import annotations

import os
import sys

from ..errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import api
    from ..analyse.budget import Budget


def project_budget() -> Budget:
    """The project's budget; asking for a check without one is a mistake that is told before the program runs."""
    from ..analyse.budget import BudgetError, read_budget
    from .settings import project_settings

    table = project_settings().get("budget")
    if not isinstance(table, dict):
        raise UsageError(
            "--check needs a [tool.headstart.budget] in pyproject.toml, such as: traces = { train_step = 1 }"
        )
    try:
        return read_budget(table)
    except BudgetError as error:
        raise UsageError(f"[tool.headstart.budget] is wrong: {error}") from None


def holds(budget: Budget, reading: api.Reading) -> bool:
    """Check, and say what is broken: on stderr, and as annotations where GitHub runs us."""
    from ..analyse.budget import check
    from ..render.breaches import github, text

    broken = check(budget, reading.report, reading.runs)
    if not broken:
        print("headstart: within the start-up budget", file=sys.stderr)
        return True
    print(f"headstart: over the start-up budget\n\n{text(broken)}", file=sys.stderr, end="")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        sys.stdout.flush()
        print(github(broken), end="", flush=True)
    return False
