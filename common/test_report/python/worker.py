"""`python3 -m pytest ARGUMENT…`, with the pytest of the interpreter and never one of the project, and each result told.

worker.py PIPE PATHS [ARGUMENT…]: PATHS is the PYTHONPATH, as JSON. What is told is what judge.py reads.
"""
import json
import os
import sys


class Teller:
    """A plugin that tells of each test. A child that a test forks has nothing to tell."""

    def __init__(self, pipe):
        pid, count = os.getpid(), iter(range(1 << 60))

        def tell(kind, value=None):
            if os.getpid() != pid:
                return
            line = json.dumps([next(count), kind, value]).encode() + b"\n"
            while line:
                line = line[os.write(pipe, line):]

        self.tell = tell

    def pytest_collection_finish(self, session):
        self.tell("collected", [item.nodeid for item in session.items])

    def pytest_collectreport(self, report):
        if report.outcome != "passed":
            self.tell("file", report.outcome)

    def pytest_runtest_logreport(self, report):
        expected = report.outcome == "skipped" and hasattr(report, "wasxfail")
        self.tell("phase", [report.nodeid, report.when, "passed" if expected else report.outcome])


def load_pytest():
    """As `python3 -m pytest` would, but before the project's own folders are looked at."""
    here, folder = sys.path[0], os.getcwd()
    whole = [path for path in sys.path if path != here]
    sys.path[:] = [path for path in whole if path and os.path.abspath(path) != folder]
    try:
        import pytest
        import _pytest.config  # noqa: F401
    except ImportError as error:
        if error.name != "pytest":
            raise
        sys.exit(f"{sys.executable}: No module named pytest")
    sys.path[:] = whole
    return pytest


def take_paths(paths):
    """What the interpreter would have done with PYTHONPATH at its start."""
    if paths is not None:
        os.environ["PYTHONPATH"] = paths
        sys.path[:0] = [os.path.abspath(path) for path in paths.split(os.pathsep) if path]
        if paths and "sitecustomize" not in sys.modules:
            try:
                import sitecustomize  # noqa: F401
            except ImportError:
                pass
    sys.path.insert(0, os.getcwd())


def main(pipe, paths, *arguments):
    pipe = int(pipe)
    os.set_inheritable(pipe, False)
    pytest = load_pytest()
    take_paths(json.loads(paths))
    teller = Teller(pipe)
    # Last of all, so that whoever leaves at the end of the session has not finished it.
    Teller.pytest_sessionfinish = pytest.hookimpl(trylast=True)(lambda self: self.tell("finished"))
    # A hook of pytest-xdist: there, the workers collect the tests.
    Teller.pytest_xdist_node_collection_finished = pytest.hookimpl(optionalhook=True)(
        lambda self, ids: self.tell("collected", list(ids)))
    sys.argv[:] = [os.path.join(os.path.dirname(pytest.__file__), "__main__.py"), *arguments]
    code = pytest.main(list(arguments), plugins=[teller])
    sys.stdout.flush()
    sys.exit(int(code))


main(*sys.argv[1:])
