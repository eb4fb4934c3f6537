"""More runs than one answer holds: every command of ours reads them part by part, and says so when it could not."""
import http.client
import json
import ssl
import unittest
import urllib.parse

from bare_controller import BareController
from harness import main

MANY = 1_150  # more than two parts, of rows and of objects
RUNS = "/apis/paddock.dev/v1alpha1/namespaces/default/runs"


class LargeLists(BareController):
    def setUp(self):
        super().setUp()
        self.start()
        self.options = ("--server", self.url, "--ca-file", self.data / "tls/ca.pem", "--token-file", self.data / "tokens/admin")

    def ask(self, method, target, body=None):
        tls = ssl.create_default_context(cafile=str(self.data / "tls/ca.pem"))
        address = urllib.parse.urlsplit(self.url)
        connection = http.client.HTTPSConnection(address.hostname, address.port, context=tls, timeout=300)
        try:
            token = (self.data / "tokens/admin").read_text().strip()
            connection.request(method, target, json.dumps(body) if body else None,
                               {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def make(self, count):
        """Runs that wait, as there is no node."""
        for first in range(0, count, 1000):
            items = [{"metadata": {"name": f"r{number:05}", "labels": {"sweep": "a"}}, "spec": {"type": "code", "code": "print(1)"}}
                     for number in range(first, min(first + 1000, count))]
            status, answer = self.ask("POST", RUNS, {"apiVersion": "paddock.dev/v1alpha1", "kind": "RunList", "items": items})
            self.assertEqual(status, 201, answer)

    def command(self, *words):
        done = self.paddock(*words, *self.options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_every_form_shows_all_of_them_and_deletes_all(self):
        self.make(MANY)
        names = [f"r{number:05}" for number in range(MANY)]
        rows = self.command("get", "runs").splitlines()
        self.assertEqual(rows[0].split(), ["NAME", "PHASE", "RC", "NODE", "DURATION", "AGE"])
        self.assertEqual([row.split()[0] for row in rows[1:]], names)
        self.assertEqual(len(self.command("get", "runs", "-o", "wide").splitlines()), MANY + 1)
        self.assertEqual(self.command("get", "runs", "-o", "name").split(), [f"run.paddock.dev/{name}" for name in names])
        listed = json.loads(self.command("get", "runs", "-o", "json"))
        self.assertEqual([run["metadata"]["name"] for run in listed["items"]], names)
        self.assertNotIn("continue", listed["metadata"])
        self.assertEqual(self.command("get", "runs", "-o", "jsonpath={.items[*].metadata.name}").split(), names)
        status = self.paddock("status", *self.options)  # not ready: it has no node
        self.assertRegex(status.stdout, rf"(?m)^runs +{MANY} Pending$")
        self.assertRegex(self.command("top"), rf"(?m)^default +0 +{MANY} ")
        told = self.paddock("cancel", "-l", "sweep=a", *self.options)
        self.assertEqual((told.returncode, told.stderr.count(" is being canceled\n")), (0, MANY), told.stderr[-500:])
        self.assertEqual(len(self.command("delete", "runs", "--all").splitlines()), MANY)
        self.assertRegex(self.paddock("status", *self.options).stdout, r"(?m)^runs +none$")

    def test_who_may_not_know_is_not_told_that_there_are_none(self):
        self.make(2)
        made = self.command("admin", "token", "create", "blind", "--scope", "nodes:read")
        (self.folder / "blind").write_text(made.split()[-1] if made.split() else "")
        status = self.paddock("status", "--server", self.url, "--ca-file", self.data / "tls/ca.pem", "--token-file", self.folder / "blind")
        self.assertNotRegex(status.stdout, r"(?m)^runs +none$")
        self.assertIn("not known", status.stdout)


if __name__ == "__main__":
    main()
