"""Commands in runs that run (`paddock exec`): where the run is, behind its walls, recorded, and gone with it."""
import base64
import contextlib
import hashlib
import http.client
import io
import json
import os
import pathlib
import ssl
import subprocess
import tarfile
import urllib.parse

from harness import BIN, PATIENCE_S, ProjectTest, ended, find_file, main, wait_until

MOST_INPUT = 8 << 20
PATIENT = "echo READY; echo hi > note; while [ ! -e go ]; do sleep 0.05; done; echo DONE"


def sleepers(seconds):
    """Pids of the sleeps of this length, on whose behalf we wait."""
    wanted, found = f"sleep\0{seconds}\0".encode(), []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if (entry / "cmdline").read_bytes() == wanted and not ended(int(entry.name)):
                    found.append(int(entry.name))
    return found


class Exec(ProjectTest):
    def begin(self, name, script=PATIENT, *options):
        self.instance.run("run", "--detach", "--name", name, *options, "--", "sh", "-c", script)
        wait_until(f"{name} to be ready", lambda: "READY" in self.instance.run("logs", name).stdout)

    def exec(self, name, *words, options=(), **kwargs):
        return self.instance.run("exec", name, *options, "--", *words, check=False, **kwargs)

    def feeding(self, name, *words, options=("-i",), stdin=subprocess.PIPE):
        return subprocess.Popen([str(BIN / "paddock"), "exec", *options, name, "--", *words], env=self.instance.env,
                                stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def feed(self, name, given, *words, options=("-i",)):
        process = self.feeding(name, *words, options=options)
        out, err = process.communicate(given, timeout=2 * PATIENCE_S)
        return process.returncode, out, err.decode()

    def end(self, name, phase="Succeeded"):
        # The run may end, and its commands with it, before this one's own end is known.
        self.exec(name, "touch", "go")
        return self.instance.wait_phase(name, phase)

    def connect(self):
        port = json.loads(find_file(self.instance.home, "controller.json").read_text())["port"]
        tls = ssl.create_default_context(cafile=str(find_file(self.instance.home, "tls/ca.pem")))
        return http.client.HTTPSConnection("127.0.0.1", port, context=tls, timeout=PATIENCE_S)

    def admin(self):
        return find_file(self.instance.home, "tokens/admin").read_text().strip()

    def call(self, method, path, body=None, token=None):
        token = token or self.admin()
        connection = self.connect()
        try:
            connection.request(method, path if path.startswith(("/admin", "/audit")) else "/apis/paddock.dev/v1alpha1" + path, None if body is None else json.dumps(body),
                               {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def events(self, run, **query):
        _, log = self.call("GET", "/audit?" + urllib.parse.urlencode({"session": run["metadata"]["uid"], **query}))
        return [e for e in log["items"] if "/exec/" in e.get("command_id", "")]

    def test_a_command_is_where_the_run_is_and_its_end_is_passed_on(self):
        self.begin("here")
        done = self.exec("here", "sh", "-c", "cat note; pwd; echo wrong >&2; exit 7")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "hi\n/workspace\n", "wrong\n"))
        self.assertEqual(self.exec("here", "no-such-program").returncode, 127)
        self.assertEqual(self.exec("here", "sleep", "100", options=["--timeout", "1s"]).returncode, 124)
        whole = json.loads(self.exec("here", "echo", "a b", options=["-o", "json"]).stdout)
        self.assertEqual((whole["exitCode"], whole["stdout"]), (0, "a b\n"))
        run = self.end("here")
        self.assertEqual(run["status"]["result"]["stdout"], "READY\nDONE\n")
        refused = self.exec("here", "true")
        self.assertIn("RUN_NOT_RUNNING", refused.stderr)
        self.assertNotEqual(refused.returncode, 0)

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
        code, out, err = self.feed("much", given + b"x", "touch", "begun")
        self.assertIn("STDIN_TOO_LARGE", err)
        self.assertNotEqual((code, out), (0, b""))
        path = "/namespaces/default/runs/much/commands"
        body = {"command": ["touch", "begun"], "stdin": base64.b64encode(given + b"x").decode()}
        status, answer = self.call("POST", path, body)
        self.assertEqual((status, answer["error"]["code"]), (400, "STDIN_TOO_LARGE"), answer)
        self.assertEqual(self.exec("much", "test", "-e", "begun").returncode, 1)
        self.end("much")

    def test_input_without_an_end_is_refused_and_begins_nothing(self):
        self.begin("endless")
        with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as source:
            process = self.feeding("endless", "touch", "begun", options=("-i", "--id", "one"), stdin=source.stdout)
            _, err = process.communicate(timeout=PATIENCE_S)
            source.kill()
        self.assertIn(b"STDIN_TOO_LARGE", err)
        self.assertEqual(self.exec("endless", "test", "-e", "begun").returncode, 1)
        run = self.end("endless")
        self.assertFalse([e for e in self.events(run) if e["command_id"].endswith("/exec/one")])

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
        waiting.stdin.write(given)
        waiting.stdin.close()
        wait_until("the command", lambda: sleepers(48155))
        waiting.kill()
        waiting.wait()
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

    def test_it_goes_on_when_its_callers_token_is_revoked_and_can_still_be_canceled(self):
        self.begin("revoked")
        path = "/namespaces/default/runs/revoked/commands"
        _, made = self.call("POST", "/admin/tokens", {"subject": "gone", "scopes": ["runs:write"], "namespace": "default"})
        body = json.dumps({"command": ["sh", "-c", "sleep 48156"], "commandId": "one", "timeoutMs": 3_600_000})
        connection = self.connect()
        connection.request("POST", "/apis/paddock.dev/v1alpha1" + path, body,
                           {"Authorization": f"Bearer {made['token']}", "Content-Type": "application/json"})
        wait_until("the command", lambda: sleepers(48156))
        self.assertLess(self.call("DELETE", f"/admin/tokens/{made['id']}")[0], 300)
        self.assertEqual(self.call("POST", path + "/one/cancel", {}, made["token"])[0], 401)
        self.assertTrue(sleepers(48156))
        self.assertEqual(self.call("POST", path + "/one/cancel")[0], 202)
        answer = connection.getresponse()
        self.assertEqual((answer.status, json.loads(answer.read())["errorClass"]), (200, "CANCELLED"))
        connection.close()
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
