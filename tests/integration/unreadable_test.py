"""Stored objects that this version cannot read: each is left out, and hides and stops nothing else."""
import contextlib
import sqlite3
import unittest

from harness import Instance, find_file, main, make_project
from session_client import SessionApi

API = "/apis/paddock.dev/v1alpha1/namespaces/default/"


class Unreadable(unittest.TestCase):
    def setUp(self):
        self.instance = self.enterContext(Instance())

    def damage(self, kind, name="%"):
        """As another version would have written it, or a disk."""
        self.instance.run("down")
        with contextlib.closing(sqlite3.connect(find_file(self.instance.home, "paddock.db"))) as db:
            done = db.execute("UPDATE objects SET data = json_set(data, '$.status.newField', 1) WHERE kind = ? AND name LIKE ?",
                              (kind, name))
            self.assertEqual(done.rowcount, 1)
            db.commit()
        self.instance.up()

    def names(self, plural):
        status, listed = self.instance.ask("GET", API + plural)
        self.assertEqual(status, 200, listed)
        return {each["metadata"]["name"] for each in listed["items"]}

    def test_a_session_stops_neither_runs_nor_other_sessions(self):
        api = SessionApi(self.instance)
        self.addCleanup(api.close)
        for name in ("damaged", "sound"):
            self.assertEqual(api.create(name=name)[0], 201)
        self.damage("Sandbox", "damaged")
        self.assertEqual(self.names("sandboxes"), {"sound"})
        self.assertEqual(self.instance.post_run("after", {"type": "command", "command": ["true"]})[0], 201)
        self.instance.wait_phase("after", "Succeeded")

    def test_a_secret_hides_no_other(self):
        for name in ("damaged", "sound"):
            body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Secret", "metadata": {"name": name},
                    "stringData": {"k": "v"}}
            status, answer = self.instance.ask("POST", API + "secrets", body)
            self.assertEqual(status, 201, answer)
        self.damage("Secret", "damaged")
        self.assertEqual(self.names("secrets"), {"sound"})

    def test_a_workspace_keeps_nobody_from_sending_files(self):
        for name in ("first", "second"):
            project = make_project(self.instance.home / name, script__py=f"print('{name}')\n")
            self.instance.run("compute", project, "python3 script.py")
            if name == "first":
                self.damage("Workspace")


if __name__ == "__main__":
    main()
