"""Says which lines of the project each test executes. gephost puts it into the Python processes of a command that it
traces, by way of `sitecustomize`; pytest loads it as a plugin.

One record a line, written at once, so that a process that is killed leaves what it did so far:
    F number path    a file of the project
    L number line    that line of it runs, for the first time in this test
    B                a test begins
    E 0 | E 1        it ends, 1 if it failed
"""

import os
import sys

_ROOT = os.environ.get("GEPHOST_TRACE_ROOT", "") + os.sep
_OUT = os.environ.get("GEPHOST_TRACE_OUT")
_FAIL_FAST = bool(os.environ.get("GEPHOST_FAIL_FAST"))
_TOOL = 4

_files = {}
_seen = set()
_stream = -1
_owner = 0
_depth = 0
_failed = False
_is_pytest = False


def _say(text):
    global _stream, _owner
    if not _OUT:
        return
    # A forked process has a file of its own.
    if _owner != os.getpid():
        _owner = os.getpid()
        _seen.clear()
        name = os.path.join(_OUT, "%d.lines" % _owner)
        _stream = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o600)
        for path, number in _files.items():
            if number >= 0:
                os.write(_stream, ("F %d %s\n" % (number, path)).encode("utf-8", "surrogateescape"))
    os.write(_stream, (text + "\n").encode("utf-8", "surrogateescape"))


def _number(name):
    path = os.path.abspath(name)
    number = -1
    if path.startswith(_ROOT) and "\n" not in path:
        number = len(_files)
        _say("F %d %s" % (number, path))
    _files[path] = _files[name] = number
    return number


def _line(code, line):
    number = _files.get(code.co_filename)
    if number is None:
        number = _number(code.co_filename)
    if number >= 0 and (number, line) not in _seen:
        _seen.add((number, line))
        _say("L %d %d" % (number, line))
    return number


def _within(frame, event, _):
    if event == "line":
        _line(frame.f_code, frame.f_lineno)
    return _within


def _call(frame, _event, _):
    name = frame.f_code.co_filename
    number = _files.get(name)
    if number is None:
        number = _number(name)
    return _within if number >= 0 else None


def _start():
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is not None:
        try:
            monitoring.use_tool_id(_TOOL, "gephost")
        except ValueError:
            return

        def line(code, number):
            _line(code, number)
            return monitoring.DISABLE

        monitoring.register_callback(_TOOL, monitoring.events.LINE, line)
        monitoring.set_events(_TOOL, monitoring.events.LINE)
    else:
        import threading

        threading.settrace(_call)
        sys.settrace(_call)


def _begin():
    global _depth, _failed
    _depth += 1
    if _depth == 1:
        _failed = False
        _say("B")
        _seen.clear()
        if _OUT and hasattr(sys, "monitoring"):
            sys.monitoring.restart_events()


def _end(failed):
    global _depth, _failed
    _depth -= 1
    _failed = _failed or failed
    if _depth == 0:
        _say("E %d" % _failed)
        _seen.clear()
        if _failed and _FAIL_FAST:
            for stream in (sys.stdout, sys.stderr):
                try:
                    stream.flush()
                except Exception:
                    pass
            os._exit(1)


def _faults(result):
    return sum(len(getattr(result, name, ())) for name in ("failures", "errors", "unexpectedSuccesses"))


def _watch_unittest(module):
    run = module.TestCase.run

    def watched(self, result=None):
        if _is_pytest or result is None:
            return run(self, result)
        before = _faults(result)
        _begin()
        try:
            return run(self, result)
        finally:
            _end(_faults(result) > before)

    module.TestCase.run = watched


class _Finder:
    """Notes when `unittest.case` is loaded, which is costly and not always needed."""

    def find_spec(self, name, path, _target=None):
        if name != "unittest.case":
            return None
        from importlib.machinery import PathFinder

        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_watch(module):
            execute(module)
            _watch_unittest(module)

        spec.loader.exec_module = execute_and_watch
        return spec


def pytest_configure(config):
    global _is_pytest
    _is_pytest = True


def pytest_runtest_logstart(nodeid, location):
    _begin()


def pytest_runtest_logreport(report):
    global _failed
    _failed = _failed or bool(report.failed)


def pytest_runtest_logfinish(nodeid, location):
    _end(False)


def install():
    if _OUT or _FAIL_FAST:
        sys.meta_path.insert(0, _Finder())
    if _OUT:
        _start()
