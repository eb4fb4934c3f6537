"""Sandbox sessions from their creation to their end: files, deadlines, restarts, the command line."""
import concurrent.futures
import datetime
import json
import pathlib
import signal
import subprocess
import tempfile
import time

from harness import BIN, PATIENCE_S, SOURCE, command_of, ended, find_file, main, paths_below, pids_running, send, wait_until
from session_client import SessionTest


class Files(SessionTest):
    def test_files_go_in_and_out(self):
        name = self.session()
        content = bytes(range(256)) * 100
        self.assertEqual(self.api.file("PUT", name, "a/b/data.bin", content)[0], 201)
        self.assertEqual(self.output(name, "wc -c < a/b/data.bin").strip(), str(len(content)))
        self.assertEqual(self.api.file("GET", name, "a/b/data.bin"), (200, content))
        self.output(name, "echo more >> a/b/data.bin; mkdir c; echo x > c/y")
        listed = self.api.file("GET", name)[1]["files"]
        self.assertEqual([(each["name"], each["type"]) for each in listed], [("a", "folder"), ("c", "folder")])
        self.assertEqual(self.api.file("GET", name, "a/b/data.bin")[1], content + b"more\n")
        self.assertEqual(self.api.file("PUT", name, "a/b/data.bin", b"short")[0], 201)
        self.assertEqual(self.output(name, "cat a/b/data.bin"), "short")
        self.assertEqual(self.api.file("PUT", name, "empty/folder", b"", "?folder=true")[0], 201)
        self.assert_refused(self.api.file("PUT", name, "a/b/data.bin", b"", "?folder=true"), 400, "NOT_A_REGULAR_FILE")
        self.assert_refused(self.api.file("GET", name, "n" * 256), 400, "BAD_PATH")
        self.assertEqual(self.api.file("DELETE", name, "a")[0], 200)
        self.assertEqual(self.api.file("GET", name, "a/b/data.bin")[0], 404)
        self.assert_refused(self.api.file("DELETE", name, "a"), 404, "FILE_NOT_FOUND")

    # proves: WSM-96, WSM-12, WSM-10
    def test_no_path_leads_out_of_the_workspace(self):
        name = self.session()
        secret = pathlib.Path(self.instance.home, "hidden")
        secret.write_text("of the host")
        self.output(name, f"ln -s {secret} out; ln -s / root; ln -s .. up; ln -s loop loop; mkdir d; ln -s ../../.. d/far; "
                          "ln -s /proc/self/environ env")
        for path in ("out", f"root{secret}", f"up/../..{secret}", "loop", f"d/far{secret}", "env", "root/etc/passwd"):
            for method, body in (("GET", None), ("PUT", b"changed"), ("DELETE", None)):
                if method == "DELETE" and path in ("out", "loop", "env"):
                    continue  # a link itself is the session's to remove
                status, answer = self.api.file(method, name, path, body)
                self.assertTrue(400 <= status < 500, (method, path, status, answer))
                self.assertNotIn(str(self.instance.home), json.dumps(answer if isinstance(answer, dict) else str(answer)))
        for path in ("/files/../../../etc/passwd", "/files/%2e%2e/%2e%2e/etc/passwd", "/files/a%2f..%2f..%2fx",
                     "/files/a%00b"):
            self.assertTrue(400 <= self.api.ask("GET", self.api.sandboxes(name, path))[0] < 500, path)
        self.assertEqual(secret.read_text(), "of the host")

    def test_what_is_no_file_is_not_waited_for(self):
        name = self.session()
        self.output(name, "python3 -c 'import os; os.mkfifo(\"pipe\")'; mkdir dir; chmod 000 dir")
        self.assertTrue(400 <= self.api.file("GET", name, "pipe")[0] < 500)
        self.assertTrue(400 <= self.api.file("PUT", name, "pipe", b"x")[0] < 500)
        self.assertTrue(400 <= self.api.file("PUT", name, "dir", b"x")[0] < 500)
        self.assertEqual(self.api.file("DELETE", name, "dir")[0], 200)


class Life(SessionTest):
    def folder(self, uid):
        return next(paths_below(self.instance.home, f"sessions/{uid}"), None)

    # proves: WSM-92, WSM-42
    def test_destroy_makes_everything_unreachable(self):
        name = self.session()
        uid = self.object(name)["metadata"]["uid"]
        self.output(name, "echo secret > f")
        self.assertTrue(self.folder(uid).is_dir())
        mark = f"destroyed-{time.time_ns()}"
        with concurrent.futures.ThreadPoolExecutor() as pool:
            running = pool.submit(self.api.run, name, f"python3 -c 'import time; time.sleep(300)' {mark}")
            wait_until("the command to run", lambda: pids_running(mark))
            began = time.monotonic()
            self.assertEqual(self.api.destroy(name)[0], 200)
            node_was_waited_for = time.monotonic() - began < 2  # a node that says nothing removes it later
            status, result = running.result(timeout=PATIENCE_S)
        self.assertIn((status, result.get("errorClass")), ((200, "CANCELLED"), (404, None)), result)
        if not node_was_waited_for:
            wait_until("its node to hear of it", lambda: self.folder(uid) is None)
        self.assertFalse([pid for pid in pids_running(mark) if not ended(pid)])
        self.assertIsNone(self.folder(uid))
        self.assert_refused(self.api.run(name, "true"), 404, "SANDBOX_NOT_FOUND")
        self.assertEqual(self.api.file("GET", name, "f")[0], 404)
        self.assertEqual(self.api.cancel(name, "x")[0], 404)
        self.assertEqual(self.api.destroy(name)[0], 404)
        again = self.session(name=name)
        self.assertEqual(self.api.file("GET", again, "f")[0], 404)

    # proves: WSM-97
    def test_a_thousand_sessions_come_and_go_and_leave_nothing(self):
        def cycle(number):
            status, made = self.api.create(name=f"cycle-{number}")
            self.assertEqual(status, 201, made)
            self.assertEqual(self.api.run(f"cycle-{number}", "echo x > f")[0], 200)
            self.assertEqual(self.api.destroy(f"cycle-{number}")[0], 200)

        def held():
            """Descriptors of the agent, mounts that it sees, processes of the instance."""
            agent = self.instance.pid_of("paddock-node-agent")
            return (len(list(pathlib.Path(f"/proc/{agent}/fd").iterdir())),
                    len(pathlib.Path(f"/proc/{agent}/mountinfo").read_text().splitlines()), len(self.instance.processes()))
        cycle(0)
        before = held()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(cycle, range(1, 1000)))
        folder = find_file(self.instance.home, "sandbox-sessions/lock").parent.parent / "sessions"
        wait_until("all folders to be gone", lambda: not list(folder.iterdir()))
        # Lanes stay open for a minute, and the launchers have made their ten sandboxes of three processes ready since
        # then, or not yet; one of anything a session would be a thousand.
        wait_until(f"descriptors, mounts and processes to be given back, {before} before",
                   lambda: all(now <= was + room for now, was, room in zip(held(), before, (64, 8, 4 + 10 * 3))))

    def test_an_idle_session_ends_by_itself(self):
        for idle_timeout in ("12s", "1m"):  # longer where the machine needs it to begin a command in it
            idle = self.session(idleTimeout=idle_timeout)
            if self.api.run(idle, "echo x > f")[0] == 200:
                break
        uid = self.object(idle)["metadata"]["uid"]
        self.assertIn("command.complete", [each["type"] for each in self.api.audit(uid)])
        old = self.session(lifetime="2s")
        for name, reason in ((idle, "IDLE_TIMEOUT"), (old, "LIFETIME_OVER")):
            ended_one = wait_until(f"{name} to end", lambda: (lambda s: s if s["status"]["phase"] == "Ended" else None)(
                self.object(name)))
            self.assertEqual(ended_one["status"]["reason"], reason)
            self.assert_refused(self.api.run(name, "true"), 410, "SESSION_ENDED")
            self.assert_refused(self.api.file("GET", name, "f"), 410, "SESSION_ENDED")
        wait_until("its files to go", lambda: self.folder(uid) is None)
        last = self.api.audit(uid)[-1]
        self.assertEqual((last["type"], last["reason"], last["subject"]), ("sandbox.destroy", "IDLE_TIMEOUT", "controller"))

    def test_how_long_it_lives_can_be_changed(self):
        name = self.session(lifetime="1h")
        before = self.object(name)
        merge = {"Content-Type": "application/merge-patch+json"}
        path = self.api.sandboxes(name)
        self.assertEqual(self.api.ask("PATCH", path, {"spec": {"lifetime": "24h"}}, merge)[0], 200)
        after = self.object(name)
        self.assertEqual(after["spec"]["security"], before["spec"]["security"])
        self.assertGreater(after["status"]["expiresAt"], before["status"]["expiresAt"])
        self.assertEqual(self.output(name, "echo on"), "on\n")
        self.assert_refused(self.api.ask("PATCH", path, {"spec": {"lifetime": "169h"}}, merge), 422, "INVALID_FIELD")
        self.assertEqual(self.api.ask("PATCH", path, {"spec": {"lifetime": "1s"}}, merge)[0], 200)
        self.assert_over(name)
        self.assert_refused(self.api.ask("PATCH", path, {"spec": {"lifetime": "24h"}}, merge), 410, "SESSION_ENDED")

    def test_a_command_that_began_before_does_not_undo_the_change(self):
        name = self.session(lifetime="1h")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            running = pool.submit(self.api.run, name, ": > up; until [ -e go ]; do sleep 0.05; done")
            wait_until("the command to run", lambda: self.api.file("GET", name, "up")[0] == 200)
            lived = time.time() - datetime.datetime.fromisoformat(self.object(name)["metadata"]["creationTimestamp"]).timestamp()
            change = {"spec": {"lifetime": f"{int(lived) + 6}s"}}
            self.assertEqual(self.api.ask("PATCH", self.api.sandboxes(name), change, {"Content-Type": "application/merge-patch+json"})[0], 200)
            self.api.file("PUT", name, "go", b"")
            running.result(timeout=PATIENCE_S)
        self.assert_over(name)

    def assert_over(self, name):
        over = wait_until("it to end", lambda: (lambda s: s if s["phase"] == "Ended" else None)(self.object(name)["status"]))
        self.assertEqual(over["reason"], "LIFETIME_OVER")

    def test_a_session_in_use_does_not_idle_away(self):
        for idle in ("12s", "1m"):  # longer where the machine needs it to begin a command
            name = self.session(idleTimeout=idle)
            with concurrent.futures.ThreadPoolExecutor() as pool:
                running = pool.submit(self.api.run, name, ": > up; until [ -e go ]; do sleep 0.05; done; echo on")
                wait_until("the command to run", lambda: running.done() or self.api.file("GET", name, "up")[0] == 200)
                if running.done():
                    continue
                other = self.session(idleTimeout=idle)  # nobody has used the first one since
                wait_until("the other to idle away", lambda: self.object(other)["status"].get("reason") == "IDLE_TIMEOUT")
                used = time.monotonic()
                self.assertEqual(self.api.file("PUT", name, "go", b"")[0], 201)
                status, result = running.result(timeout=PATIENCE_S)
            break
        else:
            self.fail(f"it idled away before a command could begin: {running.result()}")
        self.assertEqual((status, result.get("stdout")), (200, "on\n"), result)
        status, result = self.api.run(name, "echo still")
        if time.monotonic() - used < 12:  # else the machine has let it idle away
            self.assertEqual((status, result.get("stdout")), (200, "still\n"), result)

    def test_sessions_outlive_restarts(self):
        name = self.session()
        self.output(name, "echo kept > f")
        for program in ("paddock-controller", "paddock-node-agent"):
            self.instance.kill(program)
            self.instance.up()
            type(self).connect()
            self.assertEqual(wait_until("the session to answer", lambda: (
                lambda got: got[1] if got[0] == 200 else None)(self.api.run(name, "cat f")))["stdout"], "kept\n")
        self.assertEqual(self.object(name)["status"]["phase"], "Ready")

    def test_deadlines_outlive_a_restart(self):
        name = self.session(lifetime="6s")
        made = self.object(name)["status"]
        self.instance.kill("paddock-controller")
        self.instance.up()
        type(self).connect()
        kept = self.object(name)["status"]
        if kept["phase"] != "Ended":  # its deadline is the one that it was created with
            self.assertEqual(kept["expiresAt"], made["expiresAt"])
        over = wait_until("it to end", lambda: (lambda s: s if s["phase"] == "Ended" else None)(self.object(name)["status"]))
        self.assertEqual(over["reason"], "LIFETIME_OVER")
        self.assert_refused(self.api.run(name, "true"), 410, "SESSION_ENDED")

    def test_a_session_whose_node_lost_it_says_so(self):
        name = self.session()
        uid = self.object(name)["metadata"]["uid"]
        self.output(name, "echo kept > f")
        (self.folder(uid) / "session.json").unlink()
        self.instance.kill("paddock-node-agent")
        self.instance.up()
        type(self).connect()
        answer = wait_until("the loss to be told", lambda: (lambda got: got if got[0] != 503 else None)(
            self.api.run(name, "cat f")))
        self.assert_refused(answer, 410, "SESSION_ENDED")
        self.assertEqual(self.object(name)["status"]["reason"], "SESSION_LOST")

    def test_a_launcher_that_is_gone_is_started_again(self):
        name = self.session()
        self.output(name, "echo kept > f")
        judging = [pid for pid in self.instance.processes() if b"--judge" in command_of(pid)]
        for pid in judging:
            send(signal.SIGKILL, pid)  # one ends with the other
        for pid in judging:
            wait_until("the launcher to be gone", lambda: ended(pid))
        self.assertTrue(judging)
        self.assertEqual(self.output(name, "cat f"), "kept\n")

    # proves: WSM-43
    def test_another_namespace_does_not_see_it(self):
        name = self.session()
        path = self.api.sandboxes(name, namespace="other")
        self.assertEqual(self.api.ask("GET", path)[0], 404)
        self.assertEqual(self.api.ask("POST", path + "/commands", {"command": "true"})[0], 404)
        self.assertEqual(self.api.ask("GET", path + "/files")[0], 404)

    # proves: WSM-43
    def test_a_token_of_another_tenant_reaches_no_session_but_its_own(self):
        scopes = ("--scope", "runs:read", "--scope", "runs:write")
        token = self.instance.run("admin", "token", "create", "other", "-n", "other", *scopes).stdout.strip()
        name = self.session()
        self.output(name, "echo secret > f")
        body = {"command": "cat f"}
        calls = (("GET", "", None), ("POST", "/commands", body), ("POST", "/commands/c1/cancel", {}), ("GET", "/files", None),
                 ("GET", "/files/f", None), ("PUT", "/files/f", b"changed"), ("DELETE", "/files/f", None), ("DELETE", "", None))
        for namespace, status in (("default", 403), ("other", 404)):  # where the session is, and where the caller may be
            for method, tail, sent in calls:
                path = self.api.sandboxes(name, tail, namespace)
                self.assertEqual(self.api.ask(method, path, sent, token=token)[0], status, (namespace, method, tail))
        self.assertEqual(self.output(name, "cat f"), "secret\n")
        made = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Sandbox", "metadata": {"name": name}, "spec": {}}
        self.assertEqual(self.api.ask("POST", self.api.sandboxes(namespace="other"), made, token=token)[0], 201)
        status, answer = self.api.ask("POST", self.api.sandboxes(name, "/commands", "other"), {"command": "ls"}, token=token)
        self.assertEqual((status, answer["stdout"]), (200, ""), "one of the same name is another")


class CommandLine(SessionTest):
    # proves: WSM-50, WSM-92
    def test_the_verbs(self):
        run = self.instance.run
        name = run("sandbox", "create", "--timeout", "10m", "--memory", "128Mi").stdout.strip()
        self.assertIn(name, run("sandbox", "list").stdout)
        self.assertIn(name, run("get", "sandboxes", "-o", "name").stdout)
        done = run("sandbox", "exec", name, "echo out; echo err >&2; exit 3", check=False)
        self.assertEqual((done.returncode, done.stdout), (3, "out\n"))
        self.assertIn("err\n", done.stderr)
        self.assertEqual(run("sandbox", "exec", name, "--", "python3", "-c", "print('a b')").stdout, "a b\n")
        document = json.loads(run("sandbox", "exec", name, "-o", "json", "echo x").stdout)
        self.assertEqual((document["exitCode"], document["stdout"]), (0, "x\n"))
        with tempfile.NamedTemporaryFile("w") as local:
            local.write("from here")
            local.flush()
            run("sandbox", "files", name, "in/it", "--put", local.name)
        self.assertEqual(run("sandbox", "files", name, "in/it").stdout, "from here")
        self.assertIn("in", run("sandbox", "files", name).stdout)
        run("sandbox", "files", name, "in", "--rm")
        self.assertNotIn("it", run("sandbox", "files", name, check=False).stdout)
        denied = run("sandbox", "exec", name, "wget http://192.0.2.1/ || curl http://192.0.2.1/ || perl -e 1", check=False)
        self.assertNotEqual(denied.returncode, 0)
        run("sandbox", "destroy", name)
        self.assertNotEqual(run("sandbox", "exec", name, "true", check=False).returncode, 0)

    def test_the_example(self):
        env = {**self.instance.env, "PATH": f"{BIN}:/usr/bin:/bin"}
        for _ in range(3):  # again where the machine keeps an honest command waiting for the 5 s that each has
            done = subprocess.run(["sh", str(SOURCE / "examples/sessions/walk.sh")], env=env, text=True, timeout=2 * PATIENCE_S,
                                  capture_output=True)
            if done.returncode == 0:
                break
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.endswith("      1 apple\n      2 pear\n"), done.stdout)

    def test_cancel_from_the_command_line(self):
        name = self.session()
        running = self.instance.start("sandbox", "exec", name, "--id", "c1", ": > up; sleep 500")
        wait_until("the command to run", lambda: self.api.file("GET", name, "up")[0] == 200)
        self.instance.run("sandbox", "cancel", name, "c1")
        running.communicate(timeout=PATIENCE_S)
        self.assertEqual(running.returncode, 143)

    def test_kubectl_knows_the_kind(self):
        status, found = self.api.ask("GET", "/apis/paddock.dev/v1alpha1")
        self.assertEqual(status, 200)
        row = next(each for each in found["resources"] if each["name"] == "sandboxes")
        self.assertEqual((row["kind"], row["namespaced"], row["shortNames"]), ("Sandbox", True, ["sb"]))


if __name__ == "__main__":
    main()
