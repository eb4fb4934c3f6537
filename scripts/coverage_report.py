#!/usr/bin/env python3
"""Sums gcov's JSON over a build folder: covered lines of first-party code, by module."""
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

source = pathlib.Path(__file__).resolve().parent.parent
build = pathlib.Path(sys.argv[1]).resolve()
lines = collections.defaultdict(dict)  # file -> line -> hit

with tempfile.TemporaryDirectory() as scratch:
    notes = [str(p) for p in build.rglob("*.gcda")]
    for start in range(0, len(notes), 50):
        subprocess.run(["gcov", "--json-format", *notes[start:start + 50]], cwd=scratch, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for report in pathlib.Path(scratch).glob("*.gcov.json.gz"):
            for entry in json.loads(gzip.decompress(report.read_bytes()))["files"]:
                path = (build / entry["file"]).resolve()
                if not path.is_relative_to(source) or path.name.endswith("_test.cc"):
                    continue
                name = str(path.relative_to(source))
                if name.startswith(("tests/", "build/", "bench/")):
                    continue
                for line in entry["lines"]:
                    hit = lines[name].get(line["line_number"], False)
                    lines[name][line["line_number"]] = hit or line["count"] > 0
            report.unlink()

modules = collections.defaultdict(lambda: [0, 0])
for name, hits in lines.items():
    module = "/".join(name.split("/")[:2])
    modules[module][0] += sum(hits.values())
    modules[module][1] += len(hits)
total = [sum(m[i] for m in modules.values()) for i in (0, 1)]
for module, (hit, all_lines) in sorted(modules.items()):
    print(f"{module:28} {hit:6}/{all_lines:<6} {100 * hit / all_lines:5.1f} %")
print(f"{'all':28} {total[0]:6}/{total[1]:<6} {100 * total[0] / max(total[1], 1):5.1f} %")
