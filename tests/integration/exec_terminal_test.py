"""`paddock exec -it`: somebody sits at a terminal here, and the command at one in the run's sandbox."""
import base64
import contextlib
import fcntl
import hashlib
import json
import os
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import termios
import time

from deaf_controller import DeafController
from exec_runs import ExecTest, sleepers
from harness import BIN, PATIENCE_S, main, wait_until


# What a shell with job control does for a job: it has a group of its own and the terminal, and others can stop it and go on.
JOB = """
import os, signal, subprocess, sys
def own_group():
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
job = subprocess.Popen(sys.argv[1:], preexec_fn=own_group)
print("JOB", job.pid, flush=True)
sys.exit(job.wait())
"""


def taken_in_time(send):
    """The status of a piece of input, and its code or the number of the next piece; sent again while the node has no hand free for it."""
    def told():
        status, answer = send()
        code = answer.get("error", {}).get("code")
        return None if code in ("NODES_BUSY", "NO_NODE") else (status, code or answer["next"])
    return wait_until("the node to take input", told)


def state(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


class Seat:
    """The real CLI on a terminal of ours, or another program."""

    def __init__(self, env, *words, rows=30, columns=100, job=False, program=(str(BIN / "paddock"), "exec")):
        self.out, self.code = b"", None
        self.ours, theirs = pty.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(theirs)
        self.theirs = theirs
        before = [sys.executable, "-c", JOB] if job else []
        self.process = subprocess.Popen([*before, *program, *words], env=env, stdin=theirs, stdout=theirs, stderr=theirs,
                                        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def resize(self, rows, columns):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.ours, keys if isinstance(keys, bytes) else keys.encode())

    def read(self, patience=PATIENCE_S):
        if not select.select([self.ours], [], [], patience)[0]:
            return b""
        with contextlib.suppress(OSError):
            return os.read(self.ours, 65536)
        return b""

    def expect(self, pattern):
        """Reads until this is there, and forgets it and all before it."""
        deadline = time.monotonic() + PATIENCE_S
        while not (found := re.search(pattern, self.out, re.S)):
            if time.monotonic() > deadline or (self.process.poll() is not None and not select.select([self.ours], [], [], 0)[0]):
                raise AssertionError(f"waited in vain for {pattern!r} in {self.out!r}")
            self.out += self.read(0.2)
        self.out = self.out[found.end():]
        return found

    def raw(self):
        return not termios.tcgetattr(self.theirs)[3] & termios.ICANON

    def wait(self):
        self.code = self.process.wait(PATIENCE_S)
        return self.code

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)


class ExecTerminal(ExecTest):
    def sit(self, *words, env=None, **kwargs):
        seat = Seat({**self.instance.env, "TERM": "xterm", **(env or {})}, *words, **kwargs)
        self.addCleanup(seat.close)
        return seat

    def bash(self, name, *options):
        seat = self.sit("-it", name, *options, "--", "bash", "--norc", "--noprofile")
        seat.expect(rb"\$ ")
        return seat

    def test_a_shell_has_its_prompt_its_size_its_signals_and_its_exit_code(self):
        self.begin("shell")
        for options in (["-it"], ["-ti"], ["-i", "-t"], ["--stdin", "--tty"]):
            with self.subTest(options):
                seat = self.sit(*options, "shell", "--", "bash", "--norc", "--noprofile")
                seat.expect(rb"\$ ")
                seat.type("tty; stty size; cat note\r")
                seat.expect(rb"/dev/pts/[0-9]\r\n30 100\r\nhi\r\n")
                seat.resize(11, 77)
                wait_until("the new size", lambda: (seat.type("stty size\r"), seat.expect(rb"[\r\n](\d+) (\d+)\r\n").groups())[1] == (b"11", b"77"))
                seat.type("sleep 48161\r")
                wait_until("the sleep", lambda: sleepers(48161))
                self.assertTrue(seat.raw())
                seat.type(b"\x03")
                seat.expect(rb"\^C.*\$ ")
                wait_until("the sleep to be gone", lambda: not sleepers(48161))
                seat.type("sleep 48162 & jobs\r")
                seat.expect(rb"\[1\]\+? *Running")
                seat.type("kill %1; exit 9\r")
                self.assertEqual(seat.wait(), 9)
                self.assertEqual(termios.tcgetattr(seat.theirs), seat.before)
        run = self.end("shell")
        starts = [e for e in self.events(run) if e["type"] == "command.start"]
        self.assertEqual(sum(e["details"].get("terminal") == "true" for e in starts), 4, starts)
        self.assertNotIn("48161", json.dumps(self.events(run)))

    def test_keys_reach_a_program_as_they_are(self):
        self.begin("keys")
        script = ("import os, sys, tty\ntty.setraw(0)\nprint('UP', end='\\r\\n', flush=True)\nseen = b''\n"
                  "while not seen.endswith(b'q'): seen += os.read(0, 100)\nprint(seen.hex(), end='\\r\\n')")
        seat = self.sit("-it", "keys", "--", "python3", "-c", script)
        seat.expect(b"UP")
        keys = b"\x03\x04\x1a\x1c\x11\x13\x00\x7f\xff\xc3\xa9\x1b[A\x1bOP\r\nq"
        seat.type(keys)
        seat.expect(keys.hex().encode())
        self.assertEqual(seat.wait(), 0)
        self.end("keys")

    def test_the_terminal_is_as_it_was_however_we_end_and_the_command_is_gone(self):
        self.begin("ended")
        for number, expected in ((signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGABRT, -6),
                                 (signal.SIGUSR1, -10), (signal.SIGUSR2, -12), (signal.SIGALRM, -14), (signal.SIGXCPU, -24),
                                 (signal.SIGIO, -29), (signal.SIGPWR, -30), (signal.SIGRTMIN, -34), (signal.SIGKILL, -9)):
            with self.subTest(number.name):
                seat = self.bash("ended")
                seat.type("sleep 48163\r")
                wait_until("the sleep", lambda: sleepers(48163))
                seat.process.send_signal(number)
                self.assertEqual(seat.wait(), expected)
                if number != signal.SIGKILL:
                    self.assertEqual(termios.tcgetattr(seat.theirs), seat.before)
                wait_until("the command to be gone", lambda: not sleepers(48163))
        seat = self.bash("ended")
        seat.type("trap '' HUP TERM; sleep 48164\r")
        wait_until("the sleep", lambda: sleepers(48164))
        os.close(seat.ours)  # the window is closed
        wait_until("the command to be gone", lambda: not sleepers(48164))
        seat.ours = os.dup(seat.theirs)
        run = self.end("ended")
        self.assertIn("command.cancelled", [e["type"] for e in self.events(run)])

    def test_while_it_is_stopped_the_terminal_is_as_it_was(self):
        self.begin("held")
        seat = self.sit("-it", "held", "--", "bash", "--norc", "--noprofile", job=True)
        job = int(seat.expect(rb"JOB (\d+)").group(1))
        seat.expect(rb"\$ ")
        wait_until("our terminal to be raw", seat.raw)
        for _ in range(2):
            os.kill(job, signal.SIGTSTP)
            wait_until("it to be stopped", lambda: state(job) == "T")
            self.assertEqual(termios.tcgetattr(seat.theirs), seat.before)
            seat.resize(12, 78)
            os.kill(job, signal.SIGCONT)
            wait_until("our terminal to be raw again", seat.raw)
        os.kill(job, signal.SIGSTOP)  # of which it hears nothing; a shell sets the terminal then
        wait_until("it to be stopped", lambda: state(job) == "T")
        termios.tcsetattr(seat.theirs, termios.TCSANOW, seat.before)
        os.kill(job, signal.SIGCONT)
        wait_until("our terminal to be raw again", seat.raw)
        seat.type("stty size; exit 5\r")
        seat.expect(rb"12 78\r\n")
        self.assertEqual(seat.wait(), 5)
        self.assertEqual(termios.tcgetattr(seat.theirs), seat.before)
        self.end("held")

    def test_where_its_input_is_refused_it_ends_at_once(self):
        server = DeafController()
        self.addCleanup(server.close)
        seat = self.sit("-it", "any", "--", "bash", env=server.env)
        wait_until("our terminal to be raw", seat.raw)
        seat.type("a")
        seat.expect(b"TOKEN_EXPIRED")
        self.assertNotEqual(seat.wait(), 0)
        self.assertEqual(termios.tcgetattr(seat.theirs), seat.before)
        self.assertTrue(server.left.wait(PATIENCE_S))

    def test_it_ends_with_its_time_and_with_the_run(self):
        self.begin("over")
        seat = self.sit("-it", "over", "--timeout", "3s", "--", "bash", "--norc", "--noprofile")  # there may be no time for a prompt
        self.assertEqual(seat.wait(), 124)
        self.assertEqual(termios.tcgetattr(seat.theirs), seat.before)
        seat = self.bash("over")
        self.end("over")
        self.assertEqual(seat.wait(), 143)
        seat.expect(b"RUN_ENDED")
        self.assertEqual(termios.tcgetattr(seat.theirs), seat.before)

    def test_without_i_it_has_a_terminal_and_nobody_types(self):
        self.begin("show")
        seat = self.sit("-t", "show", "--", "sh", "-c", "test -t 1 && stty size; exit 4")
        seat.expect(rb"30 100\r+\n")
        self.assertEqual(seat.wait(), 4)
        refused = self.sit("-it", "none", "--", "bash")
        refused.expect(b"RUN_NOT_FOUND")
        self.assertEqual(termios.tcgetattr(refused.theirs), refused.before)
        self.end("show")

    def test_what_is_pasted_arrives_whole(self):
        self.begin("paste")
        seat = self.sit("-it", "paste", "--", "sh", "-c", "stty raw -echo; echo UP; head -c 300000 | sha256sum")
        seat.expect(b"UP")
        given = bytes(32 + i % 90 for i in range(300_000))
        for at in range(0, len(given), 1000):
            seat.type(given[at:at + 1000])
        seat.expect(hashlib.sha256(given).hexdigest().encode())
        self.assertEqual(seat.wait(), 0)
        self.end("paste")

    def test_a_key_is_echoed_at_once(self):
        self.begin("quick")
        seat = self.sit("-it", "quick", "--", "sh", "-c", "echo UP; exec cat")
        seat.expect(b"UP\r\n")
        wait_until("our terminal to be raw", seat.raw)
        times = []
        for i in range(100):
            key = bytes([97 + i % 26])
            begun = time.monotonic()
            seat.type(key)
            seat.expect(key)
            times.append((time.monotonic() - begun) * 1000)
        print(f"echo of a key: p50 {statistics.median(times):.1f} ms, p90 {sorted(times)[89]:.1f} ms")
        seat.type(b"\r\x04")
        self.assertEqual(seat.wait(), 0)
        self.end("quick")

    def test_input_that_comes_while_it_runs(self):
        self.begin("tail")
        process = self.feeding("tail", "sh", "-c", "while read line; do echo got $line; done; exit 6", options=("-i", "--timeout", "5m"))
        for word in (b"one", b"two"):
            process.stdin.write(word + b"\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), b"got " + word + b"\n")
            time.sleep(0.4)  # longer than a writer that is soon at its end is waited for
        process.stdin.close()
        self.assertEqual(process.wait(PATIENCE_S), 6)
        process.stdout.close()
        process.stderr.close()
        self.end("tail")

    def test_a_writer_that_goes_on_and_on_is_not_waited_for(self):
        self.begin("steady")
        with subprocess.Popen(["sh", "-c", "while echo more; do sleep 0.1; done"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as source:
            process = self.feeding("steady", "sh", "-c", "head -n 30 | wc -l; exit 4", stdin=source.stdout)
            source.stdout.close()
            out, err = process.communicate(timeout=PATIENCE_S)
        self.assertEqual((process.returncode, out, err), (4, b"30\n", b""))
        self.end("steady")

    def test_for_a_whole_answer_input_is_read_to_its_end(self):
        self.begin("late")
        with subprocess.Popen(["sh", "-c", "echo a; sleep 2; echo b"], stdout=subprocess.PIPE) as source:
            process = self.feeding("late", "cat", options=("-i", "-o", "json"), stdin=source.stdout)
            out, err = process.communicate(timeout=PATIENCE_S)
        self.assertEqual((process.returncode, json.loads(out or "{}").get("stdout")), (0, "a\nb\n"), err)
        self.end("late")

    def test_while_input_comes_it_has_an_hour_unless_less_is_asked_for(self):
        server = DeafController()
        self.addCleanup(server.close)
        for options, wanted in ((("-i",), 3_600_000), (("-i", "--timeout", "5m"), 300_000)):
            begun = len(server.begun)
            process = subprocess.Popen([str(BIN / "paddock"), "exec", *options, "any", "--", "cat"], env={**self.instance.env, **server.env},
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            wait_until("the command", lambda: len(server.begun) > begun)
            self.assertEqual(server.begun[-1].get("timeoutMs"), wanted)
            _, err = process.communicate(b"a", timeout=PATIENCE_S)
            self.assertIn(b"TOKEN_EXPIRED", err)

    def test_pieces_are_taken_once_in_order_and_from_whoever_began_it(self):
        self.begin("api")
        path = "/namespaces/default/runs/api/commands"
        body = {"command": ["sh", "-c", "cat; exit 3"], "commandId": "one", "stdinComes": True, "timeoutMs": 600_000}
        connection = self.connect()
        connection.request("POST", "/apis/paddock.dev/v1alpha1" + path, json.dumps(body),
                           {"Authorization": f"Bearer {self.admin()}", "Content-Type": "application/json"})

        def put(seq, token=None, command="one", run="api", **fields):
            target = f"/namespaces/default/runs/{run}/commands/{command}/stdin"
            return taken_in_time(lambda: self.call("POST", target, {"seq": seq, **fields}, token))

        def data(text):
            return base64.b64encode(text).decode()
        wait_until("the command", lambda: put(1, data=data(b"a")) == (200, 2))
        _, made = self.call("POST", "/admin/tokens", {"subject": "other", "scopes": ["runs:read", "runs:write"], "namespace": "default"})
        _, away = self.call("POST", "/admin/tokens", {"subject": "away", "scopes": ["runs:read", "runs:write"], "namespace": "team"})
        for given, wanted in (((1, None, "one"), (200, 2)), ((3, None, "one"), (409, "INPUT_OUT_OF_ORDER")),
                              ((2, made["token"], "one"), (403, "COMMAND_NOT_YOURS")), ((2, away["token"], "one"), (403, "NAMESPACE_DENIED")),
                              ((2, None, "two"), (404, "COMMAND_NOT_FOUND"))):
            with self.subTest(given):
                self.assertEqual(put(*given, data=data(b"b")), wanted)
        self.assertEqual(put(2, terminal={"rows": 1, "columns": 1})[1], "COMMAND_TAKES_NO_INPUT")
        for odd in ({"rows": 0, "columns": 80}, {"rows": 24, "columns": -1}, {"rows": 1 << 40, "columns": 1}, {"rows": "a"}):
            self.assertEqual(put(2, terminal=odd)[0], 400, odd)
        self.assertEqual(put(2, data=data(b"x" * 32769))[0], 400)
        self.assertEqual(put(2, data=data(b"x" * 100_000))[0], 413)
        self.assertEqual(put(2, data=data(b"b"), end=True), (200, 3))
        result = json.loads(connection.getresponse().read())
        self.assertEqual((result["stdout"], result["exitCode"]), ("ab", 3))
        connection.close()
        self.assertEqual(put(3, data=data(b"c")), (404, "COMMAND_NOT_FOUND"))
        self.end("api")

    def test_a_command_that_reads_nothing_is_sent_no_more_than_may_wait(self):
        self.begin("flood")
        path = "/namespaces/default/runs/flood/commands"
        body = {"command": ["sleep", "48165"], "commandId": "one", "stdinComes": True, "timeoutMs": 3_600_000}
        connection = self.connect()
        connection.request("POST", "/apis/paddock.dev/v1alpha1" + path, json.dumps(body),
                           {"Authorization": f"Bearer {self.admin()}", "Content-Type": "application/json"})
        wait_until("the command", lambda: sleepers(48165))
        piece, taken, code = base64.b64encode(b"x" * 32768).decode(), 0, 200
        while code == 200:
            code, why = taken_in_time(lambda: self.call("POST", path + "/one/stdin", {"seq": taken + 1, "data": piece}))
            taken += code == 200
            self.assertLess(taken, 20)
        self.assertEqual((code, why), (429, "INPUT_WAITS"))
        self.assertEqual(self.call("POST", path + "/one/cancel")[0], 202)
        self.assertEqual(json.loads(connection.getresponse().read())["errorClass"], "CANCELLED")
        connection.close()
        wait_until("its processes to be gone", lambda: not sleepers(48165))
        self.end("flood")

    def test_a_shell_that_was_stopped_ends_when_its_caller_goes(self):
        self.begin("stopped")
        seat = self.sit("-it", "stopped", "--", "sh", "-c", "echo UP; sleep 48166 & kill -STOP $$; wait")
        seat.expect(b"UP")
        wait_until("the sleep", lambda: sleepers(48166))
        seat.process.kill()
        seat.wait()
        wait_until("its processes to be gone", lambda: not sleepers(48166))
        self.end("stopped")

    def test_a_reader_who_pauses_loses_nothing(self):
        """Longer than a node's request with output is held for him: it is refused, and sent again."""
        self.begin("pause")
        seat = self.sit("-t", "pause", "--", "sh", "-c", "stty -opost; seq 1 2000000")
        seen, paused = bytearray(), False
        while not seen[-20:].rstrip().endswith(b"\n2000000") and (data := seat.read()):
            seen += data
            if not paused and len(seen) > 1 << 20:
                paused = True
                time.sleep(5)
        self.assertEqual(seat.wait(), 0)
        expected = b"".join(b"%d\n" % i for i in range(1, 2_000_001))
        self.assertEqual(hashlib.sha256(bytes(seen).replace(b"\r", b"")).hexdigest(), hashlib.sha256(expected).hexdigest(), seen[-200:])
        self.end("pause")

    def test_output_without_end_stays_under_control(self):
        self.begin("yes")
        seat = self.bash("yes")
        seat.type("yes\r")
        seen = 0
        while seen < 4 << 20:
            seen += len(seat.read())
        seat.type(b"\x03")
        seat.out = b""
        seat.expect(rb"\^C.*\$ ")
        seat.type("echo still $((6 * 7)); exit\r")
        seat.expect(rb"still 42\r\n")
        self.assertEqual(seat.wait(), 0)
        self.end("yes")


if __name__ == "__main__":
    main()
