"""What nobody asked for holds all the same: the limits of a run without a policy, and the memory of the
programs that carry a run's output."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from harness import BIN, Instance, main, make_project, wait_until

GIBIBYTE = 1 << 30
# Far more than our programs need, far less than what the run prints.
MOST_MEMORY = 384 << 20

# Each asks for more than the default: seconds of sleep, seconds of work, MiB, open files.
BEYOND = {
    "wall": ("--", "sleep", "60"),
    "cpu": ("--wall-time", "10m", "--", "python3", "-c", "while True: pass"),  # on a busy host it takes its time
    "memory": ("--wall-time", "10m", "--", "python3", "-c", "print(len(bytearray(600 << 20)))"),
    "files": ("--wall-time", "10m", "--", "python3", "-c", "held = [open('/dev/null') for _ in range(600)]"),
}


def start_without_policy(folder, command):
    env = {k: v for k, v in os.environ.items() if not k.startswith("PADDOCK_")}
    env.update(PADDOCK_HOME=str(folder / "state"))
    return subprocess.Popen([str(BIN / "paddock"), "sandbox", "run", "-o", "json", *command], cwd=folder,
                            env=env, stdout=subprocess.PIPE)


class Defaults(unittest.TestCase):
    # proves: VLT-37, VLT-38, VLT-39, VLT-41
    def test_a_run_without_a_policy_has_the_limits_of_the_document(self):
        folder = tempfile.TemporaryDirectory(prefix="paddock-defaults-")
        self.addCleanup(folder.cleanup)
        started = {name: start_without_policy(pathlib.Path(folder.name), c) for name, c in BEYOND.items()}
        results = {name: json.loads(process.communicate(timeout=500)[0]) for name, process in started.items()}
        asked = {name: entry["requested"] for name, entry in results["wall"]["enforced"].items()}
        self.assertEqual((asked["wallTime"], asked["cpuTime"], asked["memory"], asked["pids"], asked["openFiles"]),
                         ("30s", "20s", "512Mi", 32, 512))
        self.assertEqual((results["wall"]["status"], results["wall"]["rc"]), ("TIMEOUT", 124))
        self.assertGreaterEqual(results["wall"]["duration_ms"], 30_000)
        self.assertEqual((results["cpu"]["status"], results["cpu"]["code"]), ("CPU_LIMIT", "E_LIMIT_CPU"))
        self.assertGreaterEqual(results["cpu"]["usage"]["cpu_ms"], 15_000)  # RLIMIT_CPU counts in ticks, on a busy host too many
        by_cgroup = not results["memory"]["enforced"]["memory"]["mechanism"].startswith("RLIMIT")
        self.assertEqual(results["memory"]["status"], "MEM_LIMIT" if by_cgroup else "FAILED")
        self.assertEqual(results["files"]["status"], "FAILED")
        self.assertIn("Too many open files", results["files"]["stderr"])


def peak_of(pid):
    """Program and most memory of a process; None of one that is ending, as the run's launcher may be."""
    try:
        program = os.readlink(f"/proc/{pid}/exe")
        found = re.search(r"(?m)^VmHWM:\s+(\d+) kB$", pathlib.Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return None
    return (program, int(found.group(1)) << 10) if found else None


def ended(run):
    return run if run["status"]["phase"] in ("Succeeded", "Failed") else None


class Flood(unittest.TestCase):
    # proves: VLT-07
    def test_a_gibibyte_of_output_leaves_no_trace_in_anybodys_memory(self):
        code = (f"import os\nfor _ in range({GIBIBYTE >> 20}): os.write(1, b'x' * (1 << 20))\n"
                "os.write(2, b'all of it')\n")
        with Instance() as instance, tempfile.TemporaryDirectory(prefix="paddock-project-") as folder:
            make_project(folder, flood__py=code)
            done = instance.run("compute", folder, "python3 flood.py", "--detach")
            name = done.stdout.split()[0].removeprefix("run/")
            run = wait_until("a gibibyte to have passed", lambda: ended(instance.run_object(name)), patience_s=500)
            self.assertEqual(run["status"]["phase"], "Succeeded", run["status"])
            self.assertTrue(run["status"]["result"]["truncated"]["stdout"])
            self.assertEqual(run["status"]["result"]["usage"]["stdout_bytes"], GIBIBYTE)
            peaks = [peak for peak in map(peak_of, instance.processes()) if peak]
            self.assertLessEqual({str(BIN / "paddock-controller"), str(BIN / "paddock-node-agent")}, {program for program, _ in peaks})
            for program, peak in peaks:
                self.assertLess(peak, MOST_MEMORY, program)


if __name__ == "__main__":
    main()
