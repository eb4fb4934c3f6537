"""Commands in runs that run (`paddock exec`): where the run is, behind its walls, recorded, and gone with it."""
import base64
import contextlib
import hashlib
import io
import json
import os
import pathlib
import signal
import subprocess
import tarfile
import threading

from exec_runs import PATIENT, ExecTest, sleepers
from harness import BIN, PATIENCE_S, main, wait_until

MOST_INPUT = 8 << 20


class Exec(ExecTest):
    def test_a_command_is_where_the_run_is_and_its_end_is_passed_on(self):
        self.begin("here")
        done = self.exec("here", "sh", "-c", "cat note; pwd; echo wrong >&2; exit 7")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "hi\n/workspace\n", "wrong\n"))
        none = self.exec("here", "no-such-program")
        self.assertEqual((none.returncode, none.stdout), (127, ""))
        self.assertIn("no-such-program", none.stderr)
        long = self.exec("here", "sh", "-c", "head -c 50000000 /dev/zero | tr '\\0' x")
        self.assertEqual((long.returncode, long.stderr), (0, ""))
        self.assertEqual(long.stdout, "x" * 50_000_000)
        cut = json.loads(self.exec("here", "sh", "-c", "head -c 5000000 /dev/zero | tr '\\0' x", options=["-o", "json"]).stdout)
        self.assertTrue(cut["truncated"]["stdout"])
        self.assertIn("left out here", cut["stdout"])
        late = self.exec("here", "sleep", "100", options=["--timeout", "1s"])
        self.assertEqual(late.returncode, 124)
        self.assertIn("wall time limit reached; timeoutMs was 1000 and may be raised", late.stderr)
        whole = json.loads(self.exec("here", "echo", "a b", options=["-o", "json"]).stdout)
        self.assertEqual((whole["exitCode"], whole["stdout"]), (0, "a b\n"))
        run = self.end("here")
        self.assertEqual(run["status"]["result"]["stdout"], "READY\nDONE\n")
        refused = self.exec("here", "true")
        self.assertIn("RUN_NOT_RUNNING", refused.stderr)
        self.assertNotEqual(refused.returncode, 0)

    def test_who_looks_for_the_runs_own_processes_is_told_what_reaches_them(self):
        self.begin("own")
        listed = self.exec("own", "ps", "-e", "-o", "args=")
        self.assertEqual((listed.returncode, [line.split()[0] for line in listed.stdout.splitlines()]), (0, ["ps"]))
        refused = self.exec("own", "kill", "-TERM", "2")  # the run's first process
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("paddock cancel own", refused.stderr)
        self.assertNotIn("hint:", listed.stderr + self.exec("own", "kill", "2", options=["-o", "json"]).stderr)
        self.exec("own", "touch", "/tmp/both")
        self.assertEqual(self.exec("own", "ls", "/tmp/both").stdout, "/tmp/both\n")
        self.end("own")

    def test_with_i_it_reads_what_comes_through_ours_and_its_end(self):
        self.begin("fed")
        self.assertEqual(self.feed("fed", b"print(1)", "python3", "-"), (0, b"1\n", ""))
        self.assertEqual(self.feed("fed", b"not meant", "wc", "-c", options=()), (0, b"0\n", ""))
        self.assertEqual(self.feed("fed", b"", "wc", "-c"), (0, b"0\n", ""))
        self.assertEqual(self.feed("fed", b"by name", "cat", "/dev/stdin"), (0, b"by name", ""))
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for name, content in (("a/b.txt", b"b\n"), ("c.bin", bytes(range(256)))):
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
        self.assertEqual(self.feed("fed", packed.getvalue(), "tar", "x")[0], 0)
        done = self.exec("fed", "sh", "-c", "cat a/b.txt; sha256sum < c.bin")
        self.assertEqual(done.stdout, "b\n" + hashlib.sha256(bytes(range(256))).hexdigest() + "  -\n")
        self.end("fed")

    def test_of_its_input_nothing_is_recorded(self):
        self.begin("hush")
        secret = b"tell-nobody-of-this"
        self.assertEqual(self.feed("hush", secret, "wc", "-c", options=("-i", "--id", "one"))[:2], (0, b"19\n"))
        run = self.end("hush")
        events = [e for e in self.events(run) if e["command_id"].endswith("/exec/one")]
        self.assertEqual([e["type"] for e in events], ["command.start", "command.complete"])
        for told in (secret.decode(), base64.b64encode(secret).decode()):
            self.assertNotIn(told, json.dumps(self.events(run)))
            self.assertNotIn(told, json.dumps(run))
            for file in pathlib.Path(self.instance.home).rglob("*.log"):
                self.assertNotIn(told, file.read_text(errors="replace"), file)

    def test_each_of_many_at_once_gets_its_own_input(self):
        self.begin("many")
        given = [os.urandom(256 << 10) for _ in range(4)]
        many = [self.feeding("many", "sha256sum") for _ in given]
        for process, each in zip(many, given):
            process.stdin.write(each)
            process.stdin.close()
        for process, each in zip(many, given):
            with process.stdout, process.stderr:
                wanted = hashlib.sha256(each).hexdigest().encode() + b"  -\n"
                self.assertEqual((process.stdout.read(), process.stderr.read()), (wanted, b""))
            self.assertEqual(process.wait(PATIENCE_S), 0)
        self.end("many")

    def test_as_much_as_may_be_sent_arrives_and_no_more_is_taken(self):
        self.begin("much")
        given = os.urandom(MOST_INPUT)
        self.assertEqual(self.feed("much", given, "sha256sum"), (0, hashlib.sha256(given).hexdigest().encode() + b"  -\n", ""))
        # More goes on while the command reads, and so not where the answer is one document.
        code, _, err = self.feed("much", given + b"x", "touch", "begun", options=("-i", "-o", "json"))
        self.assertIn("STDIN_TOO_LARGE", err)
        self.assertNotEqual(code, 0)
        more = given + os.urandom(1 << 20)
        self.assertEqual(self.feed("much", more, "sha256sum"), (0, hashlib.sha256(more).hexdigest().encode() + b"  -\n", ""))
        path = "/namespaces/default/runs/much/commands"
        body = {"command": ["touch", "begun"], "stdin": base64.b64encode(given + b"x").decode()}
        status, answer = self.call("POST", path, body)
        self.assertEqual((status, answer["error"]["code"]), (400, "STDIN_TOO_LARGE"), answer)
        self.assertEqual(self.exec("much", "test", "-e", "begun").returncode, 1)
        self.end("much")

    def test_input_without_an_end_comes_while_the_command_runs(self):
        self.begin("endless")
        with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as source:
            process = self.feeding("endless", "sh", "-c", "head -c 20000000 | wc -c; exit 3", stdin=source.stdout)
            out, err = process.communicate(timeout=PATIENCE_S)
            source.kill()
        self.assertEqual((process.returncode, out, err), (3, b"20000000\n", b""))
        self.end("endless")

    @staticmethod
    def write_all(pipe, data):
        with contextlib.suppress(BrokenPipeError), pipe:
            pipe.write(data)

    def test_a_command_that_does_not_read_ends_as_it_would_without_input(self):
        self.begin("deaf")
        given = b"x" * MOST_INPUT
        for script, wanted in (("exit 5", 5), ("exec <&-; exit 6", 6), ("head -c 1 >/dev/null; exit 7", 7)):
            done = self.feed("deaf", given, "sh", "-c", script)
            self.assertEqual(done[0], wanted, (script, done))
        done = self.feed("deaf", given, "sleep", "600", options=("-i", "--timeout", "1s"))
        self.assertEqual(done[0], 124, done)
        # One that hands its input on to somebody who stays ends all the same.
        done = self.feed("deaf", given, "sh", "-c", "sleep 600 & exit 8")
        self.assertEqual(done[0], 8, done)
        waiting = self.feeding("deaf", "sleep", "48155", options=("-i", "--timeout", "1h"))
        # On a busy machine not all of it is read before the command begins, and then no more than the command has room for.
        writer = threading.Thread(target=self.write_all, args=(waiting.stdin, given))
        writer.start()
        wait_until("the command", lambda: sleepers(48155))
        waiting.kill()
        waiting.wait()
        writer.join()
        wait_until("its processes to be gone", lambda: not sleepers(48155))
        waiting.stdout.close()
        waiting.stderr.close()
        self.end("deaf")

    def test_a_caller_who_leaves_before_the_end_of_the_input_has_begun_nothing(self):
        self.begin("half")
        body = json.dumps({"command": ["touch", "begun"], "commandId": "one", "stdin": base64.b64encode(b"x" * 300_000).decode()}).encode()
        for sent in (0, 1, len(body) // 2, len(body) - 1):
            connection = self.connect()
            connection.putrequest("POST", "/apis/paddock.dev/v1alpha1/namespaces/default/runs/half/commands")
            for name, value in (("Authorization", f"Bearer {self.admin()}"), ("Content-Type", "application/json"),
                                ("Content-Length", str(len(body)))):
                connection.putheader(name, value)
            connection.endheaders(body[:sent])
            connection.close()
        self.assertEqual(self.exec("half", "test", "-e", "begun").returncode, 1)
        run = self.end("half")
        self.assertFalse([e for e in self.events(run) if e["command_id"].endswith("/exec/one")])

    def test_a_terminal_is_refused_by_name(self):
        for options in (["-t"], ["-it"], ["-i", "--tty"]):
            code, _, err = self.feed("none", b"", "sh", options=options)
            self.assertEqual(code, 2, err)
            self.assertIn("-t", err)

    def test_it_ends_when_its_callers_token_is_revoked(self):
        self.begin("revoked")
        path = "/namespaces/default/runs/revoked/commands"
        _, made = self.call("POST", "/admin/tokens", {"subject": "gone", "scopes": ["runs:write"], "namespace": "default"})
        _, kept = self.call("POST", "/admin/tokens", {"subject": "gone", "scopes": ["runs:write"], "namespace": "default"})
        connections = []
        for token, seconds in ((made, 48156), (kept, 48157)):
            body = json.dumps({"command": ["sh", "-c", f"sleep {seconds}"], "commandId": f"c{seconds}", "timeoutMs": 3_600_000})
            connections.append(self.connect())
            connections[-1].request("POST", "/apis/paddock.dev/v1alpha1" + path, body,
                                    {"Authorization": f"Bearer {token['token']}", "Content-Type": "application/json"})
            wait_until("the command", lambda: sleepers(seconds))
        self.assertLess(self.call("DELETE", f"/admin/tokens/{made['id']}")[0], 300)
        self.assertEqual(self.call("POST", path + "/c48157/cancel", {}, made["token"])[0], 401)
        answer = connections[0].getresponse()
        self.assertEqual((answer.status, json.loads(answer.read())["errorClass"]), (200, "CANCELLED"))
        wait_until("its processes to be gone", lambda: not sleepers(48156))
        self.assertTrue(sleepers(48157))
        self.assertEqual(self.call("POST", path + "/c48157/cancel")[0], 202)
        self.assertEqual(json.loads(connections[1].getresponse().read())["errorClass"], "CANCELLED")
        for each in connections:
            each.close()
        self.end("revoked")

    def test_each_is_recorded_with_who_what_and_how_it_ended(self):
        self.begin("told")
        self.exec("told", "sh", "-c", "exit 3", options=["--id", "first"])
        self.exec("told", "unshare", "-U", "true", options=["--id", "second"])
        run = self.end("told")
        events = self.events(run)
        first = [e for e in events if e["command_id"].endswith("/exec/first")]
        self.assertEqual([e["type"] for e in first], ["command.start", "command.complete"], events)
        self.assertEqual((first[0]["details"]["command"], first[0]["object"]), ("sh -c exit 3", "runs/told"))
        self.assertTrue(first[0]["subject"] and first[0]["subject"] == first[1]["subject"])
        second = [e["type"] for e in events if e["command_id"].endswith("/exec/second")]
        self.assertEqual(second[0], "command.start")
        self.assertIn("capability.denied", second)
        # What it was refused is the run's too, told apart, and decides nothing.
        denials = run["status"]["result"]["denials"]
        self.assertEqual({d.get("commandId") for d in denials}, {"second"})
        self.assertEqual((run["status"]["phase"], run["status"]["result"].get("errorClass")), ("Succeeded", None))

    def test_it_ends_with_the_run_that_is_canceled(self):
        self.begin("gone", "echo READY; sleep 100000")
        waiting = self.instance.start("exec", "gone", "--timeout", "1h", "--", "sh", "-c", "trap '' TERM; sleep 48151; sleep 48151")
        wait_until("the command", lambda: sleepers(48151))
        self.instance.run("cancel", "gone")
        self.instance.wait_phase("gone", "Canceled")
        out, err = waiting.communicate(timeout=PATIENCE_S)
        self.assertIn("RUN_ENDED", err)
        self.assertEqual(waiting.returncode, 143, (out, err))
        wait_until("its processes to be gone", lambda: not sleepers(48151))

    def test_it_ends_with_its_caller(self):
        self.begin("left")
        waiting = self.instance.start("exec", "left", "--timeout", "1h", "--", "sleep", "48152")
        wait_until("the command", lambda: sleepers(48152))
        waiting.kill()
        waiting.communicate()
        wait_until("its processes to be gone", lambda: not sleepers(48152))
        run = self.end("left")
        self.assertIn("command.cancelled", [e["type"] for e in self.events(run)])

    def test_who_gives_it_up_or_loses_it_is_told_what_becomes_of_it(self):
        self.begin("told-off")
        self.instance.run("sandbox", "create", "told-off-too", "--timeout", "10m")
        self.addCleanup(self.instance.run, "sandbox", "destroy", "told-off-too", check=False)
        for words, stays in ((("exec", "told-off", "--timeout", "1h"), "the run goes on"),
                             (("sandbox", "exec", "told-off-too"), "the session goes on")):
            with self.subTest(words=words):
                waiting = self.instance.start(*words, "--", "sleep", "48156")
                wait_until("the command", lambda: sleepers(48156))
                waiting.send_signal(signal.SIGINT)
                _, err = waiting.communicate(timeout=PATIENCE_S)
                self.assertEqual(waiting.returncode, 130, err)
                self.assertRegex(err, f"^given up: the command .* is ended; {stays}\n$")
                wait_until("its processes to be gone", lambda: not sleepers(48156))
                waiting = self.instance.start(*words, "--", "sleep", "48156")
                wait_until("the command", lambda: sleepers(48156))
                self.instance.kill("paddock-controller")
                _, err = waiting.communicate(timeout=PATIENCE_S)
                self.assertEqual(waiting.returncode, 75, err)
                self.assertIn("[STREAM_LOST]", err)
                self.assertRegex(err, f"hint: the command .* is ended; {stays}. `paddock audit`")
                self.instance.run("up")
                wait_until("its processes to be gone", lambda: not sleepers(48156))
                wait_until("the run's node", lambda: self.exec("told-off", "cat", "note").stdout == "hi\n")
                waiting = self.instance.start(*words, "-o", "json", "--", "sleep", "48156")
                wait_until("the command", lambda: sleepers(48156))
                self.instance.kill("paddock-controller")
                out, err = waiting.communicate(timeout=PATIENCE_S)
                self.assertEqual((waiting.returncode, out), (75, ""), err)
                self.assertIn("[STREAM_LOST]", err)
                self.instance.run("up")
                wait_until("its processes to be gone", lambda: not sleepers(48156))
                wait_until("the run's node", lambda: self.exec("told-off", "cat", "note").stdout == "hi\n")
        self.end("told-off")

    def test_a_session_and_a_run_are_told_apart_where_one_is_taken_for_the_other(self):
        self.begin("a-run")
        self.instance.run("sandbox", "create", "a-session")
        self.addCleanup(self.instance.run, "sandbox", "destroy", "a-session", check=False)
        for way, words in (("paddock sandbox exec a-session -- CMD…", ("exec", "a-session", "--", "true")),
                           ("paddock sandbox exec a-session -- CMD…", ("logs", "a-session")),
                           ("paddock sandbox exec a-session -- CMD…", ("logs", "-f", "a-session")),
                           ("paddock sandbox files a-session", ("files", "a-session")),
                           ("paddock sandbox files a-session PATH", ("cp", "a-session:x", ".")),
                           ("paddock sandbox files a-session PATH", ("cp", "-r", "run/a-session:x", ".")),
                           ("paddock sandbox files a-session PATH", ("cp", __file__, "a-session:x")),
                           ("paddock sandbox files a-session", ("artifacts", "a-session")),
                           ("paddock get sandbox a-session -w", ("wait", "a-session")),
                           ("paddock get sandbox a-session -w", ("wait", "a-run", "a-session")),
                           ("paddock get sandbox a-session -w", ("events", "a-session")),
                           ("paddock sandbox destroy a-session", ("cancel", "a-session")),
                           ("paddock get sandbox a-session", ("get", "run", "a-session")),
                           ("paddock describe sandbox a-session", ("describe", "run", "a-session")),
                           ("paddock exec a-run -- CMD…", ("sandbox", "exec", "a-run", "true")),
                           ("paddock files a-run", ("sandbox", "files", "a-run")),
                           ("paddock cancel a-run", ("sandbox", "destroy", "a-run")),
                           ("paddock describe run a-run", ("describe", "sandbox", "a-run"))):
            done = self.instance.run(*words, check=False)
            self.assertEqual(done.returncode, 127, (words, done.stderr))
            self.assertIn(f"has this name: `{way}`", done.stderr, words)
        self.habits_lead_somewhere()
        nobody = self.instance.run("exec", "nobody", "--", "true", check=False)
        self.assertNotIn("has this name", nobody.stderr)
        self.assertIn("[RUN_NOT_FOUND]", nobody.stderr)
        self.end("a-run")

    def habits_lead_somewhere(self):
        """What other tools take, and what is silently dropped nowhere."""
        line = self.instance.run("exec", "a-run", "--", "echo $HOME", check=False)
        self.assertEqual(line.returncode, 127, line)
        self.assertIn("paddock exec a-run -- sh -c 'echo $HOME'", line.stderr)
        for words, way in ((("cp", "a-run:x", "-"), "-- cat PATH"), (("cp", "-", "a-run:x"), "cat > PATH"), (("top", "pods"), "`runs`?"),
                           (("run", "-v", "/x:/y", "--", "true"), "hostMounts")):
            done = self.instance.run(*words, check=False)
            self.assertEqual(done.returncode, 2, (words, done))
            self.assertIn(way, done.stderr, words)
        self.assertIn("a-run", self.instance.run("top", "run").stdout)
        command = [str(BIN / "paddock"), "sandbox", "exec", "a-session", "echo out"]
        typed = subprocess.run(command, env=self.instance.env, text=True, capture_output=True, input="hi\n", timeout=120)
        self.assertEqual((typed.returncode, typed.stdout), (0, "out\n"), typed)
        self.assertIn("standard input was not read", typed.stderr)
        with open(__file__, encoding="utf-8") as file:
            typed = subprocess.run(command, env=self.instance.env, text=True, capture_output=True, stdin=file, timeout=120)
        self.assertIn("--put -", typed.stderr)
        self.assertEqual(self.instance.run(*command[1:]).stderr, "", "nothing came")

    def test_it_is_canceled_by_its_name_which_is_used_once_at_a_time(self):
        self.begin("named")
        path = "/namespaces/default/runs/named/commands"
        waiting = self.instance.start("exec", "named", "--id", "one", "--timeout", "1h", "--", "sleep", "48153")
        wait_until("the command", lambda: sleepers(48153))
        status, answer = self.call("POST", path, {"command": ["true"], "commandId": "one"})
        self.assertEqual((status, answer["error"]["code"]), (409, "COMMAND_EXISTS"), answer)
        self.assertEqual(self.call("POST", path + "/one/cancel")[0], 202)
        waiting.communicate(timeout=PATIENCE_S)
        self.assertEqual(waiting.returncode, 143)
        status, answer = self.call("POST", path + "/one/cancel")
        self.assertEqual((status, answer["error"]["code"]), (404, "COMMAND_NOT_FOUND"), answer)
        self.end("named")

    def test_few_run_at_once_in_one_run(self):
        self.begin("few")
        waiting = [self.instance.start("exec", "few", "--timeout", "1h", "--", "sleep", "48154") for _ in range(4)]
        wait_until("four commands", lambda: len(sleepers(48154)) == 4)
        self.assertIn("TOO_MANY_COMMANDS", self.exec("few", "true").stderr)
        for each in waiting:
            each.kill()
            each.communicate()
        wait_until("room", lambda: self.exec("few", "true").returncode == 0)
        self.end("few")

    def test_it_goes_on_while_the_agent_is_another_one(self):
        self.begin("again")
        self.instance.kill("paddock-node-agent")
        self.instance.up()
        wait_until("the run's node", lambda: self.exec("again", "cat", "note").stdout == "hi\n")
        self.end("again")

    def test_bad_requests_are_refused_by_name(self):
        self.begin("bad")
        path = "/namespaces/default/runs/bad/commands"
        for body, field in (({}, "command"), ({"command": []}, "command"), ({"command": ["a\0b"]}, "command"),
                            ({"command": [""]}, "command"), ({"command": ["x" * (200 << 10)]}, "command"),
                            ({"command": ["true"], "commandId": "A/b"}, "commandId"),
                            ({"command": ["true"], "timeoutMs": 0}, "timeoutMs"),
                            ({"command": ["true"], "timeoutMs": 3_600_001}, "timeoutMs"),
                            ({"command": ["true"], "stdin": "YQ"}, "stdin"), ({"command": ["true"], "stdin": 1}, "stdin"),
                            ({"command": ["true"], "env": {}}, "env")):
            with self.subTest(str(body)[:60]):
                status, answer = self.call("POST", path, body)
                self.assertEqual(status, 400, answer)
                self.assertIn(field, json.dumps(answer))
        self.assertEqual(self.call("POST", "/namespaces/default/runs/none/commands", {"command": ["true"]})[0], 404)
        self.end("bad")

    def test_who_may_not_write_runs_here_or_use_the_runs_secrets_executes_nothing(self):
        def token(*scopes, namespace="default"):
            _, made = self.call("POST", "/admin/tokens", {"subject": "-".join(scopes).replace(":", "-"),
                                                          "scopes": list(scopes), "namespace": namespace})
            return made["token"]
        subprocess.run([str(BIN / "paddock"), "secret", "create", "key", "--from-literal", "K=hush-hush-hush"],
                       env=self.instance.env, check=True, capture_output=True, timeout=PATIENCE_S)
        self.begin("plain")
        self.begin("kept", PATIENT, "--secret", "key/K=K")
        command = {"command": ["sh", "-c", "echo $K"]}
        reader, other = token("runs:read"), token("runs:read", "runs:write", namespace="team")
        writer, user = token("runs:write"), token("runs:write", "secrets:use")
        for run, caller, expected in (("plain", reader, 403), ("plain", other, 403), ("plain", writer, 200),
                                      ("kept", writer, 403), ("kept", user, 200)):
            with self.subTest(f"{run} {expected}"):
                status, answer = self.call("POST", f"/namespaces/default/runs/{run}/commands", command, caller)
                self.assertEqual(status, expected, answer)
                self.assertNotIn("hush", json.dumps(answer))
        for run in ("plain", "kept"):
            self.end(run)


if __name__ == "__main__":
    main()
