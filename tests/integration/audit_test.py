"""The audit log of a live instance: what really happened, once and in order."""

import base64
import contextlib
import http.server
import json
import pathlib
import sqlite3
import subprocess
import tempfile
import threading
import unittest

from harness import BIN, Instance, find_file, make_project

FORGED = '{"id":1,"type":"sandbox.destroy","subject":"admin"}'


@contextlib.contextmanager
def relay(instance, checkpoint, times):
    """A server before this one, which answers so many times with this checkpoint of earlier; the environment of its callers."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            stale = self.path == "/audit/checkpoint" and len(asked) < times
            if stale:
                asked.append(self.path)
            status, answer = (200, checkpoint) if stale else instance.ask("GET", self.path)
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield {**instance.env, "PADDOCK_SERVER": f"http://127.0.0.1:{server.server_address[1]}", "PADDOCK_TOKEN": "token"}
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Audit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.enterClassContext(cls.instance)
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-project-"))
        cls.project = make_project(
            folder,
            ok__py="print('fine')\n",
            reach__py="import socket\nsocket.create_connection(('10.1.2.3', 80), 1)\n",
            flood__py="import sys\nsys.stdout.write('x' * ((64 << 20) + 1))\n",
            spin__py="while True: pass\n",
            forge__py=f"import sys\nprint({FORGED!r})\nprint({FORGED!r}, file=sys.stderr)\n")

    def run_and_read(self, name, script, *options):
        """The audit events of one run, oldest first."""
        self.instance.run("compute", self.project, f"python3 {script}", "--name", name, *options, check=False)
        uid = self.instance.run_object(name)["metadata"]["uid"]
        lines = self.instance.run("audit", "--session", uid, "-o", "json").stdout.splitlines()
        return [json.loads(line) for line in lines]

    # proves: WSM-45, WSM-51
    def test_a_command_is_told_once_in_order_with_its_keys(self):
        events = self.run_and_read("ok", "ok.py")
        self.assertEqual([e["type"] for e in events], ["object.create", "command.start", "command.complete"])
        self.assertEqual(events[0]["subject"], "admin")
        start, end = events[1:]
        self.assertEqual(start["command_id"], start["session_id"] + "/1")
        self.assertEqual(end["command_id"], start["command_id"])
        self.assertEqual((end["details"]["status"], end["details"]["rc"]), ("OK", "0"))
        self.assertEqual(sorted(e["id"] for e in events), [e["id"] for e in events])

    # proves: WSM-46, WSM-90
    def test_a_timeout_is_told_as_such(self):
        types = [e["type"] for e in self.run_and_read("spin", "spin.py", "--timeout", "1s")]
        self.assertEqual(types[-1], "command.timeout")
        self.assertNotIn("command.complete", types)

    # proves: WSM-46
    def test_a_cancel_is_told_with_who_asked(self):
        self.instance.run("compute", self.project, "python3 spin.py", "--name", "canceled", "--detach")
        self.instance.wait_phase("canceled", "Running")
        self.instance.run("cancel", "canceled")
        self.instance.wait_phase("canceled", "Canceled")
        uid = self.instance.run_object("canceled")["metadata"]["uid"]
        lines = self.instance.run("audit", "--session", uid, "-o", "json").stdout.splitlines()
        events = [json.loads(line) for line in lines]
        self.assertEqual([(e["type"], e.get("subject", "").split(":")[0]) for e in events][-2:],
                         [("run.cancel", "admin"), ("command.cancelled", "node")])

    # proves: WSM-47, WSM-90
    def test_a_denial_is_told_with_its_target(self):
        denied = [e for e in self.run_and_read("reach", "reach.py") if e["type"] == "capability.denied"]
        self.assertEqual(len(denied), 1)
        self.assertEqual(denied[0]["reason"], "E_CAPABILITY_DENIED")
        self.assertIn("10.1.2.3", denied[0]["details"]["target"])

    def test_a_policy_is_explained_and_judged_against_what_was_denied(self):
        self.run_and_read("judged", "reach.py")
        rows = self.explain("judged")
        self.assertRegex(rows["limits.memory"], "^8Gi +the profile compute ")
        self.assertRegex(rows["network.enabled"], "^false +nothing names it +none, by the operator's ceilings.network")
        policy = pathlib.Path(self.project, "policy.yaml")
        policy.write_text("limits:\n  memory: 1Gi\n  pids: 20\n")
        rows = self.explain("-f", policy, "--against", "judged")
        self.assertRegex(rows["limits.pids"], rf"^20 +{policy}:3 ")
        self.assertRegex(rows["denied"], "^network connect +10.1.2.3:80 +1 +network.enabled is false")
        policy.write_text("limits:\n  memory: 1Gi\n  pids: 0\n")
        for code, status, *args in (("INVALID_FIELD", 2, "-f", policy), ("RUN_NOT_FOUND", 127, "nowhere"), ("PROFILE_UNKNOWN", 2, "--profile", "x"),
                                    ("POLICY_UNREADABLE", 2, "-f", "/nowhere"), ("USAGE", 2), ("USAGE", 2, "judged", "--profile", "test")):
            done = self.instance.run("policy", "explain", *args, check=False)
            self.assertEqual((done.returncode, code in done.stderr), (status, True), done)
        for words in (("policy", "explain", "-f", policy), ("run", "--policy", policy, "--", "true")):
            told = self.instance.run(*words, check=False).stderr
            self.assertRegex(told, f"^error: {policy}:3: limits.pids: ")
            self.assertEqual(told.count("limits.pids"), 1, told)
        policy.write_text("network:\n  enabled: true\n  allowDomains: [a.example]\n")
        refused = self.instance.run("policy", "explain", "-f", policy, check=False)
        self.assertEqual(refused.returncode, 126, refused)
        self.assertIn("refused: network.enabled", refused.stdout)

    def explain(self, *args):
        """The rows of the answer by their first word."""
        lines = self.instance.run("policy", "explain", *args).stdout.splitlines()
        return dict(line.split(maxsplit=1) for line in lines if line)

    # proves: WSM-48, WSM-90
    def test_a_limit_is_told_with_its_name(self):
        limits = [e for e in self.run_and_read("flood", "flood.py") if e["type"] == "limit.exceeded"]
        self.assertEqual([e["details"]["limit"] for e in limits], ["stdout"])

    # proves: WSM-50, WSM-52
    def test_a_program_cannot_forge_an_event(self):
        events = self.run_and_read("forge", "forge.py")
        self.assertEqual([e["type"] for e in events], ["object.create", "command.start", "command.complete"])
        everything = self.instance.run("audit", "-o", "json", "--limit", "5000").stdout.splitlines()
        self.assertNotIn("sandbox.destroy", [json.loads(line)["type"] for line in everything])

    def test_a_table_for_people(self):
        self.run_and_read("shown", "ok.py")
        table = self.instance.run("audit", "--type", "command.complete", "--since", "1h").stdout
        self.assertIn("default/runs/shown", table)
        self.assertTrue(table.startswith("ID"), table)


class AuditChain(unittest.TestCase):
    """Whether the log is what was written: of a live controller, of files, and of a store that somebody wrote to."""

    @classmethod
    def setUpClass(cls):
        cls.instance = cls.enterClassContext(Instance())
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        node = cls.instance.get("nodes")["items"][0]["metadata"]["name"]
        cls.change = lambda self: [self.instance.run(verb, node) for verb in ("cordon", "uncordon")]
        cls.change(cls)
        cls.keys = cls.file("keys", cls.instance.run("receipt-keys").stdout)
        cls.checkpoint = cls.file("checkpoint", cls.instance.run("audit", "checkpoint").stdout)
        cls.export = cls.file("export", cls.instance.run("audit", "export").stdout)

    @classmethod
    def file(cls, name, text):
        path = cls.folder / name
        path.write_text(text)
        return path

    def verify(self, *args):
        return self.instance.run("audit", "verify", *args, check=False)

    def verify_file(self, path, *args):
        """By a program that knows of no instance."""
        return subprocess.run([str(BIN / "paddock"), "audit", "verify", str(path), *map(str, args)],
                              env={"HOME": str(self.folder), "PATH": "/nowhere"}, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=60)

    def expect(self, done, code, *words):
        self.assertEqual(done.returncode, 127 if code == "FILE_NOT_FOUND" else 2 if code.endswith(("MALFORMED", "USAGE", "INVALID")) else 1, done)
        self.assertEqual(done.stdout, "")
        for word in (code, *words):
            self.assertIn(word, done.stderr)

    def store(self):
        return find_file(self.instance.home, "paddock.db")

    def with_store(self, *statements):
        """Stops the instance, does this to its store's file, and starts it again."""
        self.instance.run("down")
        with contextlib.closing(sqlite3.connect(self.store())) as db:
            for statement in statements:
                db.execute(statement)
            db.commit()
        self.instance.up()

    def test_a_log_that_nobody_touched_holds(self):
        done = self.verify("--checkpoint", self.checkpoint)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("signed     record", done.stdout)
        self.assertIn("paddock audit checkpoint", self.verify().stderr)
        done = self.verify_file(self.export, "--keys", self.keys, "--checkpoint", self.checkpoint)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(done.stdout.count("signed "), 2)

    def test_a_changed_file_is_refused(self):
        keys = ("--keys", self.keys)
        lines = self.export.read_text().splitlines(keepends=True)
        self.expect(self.verify_file(self.file("changed", "".join(lines).replace("node.cordon", "node.cordom", 1)), *keys),
                    "AUDIT_RECORD_CHANGED", "record ")
        self.expect(self.verify_file(self.file("cut", "".join(lines[:-1])), *keys), "AUDIT_EXPORT_CUT")
        self.expect(self.verify_file(self.file("torn", "".join(lines)[:-30]), *keys), "AUDIT_EXPORT_MALFORMED", f"line {len(lines)}")
        self.expect(self.verify_file(self.file("shorter", "".join(lines[:-2] + lines[-1:])), *keys), "AUDIT_END_MISSING")
        self.expect(self.verify_file(self.export), "USAGE", "--keys")
        self.expect(self.verify_file(self.folder / "nowhere", *keys), "FILE_NOT_FOUND")
        self.expect(self.verify_file(self.checkpoint, *keys), "AUDIT_EXPORT_MALFORMED", "line 1")
        self.expect(self.verify_file(self.export, *keys, "--checkpoint", self.keys), "AUDIT_CHECKPOINT_MALFORMED")
        self.expect(self.verify_file(self.export, "--keys", self.export), "SIGNING_KEY_INVALID")

    def test_a_file_without_its_beginning_is_refused(self):
        lines = self.export.read_text().splitlines(keepends=True)
        records = [json.loads(line) for line in lines[1:-1]]
        for count, said in ((1, "record 1 is missing"), (2, "records 1 to 2 are missing"), (len(records), f"record {len(records)} is missing")):
            behind = {key: records[count - 1][key] for key in ("id", "hash")}
            cut = self.file("headless", json.dumps({"auditExportBehind": behind}) + "\n" + "".join(lines[1 + count:]))
            self.expect(self.verify_file(cut, "--keys", self.keys), "AUDIT_RECORD_MISSING", said)
            self.expect(self.verify_file(cut, "--keys", self.keys, "--checkpoint", self.checkpoint), "AUDIT_RECORD_MISSING", said)

    def test_an_export_of_a_log_whose_oldest_was_forgotten_holds(self):
        # As retention does it, whenever its time is.
        self.with_store("INSERT INTO settings (key, value) SELECT 'audit-anchor', id || ' ' || hash FROM audit WHERE id = 1",
                        "DELETE FROM audit WHERE id = 1")
        export = self.file("forgotten", self.instance.run("audit", "export").stdout)
        done = self.verify_file(export, "--keys", self.keys)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("all to record 1, as the controller signed", done.stdout)
        for done in (self.verify("--checkpoint", self.checkpoint), self.verify_file(export, "--keys", self.keys, "--checkpoint", self.checkpoint)):
            self.assertEqual(done.returncode, 0, done)
            self.assertIn("record 1 was forgotten since that checkpoint", done.stdout)
        for times, forgotten_meanwhile in ((1, False), (100, True)):
            with relay(self.instance, json.loads(self.checkpoint.read_text()), times) as env:
                done = subprocess.run([str(BIN / "paddock"), "audit", "export"], env=env, text=True, capture_output=True,
                                      stdin=subprocess.DEVNULL, timeout=60)
            if forgotten_meanwhile:
                self.expect(done, "AUDIT_PRUNED_MEANWHILE")
            else:
                self.assertEqual(self.verify_file(self.file("again", done.stdout), "--keys", self.keys).returncode, 0, done)

    # The last one: it leaves the store damaged.
    def test_what_was_done_to_the_store_is_found(self):
        self.change()
        self.change()
        newer = self.file("newer", self.instance.run("audit", "checkpoint").stdout)
        subject = json.loads(base64.b64decode(json.loads(newer.read_text())["payload"]))["subject"][0]["name"]
        last = int(subject.removeprefix("audit/"))
        # The newest two, and the count of what was given out: the chain alone cannot tell.
        self.with_store(f"DELETE FROM audit WHERE id > {last - 2}", f"UPDATE sqlite_sequence SET seq = {last - 2} WHERE name = 'audit'")
        self.assertEqual(self.verify().returncode, 0)
        self.expect(self.verify("--checkpoint", newer), "AUDIT_CHECKPOINT_", f"record {last}")
        self.assertEqual(self.verify("--checkpoint", self.checkpoint).returncode, 0, "what stands before it is whole")
        self.with_store("DELETE FROM audit WHERE id = 4")
        self.expect(self.verify(), "AUDIT_RECORD_MISSING", "record 4 is missing")
        self.with_store("UPDATE audit SET data = data || ' ' WHERE id = 3")
        self.expect(self.verify(), "AUDIT_RECORD_CHANGED", "record 3 ", "1 more fault behind it")


if __name__ == "__main__":
    unittest.main()
