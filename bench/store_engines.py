#!/usr/bin/env python3
"""The two engines of the store beside each other: SQLite, and PostgreSQL without and with a synchronous standby on this machine.

    bench/store_engines.py [SECONDS] [RUNS]      programs from PADDOCK_BIN_DIR (build/bin unless set) and the folder bench beside it

Durable creates first (store_bench), SECONDS for each figure. Then whole runs of /bin/true, RUNS of them created by one list, on one
instance each: rounds alternate, so that foreign load meets all alike. What is made lies in temporary folders.
"""
import contextlib
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.setdefault("PADDOCK_BIN_DIR", str(ROOT / "build/bin"))
sys.path[:0] = [str(ROOT / "tests/integration")]
sys.dont_write_bytecode = True
from harness import BIN, Instance  # noqa: E402
from postgres_server import PROGRAMS, PostgresServer  # noqa: E402

SECONDS = sys.argv[1] if len(sys.argv) > 1 else "2"
RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
ROUNDS = 3
BASE = "/apis/paddock.dev/v1alpha1/namespaces/default/"
SCRIPT = b":\n"


class Api:
    """One kept connection to an instance, as its admin."""

    def __init__(self, instance):
        self.token = instance.admin_token()
        self.connection = instance.connect(120)

    def call(self, method, path, body=None):
        content = body if isinstance(body, (bytes, type(None))) else json.dumps(body)
        self.connection.request(method, BASE + path, content,
                                {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        answer = self.connection.getresponse()
        said = answer.read()
        if answer.status // 100 != 2:
            sys.exit(f"{method} {path}: {answer.status} {said[:500]}")
        return json.loads(said) if said else None


def make_workspace(api):
    digest = hashlib.sha256(SCRIPT).hexdigest()
    tree = {"entries": [{"path": "true.sh", "digest": digest, "size": len(SCRIPT)}]}
    api.call("POST", "workspaces", {"apiVersion": "paddock.dev/v1alpha1", "kind": "Workspace", "metadata": {"name": "bench"}})
    api.call("POST", "workspaces/bench/tree", tree)
    api.call("PUT", f"workspaces/bench/blobs/{digest}", SCRIPT)
    api.call("POST", "workspaces/bench/tree", tree)


def runs_a_second(api, count, prefix):
    """From the request that creates them to the last one's end."""
    spec = {"workspace": "bench", "type": "agent", "command": ["/bin/true"]}
    items = [{"metadata": {"name": f"{prefix}-{i}"}, "spec": spec} for i in range(count)]
    begin = time.monotonic()
    api.call("POST", "runs", {"apiVersion": "paddock.dev/v1alpha1", "kind": "RunList", "items": items})
    while api.call("GET", "runs?fieldSelector=status.phase!%3DSucceeded")["items"]:
        time.sleep(0.1)
    return count / (time.monotonic() - begin)


def creates(what, url):
    print(f"== durable creates, {what}", flush=True)
    with tempfile.TemporaryDirectory(prefix="paddock-store-") as folder:
        subprocess.run([BIN.parent / "bench/store_bench", SECONDS, folder, url], check=True)


def instance_on(stack, url):
    made = Instance()
    if url:
        path = made.home / "store-url"
        path.touch(0o600)
        path.write_text(url + "\n")
        made.env["PADDOCK_CONTROLLER_STORE_POSTGRES_URL_FILE"] = str(path)
    stack.enter_context(made)
    api = Api(made)
    make_workspace(api)
    runs_a_second(api, 10, "warm")
    return api


def whole_runs(what, url):
    print(f"== whole runs of /bin/true, {what}", flush=True)
    with contextlib.ExitStack() as stack:
        sqlite, postgres = instance_on(stack, None), instance_on(stack, url)
        ratios = []
        for number in range(ROUNDS):
            rates = [runs_a_second(api, RUNS, f"r{number}") for api in (sqlite, postgres)]
            ratios.append(rates[1] / rates[0])
            print(f"SQLite {rates[0]:.0f} a second, PostgreSQL {rates[1]:.0f}: {ratios[-1]:.2f}", flush=True)
        print(f"{statistics.median(ratios):.2f} of SQLite's rate, the median of {ROUNDS}", flush=True)


def main():
    if not PROGRAMS:
        return print("PostgreSQL is not installed (Debian: postgresql-15): not measured")
    with PostgresServer(fsync="on") as server:
        for what in "without a standby", "with a synchronous standby":
            if what.startswith("with "):
                server.start_standby()
            for name, measure in ("creates", creates), ("runs", whole_runs):
                database = f"{name}_{'standby' if server.standby else 'alone'}"
                server.query(f"CREATE DATABASE {database}", database="postgres")
                measure(what, server.url(database=database))


if __name__ == "__main__":
    main()
