"""Children of the program: forked ones get a record of their own, spawned Pythons are launched with one.

The program's environment stays what it would be without us; the two variables that carry the capture into a
child Python are set only around the moment in which that child is started.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from ..record.format import CONFIG_VARIABLE
from .bus import Bus, now

INJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inject")


def install(bus: Bus, config: dict[str, Any]) -> None:
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _after_fork(bus, config))
    _Carrier(config).install()


def _after_fork(bus: Bus, config: dict[str, Any]) -> None:
    """In the child of a fork: leave the parent's file alone and start one of our own."""
    from . import bootstrap

    if bootstrap.active is not bus:
        return
    try:
        bus.sink.abandon()
        parent = bus.sink.path
        fresh = bootstrap.open_bus(config, f"{config['record']}.{os.getpid()}", "fork", now())
        if fresh.sink.path == parent:
            return
        bus.take_over(fresh)
        sampler = sys.modules.get(f"{__package__}.sampler")
        if sampler is not None:
            sampler.after_fork(bus)
    except Exception:
        bus.put = lambda event: None


class _Carrier:
    """Carries the capture into Pythons that the program starts or becomes."""

    def __init__(self, config: dict[str, Any]) -> None:
        from . import bootstrap

        self.text = bootstrap.child_config(config)
        self.saved: list[tuple[str, str | None]] = []

    def install(self) -> None:
        from . import hooks

        hooks.when_imported("subprocess", self._subprocess)
        hooks.when_imported("multiprocessing.util", self._multiprocessing)
        for name in ("execv", "execve"):
            original = getattr(os, name, None)
            if original is not None:
                setattr(os, name, self._exec(original))

    def _subprocess(self, module: Any) -> None:
        from .splice import splice

        # args may be a list or, with shell=True, text; executable is what will be run when it is given.
        splice(
            module.Popen._execute_child,
            lambda args, executable, env: self._enter(args, executable, env),
            self._leave,
            arguments=("args", "executable", "env"),
        )

    def _multiprocessing(self, module: Any) -> None:
        from .splice import splice

        splice(
            module.spawnv_passfds,
            lambda path, args: self._enter(args, path, None),
            self._leave,
            arguments=("path", "args"),
        )

    def _exec(self, original: Any) -> Any:
        from . import bootstrap

        def exec_(path: Any, args: Any, *env: Any) -> Any:
            bus = bootstrap.active
            if bus is not None:
                bus.mark("exec", str(path))
                bus.sink.flush()
            token = self._enter(args, path, env[0] if env else None)
            try:
                return original(path, args, *env)
            finally:
                self._leave(token)

        exec_.__code__ = exec_.__code__.replace(co_filename=os.__file__, co_name=original.__name__)
        exec_.__name__ = original.__name__
        return exec_

    def _enter(self, args: Any, executable: Any, env: Any) -> bool:
        """Set the variables for a child that is a Python and inherits our environment."""
        try:
            if env is not None or not _is_python(args, executable):
                return False
            path = os.environ.get("PYTHONPATH")
            os.putenv(CONFIG_VARIABLE, self.text)
            os.putenv("PYTHONPATH", INJECT + (os.pathsep + path if path else ""))
            return True
        except Exception:
            return False

    def _leave(self, token: bool) -> None:
        if not token:
            return
        try:
            os.unsetenv(CONFIG_VARIABLE)
            path = os.environ.get("PYTHONPATH")
            if path is None:
                os.unsetenv("PYTHONPATH")
            else:
                os.putenv("PYTHONPATH", path)
        except Exception:
            pass


def _is_python(args: Any, executable: Any) -> bool:
    first = (
        executable
        if executable is not None
        else (args[0] if isinstance(args, (list, tuple)) and args else args)
    )
    program = os.fsdecode(first) if isinstance(first, (str, bytes, os.PathLike)) else ""
    if program == sys.executable:
        return True
    try:
        return os.path.realpath(program) == os.path.realpath(sys.executable) and os.path.isabs(program)
    except OSError:
        return False
