"""Programs that start others: multiprocessing in all its ways, pools, pickles, subprocesses, exec."""

from __future__ import annotations

from ..program import Program, code, script

METHODS = ("fork", "spawn", "forkserver")

PROCESS = """
    import multiprocessing, os, sys
    class Point:
        def __init__(self, x):
            self.x = x
        def __repr__(self):
            return f"Point({self.x}) of {type(self).__module__}"
    def work(queue, point):
        queue.put((__name__, multiprocessing.current_process().name, repr(point), Point(2), sys.argv[1:]))
    def fail():
        raise ValueError("in child")
    def leave():
        sys.exit(5)
    if __name__ == "__main__":
        context = multiprocessing.get_context(sys.argv[1])
        queue = context.Queue()
        child = context.Process(target=work, args=(queue, Point(1)))
        child.start()
        print(queue.get(timeout=50))
        child.join()
        print(child.exitcode)
        for target in (fail, leave):
            child = context.Process(target=target, name="named")
            child.start()
            child.join()
            print(child.exitcode)
        with context.Pool(2) as pool:
            print(pool.map(abs, range(-3, 3)), pool.apply(Point, (7,)))
"""

EXECUTOR = """
    import concurrent.futures, multiprocessing, sys
    def square(x):
        return x * x
    def fail(x):
        raise KeyError(x)
    if __name__ == "__main__":
        context = multiprocessing.get_context(sys.argv[1])
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            print(list(pool.map(square, range(5))))
            try:
                pool.submit(fail, 3).result()
            except KeyError as error:
                print(repr(error), "square" in str(error.__cause__), "headstart" in str(error.__cause__))
"""

PICKLE = """
    import pickle, copyreg
    class A:
        def __init__(self):
            self.x = 1
    def f():
        pass
    data = pickle.dumps([A(), f, A])
    print(data)
    print(pickle.loads(data)[1] is f)
"""

SUBPROCESS = """
    import subprocess, sys, os
    def show(*words, **options):
        done = subprocess.run(list(words), capture_output=True, text=True, **options)
        print(done.returncode, done.stdout, done.stderr)
    show(sys.executable, "-c", "import sys, os; print(sys.argv, sys.path, sorted(os.environ))", "x")
    show(sys.executable, "-m", "child", "x")
    show(sys.executable, "-E", "-c", "import sys; print(sys.path)")
    show(sys.executable, "-I", "-c", "import sys; print(sys.path)")
    show(sys.executable, "-S", "-c", "import sys; print('sitecustomize' in sys.modules)")
    show(sys.executable, "-c", "import os; print(sorted(os.environ))", env={"A": "1"})
    show(sys.executable, "-c", "1 / 0")
    show("/bin/sh", "-c", "echo $PYTHONPATH; env | grep -c HEADSTART")
    show("/bin/sh", "-c", 'exec "$0" -c "import os; print(sorted(os.environ))"', sys.executable)
    print(os.system("true"), os.system("exit 3"), os.popen("echo hi").read())
    print(os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", "print('spawned')"]))
    print(os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-c", "print(1)"],
                                                             os.environ), 0)[1]))
"""

EXEC = """
    import os, sys
    print("before", sys.argv[1:], flush=True)
    if len(sys.argv) < 4:
        os.{call}
    print("at last", sys.path, sorted(os.environ), "sitecustomize" in sys.modules)
"""

FORK = """
    import os, sys, atexit
    atexit.register(lambda: print("atexit", os.getpid() == first, flush=True))
    first = os.getpid()
    pid = os.fork()
    if pid == 0:
        print("child", flush=True)
        sys.exit(4)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    pid = os.fork()
    if pid == 0:
        raise ValueError("child failed")
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    pid = os.fork()
    if pid == 0:
        os._exit(6)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    try:
        print(os.waitpid(-1, os.WNOHANG))
    except ChildProcessError as error:
        print(error)
"""

PROGRAMS = [
    *(script(f"process-{method}", PROCESS, method, mask=(r"pid \d+",)) for method in METHODS),
    *(Program(f"process-{method}-m", {"tool.py": PROCESS}, ("-m", "tool", method)) for method in METHODS),
    *(script(f"executor-{method}", EXECUTOR, method) for method in METHODS),
    script(
        "spawn-without-guard",
        "import multiprocessing as m\nm.set_start_method('spawn')\nm.Process(target=print).start()",
    ),
    code(
        "process-in-code",
        "import multiprocessing as m\np = m.get_context('fork').Process(target=print, args=('hi',))\np.start()\np.join()\nprint(p.exitcode)",
    ),
    script("pickle", PICKLE),
    Program("pickle-m", {"tool.py": PICKLE}, ("-m", "tool")),
    Program(
        "subprocess", {"main.py": SUBPROCESS, "child.py": "import sys; print('child', sys.argv, __name__)"}
    ),
    script("exec", EXEC.replace("{call}", 'execv(sys.executable, [sys.executable, *sys.argv, "again"])')),
    script(
        "exec-environment",
        EXEC.replace("{call}", 'execve(sys.executable, [sys.executable, *sys.argv, "again"], {"A": "1"})'),
    ),
    script(
        "exec-path",
        EXEC.replace("{call}", 'execvp("sh", ["sh", "-c", "env | grep -c -e HEADSTART -e inject; exit 8"])'),
    ),
    script("fork", FORK),
    script(
        "fork-orphan",
        "import os, time\nif os.fork() == 0:\n    time.sleep(.3)\n    print('orphan', flush=True)\n    os._exit(0)\nprint('parent', flush=True)\nos._exit(0)",
    ),
    script("wait-any", "import os\ntry:\n    os.wait()\nexcept ChildProcessError as e:\n    print(e)"),
    script(
        "popen-left-running",
        "import subprocess\nsubprocess.Popen(['sleep', '0.3'])\nprint('done')",
        env={"PYTHONWARNINGS": "ignore"},
    ),
    script(
        "threads-and-fork",
        "import threading, os\nt = threading.Thread(target=lambda: None)\nt.start()\nt.join()\npid = os.fork()\nif not pid:\n    print(threading.active_count(), flush=True)\n    os._exit(0)\nos.waitpid(pid, 0)",
        # A joined thread may still be leaving: whether Python >= 3.12 warns of it is chance.
        env={"PYTHONWARNINGS": "ignore::DeprecationWarning"},
    ),
    script(
        "shared-memory",
        "from multiprocessing import shared_memory\ns = shared_memory.SharedMemory(create=True, size=10)\ns.close()\ns.unlink()\nprint('ok')",
    ),
    script(
        "manager",
        "import multiprocessing\nif __name__ == '__main__':\n    with multiprocessing.Manager() as m:\n        d = m.dict(a=1)\n        print(dict(d))",
    ),
]
