#!/usr/bin/env python3
"""POST /execute against a bare interpreter, in one run on one instance.

    bench/execute_bench.py [REQUESTS]      programs from PADDOCK_BIN_DIR, build/bin unless set

Rounds alternate, so that foreign load meets all alike:
  bare     posix_spawn of `/usr/bin/python3 -c "print(1+1)"`, output read, reaped
  warm     `print(1+1)` over one kept connection, after a pause in which an interpreter can begin to wait
  library  the same with `import pandas` before it, where the host has pandas
  cold     the same as warm with memory_mb 255, which no waiting interpreter has
then 8 clients at once, and 8 threads that run the bare interpreter.
"""
import concurrent.futures
import json
import os
import pathlib
import socket
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.setdefault("PADDOCK_BIN_DIR", str(ROOT / "build/bin"))
sys.path[:0] = [str(ROOT / "tests/integration"), str(ROOT / "bench")]
sys.dont_write_bytecode = True
from harness import Instance, wait_until  # noqa: E402
from lean_client import LeanClient, request_of  # noqa: E402

CODE = "print(1+1)"
CLIENTS = 8
SECONDS = 6


# Neither side pays for more of this program's Python than it must.
def bare():
    mine, its = os.pipe()
    pid = os.posix_spawn("/usr/bin/python3", ["python3", "-c", CODE], {"PATH": "/usr/bin:/bin"},
                         file_actions=[(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                                       (os.POSIX_SPAWN_DUP2, its, 1)])
    os.close(its)
    said = b""
    while piece := os.read(mine, 4096):
        said += piece
    os.close(mine)
    assert os.waitpid(pid, 0)[1] == 0 and said == b"2\n"


def post(**fields):
    return request_of("POST", "/execute", fields)


PLAIN = post(code=CODE)
HEALTH = request_of("GET", "/health")


class Client(LeanClient):
    def execute(self, request=PLAIN):
        status, body = self.exchange(request)
        assert status == 200 and b'"stdout":"2\\n"' in body, body


def timed(action):
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1000


def shown(name, times):
    times = sorted(times)
    at = lambda part: times[min(len(times) - 1, int(len(times) * part))]
    print(f"{name:9} n={len(times):4}  min {times[0]:6.2f}  p50 {at(.5):6.2f}  p90 {at(.9):6.2f}  p99 {at(.99):6.2f} ms")
    return at(.5)


def rate(action_of_thread):
    """Per second, over CLIENTS threads for SECONDS."""
    end = time.perf_counter() + SECONDS

    def work(index):
        action, count = action_of_thread(index), 0
        while time.perf_counter() < end:
            action()
            count += 1
        return count

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        return sum(pool.map(work, range(CLIENTS))) / SECONDS


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        port = chosen.getsockname()[1]
    instance = Instance("bench")
    instance.env["PADDOCK_CONTROLLER_EXECUTE_PORT"] = str(port)
    with instance:
        client = Client(port)
        health = wait_until("a node", lambda: (lambda status, body: body if status == 200 else None)(*client.exchange(HEALTH)))
        library = "pandas" in json.loads(health)["libraries"]
        pandas = post(code="import pandas\n" + CODE)
        colder = post(code=CODE, memory_mb=255)
        with_library = lambda: client.execute(pandas)
        if library:
            with_library()
            time.sleep(3)
        times = {"bare": [], "warm": [], "cold": [], "library": []}
        for index in range(count):
            times["bare"].append(timed(bare))
            time.sleep(0.06)
            times["warm"].append(timed(client.execute))
            time.sleep(0.06)
            times["cold"].append(timed(lambda: client.execute(colder)))
            if library and index % 10 == 0:
                time.sleep(1.2)
                times["library"].append(timed(with_library))
                time.sleep(1.2)
        base = shown("bare", times["bare"])
        warm = shown("warm", times["warm"])
        cold = shown("cold", times["cold"])
        print(f"warm is {warm / base:.2f} of bare (target 0.25); cold is bare + {cold - base:.2f} ms (target 5)")
        if library:
            shown("library", times["library"])
        else:
            print("library   left out: this host's Python has no pandas")
        bare_rate = rate(lambda _: bare)

        def executing(_):
            return Client(port).execute

        own_rate = rate(executing)
        print(f"{CLIENTS} clients: {own_rate:.0f}/s, bare {bare_rate:.0f}/s: {own_rate / bare_rate:.0%} (target 80%)")


if __name__ == "__main__":
    main()
