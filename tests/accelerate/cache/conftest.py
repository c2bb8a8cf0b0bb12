"""One warm process for all programs of the suite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .harness import Runner


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    runner = Runner()
    yield runner
    runner.stop()
