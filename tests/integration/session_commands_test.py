"""Commands of sandbox sessions: their limits, their end by others, their output as it comes."""
import base64
import concurrent.futures
import json
import time

from harness import PATIENCE_S, ended, main, pids_running, wait_until
from session_client import SessionTest


class Limits(SessionTest):
    # proves: WSM-29, WSM-30, WSM-37, WSM-103
    def test_memory_and_time_give_the_same_code_every_time(self):
        name = self.session({"limits": {"memoryBytes": 64 << 20, "timeoutMs": 60_000}})
        for _ in range(3):
            result = self.result(name, "python3 -c 'x = bytearray(200 << 20)'")
            self.assertEqual((result["errorClass"], result["code"]), ("LIMIT_EXCEEDED", "E_LIMIT_MEMORY"), result)
        self.assertEqual(self.output(name, "python3 -c 'x = bytearray(16 << 20); print(len(x))'"), f"{16 << 20}\n")
        brief = self.session({"limits": {"timeoutMs": 300}})
        for _ in range(3):
            result = self.result(brief, "sleep 600")
            self.assertEqual((result["errorClass"], result["exitCode"], result.get("code")), ("TIMEOUT", 124, None), result)
            self.assertEqual(result["reason"], "wall time limit reached; the session's limits.timeoutMs is 300; a new session may have more")

    # proves: WSM-31, WSM-32, WSM-104
    def test_files_of_the_whole_session_are_bounded(self):
        name = self.session({"limits": {"fsBytes": 4 << 20, "fileCount": 50, "timeoutMs": 60_000}})
        self.assert_refused(self.api.file("PUT", name, "y/" * 60 + "z", b""), 413, "E_LIMIT_FILES")
        self.assertEqual(self.output(name, "ls"), "")
        self.output(name, "head -c 3000000 /dev/urandom > a")
        result = self.result(name, "head -c 3000000 /dev/urandom > b")
        self.assertEqual((result["errorClass"], result["code"]), ("LIMIT_EXCEEDED", "E_LIMIT_FS"), result)
        self.output(name, "rm -f a b")
        result = self.result(name, "for i in $(seq 80); do : > f$i; done")
        self.assertEqual((result["errorClass"], result["code"]), ("LIMIT_EXCEEDED", "E_LIMIT_FILES"), result)
        self.output(name, "rm -f f*")
        self.assert_refused(self.api.file("PUT", name, "big", b"x" * (5 << 20)), 413, "E_LIMIT_FS")
        self.output(name, "for i in $(seq 50); do : > f$i; done")
        self.assert_refused(self.api.file("PUT", name, "one-more", b""), 413, "E_LIMIT_FILES")

    # proves: WSM-31, WSM-104
    def test_a_session_that_is_over_its_limit_can_be_cleaned_and_not_filled_further(self):
        name = self.session({"limits": {"fsBytes": 4 << 20, "timeoutMs": 60_000}})
        over = ("LIMIT_EXCEEDED", "E_LIMIT_FS")
        fill = "for each in a b; do head -c 3000000 /dev/zero > $each; done"
        result = self.result(name, fill)
        self.assertEqual((result["errorClass"], result["code"]), over, result)
        # Longer than it takes to look at the files.
        self.output(name, "cat a > /dev/null; sleep 0.5; rm a b; sleep 0.5")
        result = self.result(name, fill)
        self.assertEqual((result["errorClass"], result["code"]), over, result)
        # Each that adds to them is ended, and what it has added until then stays: not without end.
        for more in range(1, 100):
            status, result = self.api.run(name, f"head -c 1000000 /dev/zero > more-{more}")
            if status != 200:
                break
            self.assertEqual((result["errorClass"], result["code"]), over, result)
        self.assertLess(more, 6)
        self.assert_refused((status, result), 413, "E_LIMIT_FS")
        self.assertEqual(self.api.file("GET", name, "a")[0], 200)
        self.assert_refused(self.api.file("PUT", name, "b", b"x"), 413, "E_LIMIT_FS")
        self.assertEqual(self.api.file("DELETE", name, "a")[0], 200)
        self.assertEqual(self.output(name, "rm b more-*; echo on"), "on\n")
        self.output(name, "head -c 3000000 /dev/zero > a")

    # proves: WSM-35, WSM-63, WSM-73, WSM-95, WSM-107
    def test_a_command_that_is_too_long_never_runs(self):
        name = self.session()
        text = ": " + "x" * ((64 << 10) - 2)
        self.assertEqual(self.result(name, text)["exitCode"], 0)
        result = self.result(name, text + "x")
        self.assertEqual((result["exitCode"], result["stderr"], result["errorClass"], result["code"],
                          result["executionTimeMs"]),
                         (1, "command too large\n", "LIMIT_EXCEEDED", "E_LIMIT_COMMAND", 0))
        kinds = list(self.api.stream(name, text + "x"))
        self.assertEqual([kind for kind, _ in kinds], ["stderr", "result"])
        self.assertEqual(kinds[-1][1]["code"], "E_LIMIT_COMMAND")
        typed = self.instance.run("sandbox", "exec", name, text + "x", check=False)
        self.assertEqual(typed.returncode, 1, typed.stderr)
        self.assertIn("command too large", typed.stderr)
        bytes_count = ": " + "é" * (32 << 10)  # as many characters as are allowed, and twice the bytes
        self.assertEqual(self.result(name, bytes_count)["code"], "E_LIMIT_COMMAND")

    # proves: WSM-14
    def test_another_session_is_served_while_a_fork_bomb_goes_off(self):
        # As much memory as 64 of them can use on any machine: the bomb must go on until it is canceled.
        name = self.session({"limits": {"memoryBytes": 1 << 30}})
        other = self.session()
        self.assertEqual(self.output(other, "echo on"), "on\n")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            # Not a shell's: one that can fork no more ends, and its bomb with it.
            bomb = "open('up', 'w')\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"
            running = pool.submit(self.result, name, f'python3 -c "import os\n{bomb}"', commandId="c1")
            wait_until("the bomb to go off", lambda: self.api.file("GET", name, "up")[0] == 200)
            for _ in range(5):
                self.assertEqual(self.result(other, "true")["exitCode"], 0)
            self.assertFalse(running.done(), "it went on meanwhile")
            self.assertEqual(self.api.cancel(name, "c1")[0], 202)
            result = running.result(timeout=PATIENCE_S)
            self.assertEqual(result["errorClass"], "CANCELLED", result)

    # proves: WSM-11, WSM-19
    def test_a_fork_bomb_ends_with_its_command(self):
        name = self.session({"limits": {"timeoutMs": 4000}})
        # By exec: the shell itself may find no room for one more process.
        result = self.result(name, "bomb() { bomb | bomb & }; bomb; exec sleep 60")
        self.assertIn(result.get("errorClass"), ("TIMEOUT", "LIMIT_EXCEEDED"), result)
        wait_until("the session to go on", lambda: self.result(name, "echo on")["stdout"] == "on\n")

    # proves: WSM-83
    def test_strange_texts_do_no_harm(self):
        name = self.session()
        for text in ("(" * 3000, "$(" * 60 + "echo deep" + ")" * 60, "'", '"', "\\", "`", "\x01\x02\x7f", "-x", "--",
                     "# nothing", " ", "\n\n", "é🦆\u202e", "exec 3>&1 4>&2; echo ok >&3", "kill -9 $$", "kill -9 -1",
                     "trap '' TERM HUP INT; echo t", "ulimit -n 3; cat /dev/null", "cd /; pwd", "export A=b; echo $A"):
            status, answer = self.api.run(name, text)
            self.assertEqual(status, 200, (text[:40], answer))
        self.assert_refused(self.api.run(name, "a\0b"), 400, "INVALID_FIELD", "command")
        self.assertEqual(self.output(name, "echo on"), "on\n")


class Cancel(SessionTest):
    def cancel_while(self, command, ready="up"):
        name = self.session()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            running = pool.submit(self.result, name, command, commandId="c1")
            wait_until("the command to run", lambda: self.api.file("GET", name, ready)[0] == 200)
            self.assertEqual(self.api.cancel(name, "c1")[0], 202)
            result = running.result(timeout=PATIENCE_S)
        self.assertEqual((result["exitCode"], result["errorClass"]), (143, "CANCELLED"), result)
        self.assertEqual(self.output(name, "echo on"), "on\n")
        return name

    # proves: WSM-17, WSM-18, WSM-20, WSM-76, WSM-77, WSM-92
    def test_a_canceled_command_ends_whatever_it_does(self):
        self.cancel_while(": > up; while :; do :; done")
        self.cancel_while(": > up; sleep 500")
        self.cancel_while("trap '' TERM; : > up; sleep 500; sleep 500")

    # proves: WSM-19, WSM-75
    def test_nothing_of_a_canceled_command_is_left(self):
        mark = f"left-{time.time_ns()}"
        code = ("import os, sys, time\n"
                "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        open('up', 'w')\n        time.sleep(300)\n"
                "time.sleep(300)")
        self.cancel_while(f"python3 -c \"{code}\" {mark}")
        wait_until("its processes to be gone", lambda: not [pid for pid in pids_running(mark) if not ended(pid)])

    SAVES = "trap 'echo saved > kept; exit 3' TERM; : > up; while :; do sleep 0.05; done"

    # proves partly: WSM-18
    def test_what_a_command_saves_in_its_grace_stays(self):
        name = self.session(terminationGrace="60s")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            running = pool.submit(self.result, name, self.SAVES, commandId="c1")
            wait_until("the command to run", lambda: self.api.file("GET", name, "up")[0] == 200)
            self.assertEqual(self.api.cancel(name, "c1")[0], 202)
            self.assertEqual(running.result(timeout=PATIENCE_S)["errorClass"], "CANCELLED")
        self.assertEqual(self.api.file("GET", name, "kept"), (200, b"saved\n"))

    # proves partly: WSM-18
    def test_what_a_command_saves_in_its_grace_behind_its_time_stays(self):
        for milliseconds in (1500, 60_000):  # longer where the machine needs it for the command to set its trap
            name = self.session({"limits": {"timeoutMs": milliseconds}}, terminationGrace="60s")
            self.assertEqual(self.result(name, self.SAVES)["errorClass"], "TIMEOUT")
            if self.api.file("GET", name, "up")[0] == 200:
                break
        self.assertEqual(self.api.file("GET", name, "kept"), (200, b"saved\n"))

    def test_a_grace_ends_and_a_session_that_ends_leaves_none(self):
        self.assert_refused(self.api.create(terminationGrace="6m"), 400, "GRACE_OVER_CEILING", "spec.terminationGrace")
        self.assert_refused(self.api.create(terminationGrace="25h"), 400, "INVALID_FIELD", "terminationGrace")
        name = self.session({"limits": {"timeoutMs": 500}}, terminationGrace="1s")
        self.assertEqual(self.result(name, "trap '' TERM; while :; do sleep 0.05; done")["errorClass"], "TIMEOUT")
        name = self.session(terminationGrace="5m")
        mark = f"grace-{time.time_ns()}"
        with concurrent.futures.ThreadPoolExecutor() as pool:
            pool.submit(self.api.run, name, f"trap '' TERM; python3 -c 'import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(500)' {mark}")
            wait_until("the command to run", lambda: pids_running(mark))
            self.api.ask("DELETE", self.api.sandboxes(name))
            wait_until("it to be killed, long before its grace is over", lambda: not [pid for pid in pids_running(mark) if not ended(pid)])

    # proves: WSM-18
    def test_a_command_that_is_not_there_cannot_be_canceled(self):
        name = self.session()
        self.assert_refused(self.api.cancel(name, "nobody"), 404, "COMMAND_NOT_FOUND")
        self.result(name, "true", commandId="c1")
        self.assert_refused(self.api.cancel(name, "c1"), 404, "COMMAND_NOT_FOUND")
        self.assertEqual(self.result(name, "echo again", commandId="c1")["stdout"], "again\n")

    # proves: WSM-17
    def test_a_caller_that_hangs_up_ends_its_command(self):
        name = self.session()
        mark = f"hang-{time.time_ns()}"
        connection = self.api.connect()
        connection.request("POST", self.api.sandboxes(name, "/commands"),
                           json.dumps({"command": f"python3 -c 'import time; time.sleep(500)' {mark}"}),
                           {"Authorization": f"Bearer {self.api.token}"})
        wait_until("the command to run", lambda: pids_running(mark))
        connection.close()
        wait_until("it to be ended before its time", lambda: not [pid for pid in pids_running(mark) if not ended(pid)])

    def test_a_command_ends_with_its_callers_token(self):
        name = self.session({"limits": {"timeoutMs": 600_000}})
        tokens = [self.api.ask("POST", "/admin/tokens", {"subject": "gone", "scopes": ["runs:write"], "namespace": "default"})[1]
                  for _ in range(2)]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            running = [pool.submit(self.api.ask, "POST", self.api.sandboxes(name, "/commands"),
                                   {"command": f": > up{i}; sleep 600", "commandId": f"c{i}"}, token=token["token"])
                       for i, token in enumerate(tokens)]
            for i in range(2):
                wait_until("the command to run", lambda: self.api.file("GET", name, f"up{i}")[0] == 200)
            self.assertLess(self.api.ask("DELETE", f"/admin/tokens/{tokens[0]['id']}")[0], 300)
            status, result = running[0].result(timeout=PATIENCE_S)
            self.assertEqual((status, result["errorClass"]), (200, "CANCELLED"), result)
            self.assertFalse(running[1].done(), "the other token is as good as before")
            self.assertEqual(self.api.cancel(name, "c1")[0], 202)
            self.assertEqual(running[1].result(timeout=PATIENCE_S)[1]["errorClass"], "CANCELLED")

    # proves: WSM-18
    def test_one_command_of_a_name_at_a_time(self):
        name = self.session()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            running = pool.submit(self.result, name, ": > up; sleep 500", commandId="c1")
            wait_until("the command to run", lambda: self.api.file("GET", name, "up")[0] == 200)
            self.assert_refused(self.api.run(name, "true", commandId="c1"), 409, "COMMAND_EXISTS")
            self.api.cancel(name, "c1")
            running.result(timeout=PATIENCE_S)


class Stream(SessionTest):
    # proves: WSM-66, WSM-67
    def test_output_comes_while_the_command_runs(self):
        name = self.session()
        events = []
        for kind, data in self.api.stream(name, "echo one; echo two >&2; until [ -e go ]; do sleep 0.05; done; echo three"):
            events.append((kind, data))
            if self.decoded(events, "stdout") == b"one\n" and self.decoded(events, "stderr") == b"two\n":
                self.api.file("PUT", name, "go", b"")
        self.assertEqual(events[0][0], "started")
        self.assertEqual(self.decoded(events, "stdout"), b"one\nthree\n")
        kind, result = events[-1]
        self.assertEqual((kind, result["exitCode"], result["commandId"]), ("result", 0, events[0][1]["commandId"]))

    # proves: WSM-33, WSM-66
    def test_all_output_comes_once(self):
        name = self.session()
        events = list(self.api.stream(name, "seq 1 60000"))
        self.assertEqual(self.decoded(events, "stdout"), "".join(f"{i}\n" for i in range(1, 60001)).encode())
        self.assertEqual(events[-1][0], "result")

    def test_output_that_is_shown_has_no_bound_and_an_answer_at_the_end_keeps_what_its_limit_says(self):
        name = self.session({"limits": {"stdoutBytes": 1000, "stderrBytes": 1000, "timeoutMs": 120_000}})
        text = "seq 1 1000000; seq 1 1000000 >&2; exit 3"
        expected = "".join(f"{i}\n" for i in range(1, 1_000_001))
        seen = {"stdout": [], "stderr": []}
        for kind, data in self.api.stream(name, text):
            if kind in seen:
                seen[kind].append(base64.b64decode(data["base64"]))
        self.assertEqual((kind, data["exitCode"], data.get("truncated"), data.get("code")), ("result", 3, None, None), data)
        for stream, pieces in seen.items():
            self.assertEqual(b"".join(pieces).decode(), expected, stream)
        done = self.instance.run("sandbox", "exec", name, text, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, expected, expected))
        kept = self.result(name, text)
        self.assertEqual((kept["exitCode"], kept["code"], kept["truncated"]), (3, "E_LIMIT_OUTPUT", {"stdout": True, "stderr": True}))

    def test_who_reads_late_loses_nothing(self):
        name = self.session({"limits": {"timeoutMs": 120_000}})
        events = self.api.stream(name, "head -c 30000000 /dev/zero; : > written")
        first = [next(events) for _ in range(2)]
        self.assertEqual([kind for kind, _ in first], ["started", "stdout"])
        self.assertEqual(self.output(name, "ls"), "", "it waits in a write: its caller has read nothing of 30 MB")
        size = len(base64.b64decode(first[1][1]["base64"]))
        for kind, data in events:
            size += len(base64.b64decode(data["base64"])) if kind == "stdout" else 0
        self.assertEqual((kind, data["exitCode"], size), ("result", 0, 30_000_000))
        self.assertEqual(self.output(name, "ls"), "written\n")

    # proves: WSM-65, WSM-68, WSM-70
    def test_a_streamed_command_ends_as_any_other(self):
        name = self.session({"limits": {"timeoutMs": 3000}})
        kind, result = list(self.api.stream(name, "sleep 200"))[-1]
        self.assertEqual((kind, result["exitCode"], result["errorClass"]), ("result", 124, "TIMEOUT"))
        kind, result = list(self.api.stream(self.session(), "exit 7"))[-1]
        self.assertEqual((kind, result["exitCode"]), ("result", 7))
        self.assertNotIn("errorClass", result)


if __name__ == "__main__":
    main()
