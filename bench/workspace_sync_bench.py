#!/usr/bin/env python3
"""Bringing a project of 10,000 files to where it runs, beside rsync on the same tree in the same run.

    workspace_sync_bench [FILES, default 10000] [ROUNDS, default 5]

rsync copies to a folder of the same disk, over a pipe, as root of both ends; ours goes through TLS to a
controller that stores each file by its digest. For each figure the best of all rounds and its middle.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(ROOT / "tests" / "integration"))
from harness import Instance  # noqa: E402


def make_tree(folder, files):
    """Source files of 200 B to 20 KiB, 50 per folder; the content of each is its own."""
    dice = random.Random(7)
    for i in range(files):
        path = folder / f"pkg{i // 500}" / f"mod{i // 50}" / f"file{i}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"# {i}\n".encode() + dice.randbytes(dice.randrange(100, 10_000)).hex().encode())
    (folder / "job.py").write_text("print('ran')\n")
    time.sleep(2)  # the digests of files that were touched a moment ago are not remembered


def seconds(action):
    start = time.monotonic()
    answer = action()
    return time.monotonic() - start, answer


def show(what, times, note=""):
    times = sorted(times)
    print(f"{what:46} best {times[0] * 1000:8.1f} ms   middle {times[len(times) // 2] * 1000:8.1f} ms  {note}", flush=True)


class Bench:
    def __init__(self, instance, base, files, rounds):
        self.instance, self.base, self.files, self.rounds = instance, base, files, rounds
        self.project = base / "project"
        self.project.mkdir()
        make_tree(self.project, files)
        self.bytes = sum(f.stat().st_size for f in self.project.rglob("*") if f.is_file())

    def rsync(self, target):
        return seconds(lambda: subprocess.run(["rsync", "-a", "--delete", f"{self.project}/", f"{target}/"], check=True))[0]

    def ours(self):
        """Sends the project and creates a run of it; the time of hashing and sending, and what was said."""
        done = self.instance.run("compute", self.project, "python3 job.py", "--progress", "json", timeout=600)
        objects = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        timings = next(o["ms"] for o in objects if "ms" in o)
        said = next(o["text"] for o in objects if o.get("text", "").startswith("uploaded"))
        return timings, said

    def first(self):
        took = self.rsync(self.base / "copy")
        show("first sync, rsync", [took], f"{self.bytes / took / 1e6:.0f} MB/s, {self.files / took:.0f} files/s")
        timings, said = self.ours()
        took = (timings["hash"] + timings["upload"]) / 1000
        show("first sync, ours", [took], f"{self.bytes / took / 1e6:.0f} MB/s, {self.files / took:.0f} files/s; {said}")
        show("  then to the node: fetched and laid out", [timings["workspace"] / 1000])

    def again(self, what, change):
        theirs, mine, node, said = [], [], [], ""
        for i in range(self.rounds):
            change(i)
            theirs.append(self.rsync(self.base / "copy"))
            timings, said = self.ours()
            mine.append((timings["hash"] + timings["upload"]) / 1000)
            node.append(timings["workspace"] / 1000)
        show(f"{what}, rsync", theirs)
        show(f"{what}, ours", mine, said)
        show("  then on the node", node)
        return sorted(mine)[len(mine) // 2] / sorted(theirs)[len(theirs) // 2]


def main():
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if shutil.which("rsync") is None:
        print("skipped: rsync is not installed (scripts/install-deps bench)")
        return 0
    base = pathlib.Path(tempfile.mkdtemp(prefix="paddock-bench-"))
    try:
        with Instance("bench") as instance:
            for size in sorted({100, files}):
                here = base / str(size)
                here.mkdir()
                bench = Bench(instance, here, size, rounds)
                print(f"-- {size} files, {bench.bytes / 1e6:.1f} MB", flush=True)
                bench.first()
                ratio = bench.again("nothing changed", lambda i: None)
                bench.again("one file changed",
                            lambda i: (bench.project / "job.py").write_text(f"print('ran {i}')\n"))
            print(f"unchanged tree of {files} files: {ratio:.2f} times rsync's time")
    finally:
        shutil.rmtree(base)
    return 0


if __name__ == "__main__":
    sys.exit(main())
