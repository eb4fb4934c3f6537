"""`paddock sandbox run` on a laptop: statuses, limits, refusals, with no instance."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from harness import BIN, PATIENCE_S, main


class SandboxRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="paddock-sbx-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        os.chmod(self.folder, 0o755)

    def sandbox(self, *args, input=None):
        env = {k: v for k, v in os.environ.items() if not k.startswith("PADDOCK_")}
        env.update(PADDOCK_HOME=str(self.folder / "state"), NO_COLOR="1", SECRET_OF_HOST="1")
        workspace = self.folder / "ws"
        workspace.mkdir(exist_ok=True)
        return subprocess.run([str(BIN / "paddock"), "sandbox", "run", *args], cwd=workspace, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, input=input, timeout=2 * PATIENCE_S)

    def result(self, *args):
        done = self.sandbox("-o", "json", *args)
        self.assertTrue(done.stdout.strip(), done.stderr)
        return json.loads(done.stdout)

    # proves: VLT-43, VLT-51, VLT-53, VLT-66, VLT-67, VLT-68, VLT-75
    def test_ok_and_ordinary_failure(self):
        self.assertEqual(self.sandbox("--", "python3", "-c", "print('hi')").stdout, "hi\n")
        good = self.result("--", "true")
        self.assertEqual((good["status"], good["rc"], good["version"]), ("OK", 0, 2))
        bad = self.result("--", "bash", "-c", "exit 9")
        self.assertEqual((bad["status"], bad["rc"]), ("FAILED", 9))
        for result in (good, bad):
            for name, entry in result["enforced"].items():
                self.assertLessEqual({"requested", "applied", "mechanism", "level"}, set(entry), name)

    # proves: VLT-44, VLT-97, WSM-16, WSM-18
    def test_wall_time(self):
        result = self.result("--wall-time", "1s", "--", "python3", "-c", "while True: pass")
        self.assertEqual((result["status"], result["rc"], result["errorClass"]), ("TIMEOUT", 124, "TIMEOUT"))

    # proves: VLT-45, VLT-94
    def test_cpu_time_even_when_the_signal_is_ignored(self):
        code = "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
        result = self.result("--cpu-time", "1s", "--wall-time", "10m", "--", "python3", "-c", code)
        self.assertEqual((result["status"], result["rc"], result["code"]), ("CPU_LIMIT", 152, "E_LIMIT_CPU"))

    # proves: VLT-46, VLT-95
    def test_memory(self):
        result = self.result("--memory", "64Mi", "--", "python3", "-c", "x = bytearray(512 << 20)\nprint(len(x))")
        if result["enforced"]["memory"]["mechanism"].startswith("RLIMIT"):
            self.assertEqual(result["status"], "FAILED")  # MemoryError inside: the host has no usable cgroup
        else:
            self.assertEqual((result["status"], result["rc"], result["code"]), ("MEM_LIMIT", 137, "E_LIMIT_MEMORY"))

    # proves: VLT-47, VLT-48
    def test_signals(self):
        killed = self.result("--", "bash", "-c", "kill -9 $$")
        self.assertEqual((killed["status"], killed["rc"]), ("KILLED_KILL", 137))
        terminated = self.result("--", "bash", "-c", "kill -TERM $$")
        self.assertEqual((terminated["status"], terminated["rc"]), ("KILLED_TERM", 143))

    # proves: VLT-81, VLT-98, WSM-33, WSM-38, WSM-87
    def test_exactly_the_cap_is_whole_and_one_more_is_cut(self):
        exact = self.result("--output-bytes", "1000", "--", "python3", "-c", "print('x' * 999)")
        self.assertEqual((len(exact["stdout"]), exact["truncated"]["stdout"]), (1000, False))
        more = self.result("--output-bytes", "1000", "--", "python3", "-c", "print('x' * 1000)")
        self.assertTrue(more["truncated"]["stdout"])
        self.assertEqual(more["stdout"], "x" * 500 + "\n[TRUNCATED at 1000 bytes]\n[1 bytes are left out here]\n" +
                         "x" * 499 + "\n")

    # proves: ORB-49, ORB-54, WSM-85
    def test_network_is_denied_and_named(self):
        code = "import socket\ntry: socket.create_connection(('192.0.2.1', 443), 3)\nexcept OSError as e: print('refused')"
        result = self.result("--", "python3", "-c", code)
        self.assertEqual(result["stdout"], "refused\n")
        self.assertTrue(any("192.0.2.1" in d["target"] and d["remedy"] for d in result["denials"]), result["denials"])

    def test_a_refused_debugger_profiler_or_browser_is_told_what_works_instead(self):
        ways = {"ptrace": "valgrind", "perf_event_open": "gprof", "unshare": "--no-sandbox"}
        measure = {"x86_64": 298, "aarch64": 241}[os.uname().machine]  # perf_event_open
        code = ("import ctypes\nc = ctypes.CDLL(None)\n"
                f"c.ptrace(0, 0, 0, 0)\nc.syscall({measure}, bytes(128), 0, -1, -1, 0)\nc.unshare(0x10000000)")
        denials = {each["target"]: each["remedy"] for each in self.result("--", "python3", "-c", code)["denials"]}
        self.assertEqual(denials.keys(), ways.keys())
        for call, way in ways.items():
            self.assertIn(way, denials[call])

    def test_a_sandbox_inside_learns_that_it_may_make_no_namespace(self):
        names = ["/proc/sys/kernel/overflowuid", "/proc/sys/kernel/overflowgid"]  # bubblewrap reads them first
        result = self.result("--", "sh", "-c", f"cat {' '.join(names)}; unshare --user true")
        self.assertEqual(result["stdout"], "".join(pathlib.Path(name).read_text() for name in names))
        self.assertEqual([each["target"] for each in result["denials"]], ["unshare"])

    # proves: ORB-50, ORB-52, ORB-53, ORB-64
    def test_host_secrets_are_not_there(self):
        code = ("import os\nfor p in ('/etc/shadow', '/root/.ssh', '/home', os.path.expanduser('~/.aws')):\n"
                "    try: print('BREACH', p, os.listdir(p) if os.path.isdir(p) else open(p).read())\n"
                "    except OSError: pass\nprint('SECRET_OF_HOST' in os.environ)\n"
                "for p in ('/etc/x', '/usr/x', '/x', '/dev/x'):\n"
                "    try: open(p, 'w'); print('BREACH wrote', p)\n    except OSError: pass\n")
        done = self.sandbox("--", "python3", "-c", code)
        self.assertEqual(done.stdout, "False\n", done.stderr)

    def test_files_written_belong_to_the_caller(self):
        self.sandbox("--", "bash", "-c", "echo hello > made.txt")
        made = self.folder / "ws/made.txt"
        self.assertEqual((made.read_text(), made.stat().st_uid), ("hello\n", os.getuid()))

    # proves: VLT-58
    def test_bad_policies_are_refused_with_the_field(self):
        for policy, field in (('{"limits": {"memroy": "1Gi"}}', "limits.memroy"), ('{"limits": {"pids": 0}}', "limits.pids"),
                              ('{"limits": {"wallTime": "-3s"}}', "limits.wallTime"), ('{"limits": {"memory": "lots"}}', "limits.memory")):
            done = self.sandbox("--policy", "-", "--", "true", input=policy)
            self.assertEqual(done.returncode, 2, policy)
            self.assertIn(field, done.stderr)

    def test_a_mount_over_the_system_is_refused_by_its_place(self):
        refused = self.sandbox("--mount", "/etc:/etc:ro", "--", "true")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("INVALID_MOUNT", refused.stderr)
        self.assertIn("hostMounts[0].sandboxPath: ", refused.stderr)

    # proves: VLT-99
    def test_two_runs_of_one_policy_end_alike(self):
        runs = [self.result("--", "bash", "-c", "echo out; echo err >&2; exit 5") for _ in range(2)]
        keys = ("status", "rc", "reason", "stdout", "stderr", "truncated", "cmd", "enforced", "denials")
        self.assertEqual([{k: r[k] for k in keys} for r in runs][0], [{k: r[k] for k in keys} for r in runs][1])

    def test_the_effective_policy_is_readable_inside(self):
        done = self.sandbox("--memory", "128Mi", "--", "python3", "-c",
                            "import json; print(json.load(open('/run/paddock/policy.json'))['limits']['memory'])")
        self.assertEqual(done.stdout, "128Mi\n", done.stderr)

    def test_a_missing_command_is_127(self):
        self.assertEqual(self.sandbox("--", "no-such-program").returncode, 127)


if __name__ == "__main__":
    main()
