"""bench/compare: ratios of two reports, and the refusal of reports that cannot be compared."""
import json
import pathlib
import subprocess
import tempfile
import unittest

COMPARE = pathlib.Path(__file__).parents[2] / "bench/compare"


def report(times, cpus=2, unit="ns"):
    """As Google Benchmark writes one: each repetition, and a mean that is none."""
    rows = [{"run_name": name, "run_type": "iteration", "real_time": time, "time_unit": unit} for name, all in times.items() for time in all]
    rows += [{"run_name": name, "run_type": "aggregate", "real_time": 1e9, "time_unit": unit} for name in times]
    return {"context": {"num_cpus": cpus, "commit": "c"}, "benchmarks": rows}


class Compare(unittest.TestCase):
    def compare(self, *reports):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for i, one in enumerate(reports):
                paths.append(f"{folder}/{i}.json")
                pathlib.Path(paths[-1]).write_text(json.dumps(one))
            return subprocess.run([COMPARE, *paths], capture_output=True, text=True, check=False)

    def test_medians_are_compared_with_their_spread(self):
        done = self.compare(report({"a": [100, 110, 90], "b": [10, 10]}), report({"a": [0.2, 0.21, 0.22], "b": [0.0105, 0.009]}, unit="us"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"a +2\.10  \(1\.82 to 2\.44\)  slower")
        self.assertRegex(done.stdout, r"b +0\.97  \(0\.90 to 1\.05\)\n")

    def test_what_only_one_has_is_named(self):
        done = self.compare(report({"a": [1], "gone": [1]}), report({"a": [1], "new": [1]}))
        self.assertIn("gone", done.stdout)
        self.assertRegex(done.stdout, r"new +in one of them only")

    def test_different_machines_are_refused(self):
        done = self.compare(report({"a": [1]}), report({"a": [1]}, cpus=16))
        self.assertEqual(done.returncode, 1)
        self.assertIn("another machine", done.stderr)


if __name__ == "__main__":
    unittest.main()
