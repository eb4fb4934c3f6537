#!/usr/bin/env python3
"""What the sandbox costs a GPU: the programs of bench/gpu, bare and inside in turn, as a table.

Usage: bench/gpu_ratio.py [--bin build/bin] [--python /opt/torch/bin/python3] [--rounds 3] [--cpu]

Needs root (an instance of its own is started and taken down) and a Python with torch; what else is missing is a row
that says so. --python: its folder is shown to the runs, read-only. --cpu: without an accelerator, to try this program.
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys

PROGRAMS = pathlib.Path(__file__).resolve().parent / "gpu"
NAMES = ["driver", "product", "small_launches", "to_device", "training", "loader", "compiled", "ranks", "jax_sum"]
INSTANCE = "gpu-ratio"


def value_of(done):
    """The number of the line `value N`; without one, the last thing that was said."""
    for line in done.stdout.splitlines():
        if line.startswith("value "):
            return float(line.split()[1])
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
        return value_of(subprocess.run([self.python, f"{name}.py"], cwd=PROGRAMS, capture_output=True, text=True))

    def inside(self, name):
        mounts = [] if self.prefix.startswith("/usr") else ["--mount", f"{self.prefix}:{self.prefix}:ro"]
        return value_of(subprocess.run(
            [self.cli, "run", str(PROGRAMS), "--instance", INSTANCE, *self.accelerator, *mounts,
             "--memory", "16Gi", "--", self.python, f"{name}.py"], capture_output=True, text=True))

    @contextlib.contextmanager
    def instance(self):
        shown = json.dumps([self.prefix])
        env = {**os.environ, "PADDOCK_CONTROLLER_CEILINGS_HOST_MOUNTS": shown, "PADDOCK_NODE_AGENT_CEILINGS_HOST_MOUNTS": shown}
        subprocess.run([self.cli, "up", "--instance", INSTANCE], check=True, env=env)
        try:
            yield
        finally:
            subprocess.run([self.cli, "down", "--instance", INSTANCE], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--python", default="/usr/bin/python3")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("names", nargs="*", default=NAMES)
    wanted = parser.parse_args()
    sides = Sides(wanted)
    ratios, failed = [], 0
    print("| program | bare | inside | ratio |\n|---|---|---|---|")
    with sides.instance():
        for name in wanted.names:
            pairs = [(sides.bare(name), sides.inside(name)) for _ in range(wanted.rounds)]
            line, ratio = row(name, [each[0] for each in pairs], [each[1] for each in pairs])
            print(line, flush=True)
            ratios += [ratio] if ratio else []
            failed += ratio is None
    print(f"median ratio: {statistics.median(ratios):.3f}" if ratios else "nothing worked", f"({failed} did not run)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
