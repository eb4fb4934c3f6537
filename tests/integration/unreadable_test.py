"""Stored objects that this version cannot read: each is left out, and hides and stops nothing else."""
import contextlib
import http.client
import json
import sqlite3
import unittest

from bare_controller import BareController
from harness import Instance, find_file, main, make_project, wait_until
from session_client import SessionApi

API = "/apis/paddock.dev/v1alpha1/namespaces/default/"


def damage(database, kind, name):
    """How many rows are now as another version would have written them, or a disk."""
    with contextlib.closing(sqlite3.connect(database)) as db:
        done = db.execute("UPDATE objects SET data = json_set(data, '$.status.newField', 1) WHERE kind LIKE ? AND name LIKE ?",
                          (kind, name))
        db.commit()
        return done.rowcount


class Unreadable(unittest.TestCase):
    def setUp(self):
        self.instance = self.enterContext(Instance())

    def damage(self, kind, name="%", rows=1):
        self.instance.run("down")
        self.assertEqual(damage(find_file(self.instance.home, "paddock.db"), kind, name), rows)
        self.instance.up()

    def delete(self, path):
        """The answer's status, its body and its warnings."""
        with contextlib.closing(self.instance.connect()) as connection:
            connection.request("DELETE", path, None, {"Authorization": f"Bearer {self.instance.admin_token()}"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}"), answer.headers.get_all("warning") or []

    def watched(self, plural, since):
        """What a watch from then on tells: the types of its events, with the names."""
        with contextlib.closing(self.instance.connect()) as connection:
            connection.request("GET", f"{API}{plural}?watch=1&timeoutSeconds=1&resourceVersion={since}", None,
                               {"Authorization": f"Bearer {self.instance.admin_token()}"})
            lines = connection.getresponse().read().splitlines()
        return [(event["type"], event["object"].get("metadata", {}).get("name")) for event in map(json.loads, filter(None, lines))]

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

    def test_each_is_deleted_by_its_name_and_keeps_no_other_from_being_deleted(self):
        api = SessionApi(self.instance)
        self.addCleanup(api.close)
        plurals = ("runs", "sandboxes", "secrets", "workspaces")
        for name in ("damaged", "sound"):
            self.assertEqual(api.create(name=name)[0], 201)
            self.assertEqual(self.instance.post_run(name, {"type": "command", "command": ["true"]})[0], 201)
            for plural, more in (("secrets", {"stringData": {"k": "v"}}), ("workspaces", {})):
                body = {"apiVersion": "paddock.dev/v1alpha1", "kind": plural.capitalize()[:-1], "metadata": {"name": name}, **more}
                status, answer = self.instance.ask("POST", API + plural, body)
                self.assertEqual(status, 201, answer)
            self.instance.wait_phase(name, "Succeeded")
        self.damage("%", "damaged", rows=len(plurals))
        since = {plural: self.instance.ask("GET", API + plural)[1]["metadata"]["resourceVersion"] for plural in plurals}
        for plural in plurals:
            status, answer, warnings = self.delete(API + plural)
            self.assertEqual(status, 200, answer)
            self.assertIn("sound", {each["metadata"]["name"] for each in answer["items"]})
            self.assertIn(f"{plural}/damaged stays", " ".join(warnings))
        for plural in plurals:
            status, answer, warnings = self.delete(API + plural + "/damaged")
            self.assertEqual((status, answer["kind"]), (200, "Status"), answer)
            self.assertIn("could not be read", " ".join(warnings))
            self.assertEqual(self.delete(API + plural + "/damaged")[0], 404)
            self.assertEqual(self.names(plural), set())
            # No list had it, so a watch has no news of it. A busy controller may tell little in one second.
            events = wait_until("a watch to tell of the other one", lambda: (lambda told: told if ("DELETED", "sound") in told else None)(
                self.watched(plural, since[plural])))
            self.assertEqual({name for _, name in events}, {"sound"}, events)
        self.assertEqual(self.instance.post_run("after", {"type": "command", "command": ["true"]})[0], 201)
        self.instance.wait_phase("after", "Succeeded")


    def test_what_an_array_made_does_not_go_with_it_and_is_named(self):
        status, answer = self.instance.post_run("many", {"type": "command", "command": ["true"], "array": {"count": 2}})
        self.assertEqual(status, 201, answer)
        self.instance.wait_phase("many", "Succeeded")
        self.damage("Run", "many")
        status, _, warnings = self.delete(API + "runs/many")
        selector = "paddock.dev/array=many"
        self.assertEqual(status, 200)
        self.assertIn(f"the selector {selector} deletes them", " ".join(warnings))
        self.assertEqual(self.names("runs"), {"many-0", "many-1"})
        self.instance.run("delete", "runs", "-l", selector)
        self.assertEqual(self.names("runs"), set())


class UnreadableGrant(BareController):
    """As long as it is there no run is placed."""

    def ask(self, method, path="/g1", body=None):
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=60)
        self.addCleanup(connection.close)
        connection.request(method, API + "grants" + path, None if body is None else json.dumps(body),
                           {"Authorization": f"Bearer {(self.data / 'tokens/admin').read_text().strip()}",
                            "Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"{}")

    def test_it_can_be_deleted(self):
        end = self.start(PADDOCK_CONTROLLER_PLAIN_HTTP_ON_LOOPBACK="true")
        grant = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Grant", "metadata": {"name": "g1"}, "spec": {"compute": {}}}
        self.assertEqual(self.ask("POST", "", grant)[0], 201)
        end()
        self.assertEqual(damage(self.data / "paddock.db", "Grant", "g1"), 1)
        self.start(PADDOCK_CONTROLLER_PLAIN_HTTP_ON_LOOPBACK="true")
        self.assertEqual(self.ask("GET")[0], 500)
        self.assertEqual(self.ask("DELETE", "")[0], 200)
        status, answer = self.ask("DELETE")
        self.assertEqual((status, answer.get("kind")), (200, "Status"), answer)
        self.assertEqual(self.ask("GET")[0], 404)


if __name__ == "__main__":
    main()
