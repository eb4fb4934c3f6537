#!/usr/bin/env python3
"""What the sandbox costs a GPU: the programs of bench/gpu, bare and inside in turn, as a table.

Usage: bench/gpu_ratio.py [--bin build/bin] [--python /opt/torch/bin/python3] [--rounds 3] [--seconds 290] [--cpu]

Needs a Python with torch; an instance of its own is started and taken down; what else is missing is a row that says so.
--python: its folder is shown to the runs, read-only. --seconds: no further round is begun that would not fit.
--cpu: without an accelerator, to try this program.
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

PROGRAMS = pathlib.Path(__file__).resolve().parent / "gpu"
NAMES = ["driver", "product", "small_launches", "to_device", "training", "loader", "compiled", "ranks", "gloo", "rendezvous", "jax_sum"]
INSTANCE = "gpu-ratio"
LONGEST = 90  # seconds of one program


def value_of(command, **where):
    """The number of the line `value N`; without one, the last thing that was said, and all of it on stderr."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, **where)
    except subprocess.TimeoutExpired:
        return f"no end within {LONGEST} s"
    for line in done.stdout.splitlines():
        if line.startswith("value "):
            return float(line.split()[1])
    print("failed:", *done.args, done.stdout, done.stderr, sep="\n  ", file=sys.stderr)
    said = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()
    return said[-1]


def row(name, bare, inside):
    """A line of the table, and the ratio of the medians where both worked."""
    failed = next((each for each in (*bare, *inside) if isinstance(each, str)), None)
    if failed:
        where = "bare" if any(isinstance(each, str) for each in bare) else "inside"
        return f"| {name} | | | {where}: {failed[:100]} |", None
    before, after = statistics.median(bare), statistics.median(inside)
    return f"| {name} | {before:.3f} | {after:.3f} | {after / before:.3f} |", after / before


def prefix_of(python):
    return subprocess.run([python, "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True, check=True).stdout.strip()


class Sides:
    """How a program is run: bare, and on the instance."""

    def __init__(self, wanted):
        self.python = wanted.python
        self.cli = str(pathlib.Path(wanted.bin).resolve() / "paddock")
        self.prefix = prefix_of(wanted.python)
        self.accelerator = [] if wanted.cpu else ["--accelerator", "nvidia=1"]

    def bare(self, name):
        return value_of([self.python, f"{name}.py"], cwd=PROGRAMS)

    def inside(self, name):
        mounts = [] if self.prefix.startswith("/usr") else ["--mount", f"{self.prefix}:{self.prefix}:ro"]
        return value_of([self.cli, "run", str(PROGRAMS), "--instance", INSTANCE, *self.accelerator, *mounts,
                         "--memory", "16Gi", "--", self.python, f"{name}.py"])

    @contextlib.contextmanager
    def instance(self):
        shown = json.dumps([self.prefix])
        env = {**os.environ, "PADDOCK_CONTROLLER_CEILINGS_HOST_MOUNTS": shown, "PADDOCK_NODE_AGENT_CEILINGS_HOST_MOUNTS": shown}
        subprocess.run([self.cli, "up", "--instance", INSTANCE], check=True, env=env)
        try:
            yield
        finally:
            subprocess.run([self.cli, "down", "--instance", INSTANCE], check=True)


def measure(sides, wanted, start):
    """By name, a pair for each round; the sides change places from round to round."""
    pairs = {name: [] for name in wanted.names}
    for number in range(wanted.rounds):
        began = time.monotonic()
        for name in wanted.names:
            if number % 2:
                after, before = sides.inside(name), sides.bare(name)
            else:
                before, after = sides.bare(name), sides.inside(name)
            pairs[name].append((before, after))
        if 2 * time.monotonic() - began - start > wanted.seconds:
            break
    return pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=290)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("names", nargs="*", default=NAMES)
    wanted = parser.parse_args()
    sides = Sides(wanted)
    start = time.monotonic()
    with sides.instance():
        pairs = measure(sides, wanted, start)
    rows = [row(name, [each[0] for each in pairs[name]], [each[1] for each in pairs[name]]) for name in wanted.names]
    ratios = [ratio for _, ratio in rows if ratio]
    print("| program | bare | inside | ratio |\n|---|---|---|---|", *(line for line, _ in rows), sep="\n")
    print(f"median ratio: {statistics.median(ratios):.3f}" if ratios else "nothing worked",
          f"({len(rows) - len(ratios)} did not run; {len(next(iter(pairs.values())))} rounds in {time.monotonic() - start:.0f} s)")
    return 0 if len(ratios) == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
