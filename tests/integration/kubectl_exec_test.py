"""`kubectl exec` and `kubectl cp` with the newest kubectl that this machine has, into a run that runs."""
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import unittest

import kubectl_versions
from exec_runs import ExecTest, sleepers
from exec_terminal_test import Seat
from harness import PATIENCE_S, main, wait_until

FOUND = {version: program for version, program in kubectl_versions.programs().items() if version >= (1, 30)}
OLDER = {version: program for version, program in kubectl_versions.programs().items() if (1, 27) <= version < (1, 30)}


class KubectlExec(ExecTest):
    def setUp(self):
        super().setUp()
        self.program = FOUND[max(FOUND)] if FOUND else None
        self.config = self.instance.home / "kubeconfig"
        self.config.write_text(self.instance.run("kubeconfig").stdout)

    def command(self, *words, program=None):
        return [program or self.program, "--kubeconfig", str(self.config), "--cache-dir", str(self.instance.home / "cache"), *words]

    def kubectl(self, *words, given=None, program=None):
        if not (program or self.program):
            self.skipTest(kubectl_versions.HOW_TO_GET_A_CURRENT_ONE)
        done = kubectl_versions.run(self.command(*words, program=program), timeout=4 * PATIENCE_S, input=given)
        return done.returncode, done.stdout, done.stderr.decode()

    def token(self, *scopes):
        return self.instance.run("admin", "token", "create", "other", "--scope", ",".join(scopes)).stdout.strip()


class Commands(KubectlExec):
    def test_a_command_has_its_output_its_errors_and_its_exit_code(self):
        self.begin("plain")
        self.assertEqual(self.kubectl("exec", "plain", "--", "cat", "note"), (0, b"hi\n", ""))
        code, out, err = self.kubectl("exec", "plain", "-c", "main", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
        self.assertEqual((code, out), (3, b"out\n"))
        self.assertIn("err\n", err)
        self.assertIn("exit code 3", err)
        long = "x" * 3000
        self.assertEqual(self.kubectl("exec", "plain", "--", "echo", long, "ä b&c=d")[1].decode(), f"{long} ä b&c=d\n")
        code, _, err = self.kubectl("exec", "plain", "--", "no-such-program")
        self.assertEqual(code, 127, err)
        self.assertIn("no-such-program", err)
        run = self.end("plain")
        types = [event["type"] for event in self.events(run)]
        self.assertGreaterEqual(types.count("command.start"), 4, types)

    def test_each_kubectl_that_speaks_it(self):
        self.begin("each")
        for version, program in FOUND.items():
            with self.subTest(version):
                self.assertEqual(self.kubectl("exec", "-i", "each", "--", "cat", given=b"there and back", program=program),
                                 (0, b"there and back", ""))
        self.end("each")

    def test_input_goes_there_and_back_whole(self):
        self.begin("echoed")
        given = os.urandom(3 << 20)
        code, out, err = self.kubectl("exec", "-i", "echoed", "--", "cat", given=given)
        self.assertEqual((code, len(out), err), (0, len(given), ""))
        self.assertEqual(out, given)
        more = os.urandom(9 << 20)
        code, out, err = self.kubectl("exec", "-i", "echoed", "--", "sha256sum", given=more)
        self.assertEqual((code, out.split()[:1], err), (0, [hashlib.sha256(more).hexdigest().encode()], ""))
        code, out, err = self.kubectl("exec", "-i", "echoed", "--", "head", "-c", "3", given=more)
        self.assertEqual((code, out), (0, more[:3]), err)
        counts = "import sys\nfor i in range(3_000_000): print(i)\nprint('done', file=sys.stderr)"
        code, out, err = self.kubectl("exec", "echoed", "--", "python3", "-c", counts)
        self.assertEqual((code, err), (0, "done\n"))
        self.assertEqual(hashlib.sha256(out).digest(), hashlib.sha256(b"".join(b"%d\n" % i for i in range(3_000_000))).digest())
        self.end("echoed")

    def test_files_are_copied_in_and_out(self):
        self.begin("copied")
        folder = pathlib.Path(self.instance.home / "copies")
        folder.mkdir()
        (folder / "in").write_bytes(os.urandom(700_000))
        working = self.kubectl("exec", "copied", "--", "pwd")[1].decode().strip()
        code, _, err = self.kubectl("cp", str(folder / "in"), f"copied:{working}/in")
        self.assertEqual(code, 0, err)
        code, _, err = self.kubectl("cp", f"copied:{working}/in", str(folder / "out"))
        self.assertEqual(code, 0, err)
        self.assertEqual((folder / "out").read_bytes(), (folder / "in").read_bytes())
        self.kubectl("exec", "copied", "--", "sh", "-c", "mkdir z; head -c 33000000 /dev/urandom > z/1; head -c 8000000 /dev/zero > z/2")
        code, _, err = self.kubectl("cp", f"copied:{working}/z", str(folder / "z"))
        self.assertEqual(code, 0, err)
        sums = self.kubectl("exec", "copied", "--", "sha256sum", "z/1", "z/2")[1].split()[::2]
        self.assertEqual([hashlib.sha256((folder / "z" / name).read_bytes()).hexdigest().encode() for name in "12"], sums)
        self.end("copied")

    def test_what_is_refused_is_said_before_the_upgrade(self):
        self.begin("guarded")
        self.assertEqual(self.kubectl("auth", "can-i", "create", "pods", "--subresource=exec")[1].strip(), b"yes")
        reader = self.token("runs:read")
        self.assertEqual(self.kubectl("--token", reader, "auth", "can-i", "create", "pods", "--subresource=exec")[1].strip(), b"no")
        code, _, err = self.kubectl("--token", reader, "exec", "guarded", "--", "id")
        self.assertEqual(code, 1)
        self.assertIn("Forbidden", err)
        code, _, err = self.kubectl("exec", "nobody", "--", "id")
        self.assertIn("NotFound", err)
        code, _, err = self.kubectl("exec", "guarded", "-c", "other", "--", "id")
        self.assertNotEqual(code, 0)
        self.assertIn("container", err)
        for version, program in OLDER.items():
            with self.subTest(version):
                code, _, err = self.kubectl("exec", "guarded", "--", "id", program=program)
                self.assertEqual(code, 1)
                self.assertIn("1.30", err)
        self.assertIn("pods/exec", [r["name"] for r in json.loads(self.kubectl("get", "--raw", "/api/v1")[1])["resources"]])
        self.end("guarded")
        code, _, err = self.kubectl("exec", "guarded", "--", "id")
        self.assertEqual(code, 1)
        self.assertNotIn("uid=", err)

    def test_what_a_run_has_not_is_refused_with_the_way_that_works(self):
        self.begin("apart")
        every = {**OLDER, **FOUND}
        for version, program in [(version, every[version]) for version in {min(every), max(every)}]:
            for words, way in ((("attach", "apart"), "logs -f apart"), (("attach", "-it", "apart"), "paddock logs -f apart"),
                               (("port-forward", "apart", ":8080"), "previews")):
                with self.subTest(version=version, words=words):
                    code, _, err = self.kubectl(*words, program=program)
                    self.assertEqual(code, 1, err)
                    self.assertIn(f"`kubectl {words[0]}` is not served here", err)
                    self.assertIn(way, err)
        for subresource in ("attach", "portforward"):
            self.assertEqual(self.kubectl("auth", "can-i", "create", "pods", "--subresource=" + subresource)[1].strip(), b"no")
        self.end("apart")

    def test_a_kubectl_that_is_killed_takes_its_command_along(self):
        self.begin("killed")
        for options, seconds in (((), "48171"), (("-i",), "48172")):
            with subprocess.Popen(self.command("exec", *options, "killed", "--", "sleep", seconds), stdin=subprocess.PIPE) as process:
                wait_until("the sleep", lambda: sleepers(seconds))
                process.kill()
            wait_until("the sleep to be gone", lambda: not sleepers(seconds))
        self.end("killed")

    def test_the_commands_of_a_run_that_ends_end_with_it(self):
        self.begin("brief")
        with subprocess.Popen(self.command("exec", "brief", "--", "sleep", "48173"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            wait_until("the sleep", lambda: sleepers(48173))
            self.end("brief")
            _, err = process.communicate(timeout=PATIENCE_S)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn(b"RUN_ENDED", err)


@unittest.skipUnless(FOUND, kubectl_versions.HOW_TO_GET_A_CURRENT_ONE)
class Terminals(KubectlExec):
    def sit(self, *words):
        seat = Seat({**self.instance.env, "TERM": "xterm"}, *words, program=self.command("exec"))
        self.addCleanup(seat.close)
        return seat

    def test_a_shell_has_its_prompt_its_size_its_signals_and_its_exit_code(self):
        self.begin("shell")
        seat = self.sit("-it", "shell", "--", "bash", "--norc", "--noprofile")
        seat.expect(rb"\$ ")
        seat.type("tty; stty size; cat note\r")
        seat.expect(rb"/dev/pts/0\r\n30 100\r\nhi\r\n")
        seat.resize(11, 77)
        seat.process.send_signal(signal.SIGWINCH)
        wait_until("the new size", lambda: (seat.type("stty size\r"), seat.expect(rb"[\r\n](\d+) (\d+)\r\n").groups())[1] == (b"11", b"77"))
        seat.type("sleep 48174\r")
        wait_until("the sleep", lambda: sleepers(48174))
        seat.type(b"\x03")
        seat.expect(rb"\^C.*\$ ")
        wait_until("the sleep to be gone", lambda: not sleepers(48174))
        seat.type("exit 9\r")
        self.assertEqual(seat.wait(), 9)
        self.end("shell")


if __name__ == "__main__":
    main()
