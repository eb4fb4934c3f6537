#!/usr/bin/env python3
"""Commands of a sandbox session over HTTP, and what sessions cost while nobody uses them.

    bench/session_bench.py [COMMANDS] [SESSIONS]      programs from PADDOCK_BIN_DIR, build/bin unless set

  bare      `/bin/sh -c true` outside of any sandbox, one after a pause of 50 ms each; p50, p95, p99
  true      `true` in one session over one kept connection, one after the same pause each; bare and it alternate
  at once   the same, one as soon as the one before is answered
  create    creating a session and destroying it
  parallel  `true` in 8 sessions by 8 clients at once, per second
  idle      memory (proportional set size) of controller, agent and launchers with SESSIONS sessions that were each
            used once, less what they had before, by session
"""
import concurrent.futures
import os
import pathlib
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.setdefault("PADDOCK_BIN_DIR", str(ROOT / "build/bin"))
sys.path[:0] = [str(ROOT / "tests/integration"), str(ROOT / "bench")]
sys.dont_write_bytecode = True
from harness import Instance, wait_until  # noqa: E402
from lean_client import LeanClient, request_of  # noqa: E402
from session_client import SessionApi  # noqa: E402

CLIENTS = 8
SECONDS = 5
UNUSED = 12  # seconds after which nothing waits for a session's next command


def quantile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))]


def timed_after_pause(action):
    time.sleep(0.05)
    return timed(action)


def timed(action):
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1000


def bare():
    os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", "true"], {}), 0)


def create(api):
    status, made = api.create()
    assert status == 201, made
    return made["metadata"]["name"]


def run(api, name):
    status, result = api.run(name, "true")
    assert status == 200 and result["exitCode"] == 0, result


class Commands(LeanClient):
    """`true` in one session, over a connection of its own."""

    def __init__(self, api, name):
        super().__init__(api.port, api.tls)
        self.request = request_of("POST", api.sandboxes(name, "/commands"), {"command": "true"},
                                  Authorization=f"Bearer {api.token}")

    def run(self):
        status, body = self.exchange(self.request)
        assert status == 200 and b'"exitCode":0' in body, body



def memory_kib(instance):
    total = 0
    for pid in instance.processes():
        try:
            found = re.search(r"^Pss:\s+(\d+)", pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)
        except OSError:
            continue
        total += int(found.group(1)) if found else 0
    return total


def show(what, times):
    print(f"{what:9} p50 {quantile(times, .5):7.2f} ms   p95 {quantile(times, .95):7.2f} ms   "
          f"p99 {quantile(times, .99):7.2f} ms   ({len(times)})")


def main():
    commands = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    sessions = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with Instance() as instance:
        api = SessionApi(instance)
        wait_until("a node to take sessions", lambda: (lambda got: api.destroy(got[1]["metadata"]["name"])
                                                       if got[0] == 201 else None)(api.create()))
        name = create(api)
        own = Commands(api, name)
        for _ in range(20):
            own.run()
        rounds = [(timed_after_pause(bare), timed_after_pause(own.run)) for _ in range(commands)]
        for what, times in zip(("bare", "true"), zip(*rounds)):
            show(what, times)
        show("at once", [timed(own.run) for _ in range(commands)])
        show("create", [timed(lambda: api.destroy(create(api))) for _ in range(100)])

        clients = [Commands(api, create(api)) for _ in range(CLIENTS)]
        until = time.monotonic() + SECONDS

        def client(each):
            done = 0
            while time.monotonic() < until:
                each.run()
                done += 1
            return done
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            print(f"parallel  {sum(pool.map(client, clients)) / SECONDS:.0f} commands/s ({CLIENTS} clients)")

        time.sleep(UNUSED)
        before = memory_kib(instance)
        for _ in range(sessions):
            run(api, create(api))
        time.sleep(UNUSED)
        after = memory_kib(instance)
        print(f"idle      {(after - before) / sessions:.1f} KiB a session ({sessions} sessions; "
              f"{before / 1024:.1f} MiB before, {after / 1024:.1f} MiB with them)")


if __name__ == "__main__":
    main()
