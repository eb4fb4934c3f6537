"""Hostile requests against a live controller over TLS: clear errors, nothing crashes, nothing leaks."""
import http.client
import json
import os
import unittest

from harness import Instance, find_file, main

RUNS = "/apis/paddock.dev/v1alpha1/namespaces/default/runs"


def run_body(**spec):
    return {"apiVersion": "paddock.dev/v1alpha1", "kind": "Run", "metadata": {"generateName": "bad-"},
            "spec": {"type": "compute", "command": ["python3", "x.py"], **spec}}


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.enterClassContext(cls.instance)
        cls.port = cls.instance.port()
        cls.pid = cls.instance.pid_of("paddock-controller")
        cls.token = cls.instance.admin_token()
        cls.tls = cls.instance.trust()

    def call(self, method, target, body=None, token=None, headers=None):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=60)
        sent = {"Authorization": f"Bearer {self.token if token is None else token}", "Content-Type": "application/json"}
        sent.update(headers or {})
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        connection.request(method, target, body=body, headers={k: v for k, v in sent.items() if v})
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        connection.close()
        return answer.status, text

    def refused(self, status, reason, field, *call, **options):
        got, text = self.call(*call, **options)
        self.assertEqual(got, status, text)
        answer = json.loads(text)
        self.assertEqual(answer["kind"], "Status")
        self.assertEqual(answer["error"]["code"], reason, text)
        if field:
            self.assertIn(field, [c["field"] for c in answer["error"]["details"]["causes"]])
        for secret in (str(self.instance.home), self.token, "/root", "/tmp/"):
            self.assertNotIn(secret, text)

    def tearDown(self):
        self.assertEqual(self.instance.pid_of("paddock-controller"), self.pid, "the controller died")

    def test_documents(self):
        self.refused(400, "UNKNOWN_FIELD", "spec.comand", "POST", RUNS, run_body(comand="x"))
        self.refused(400, "INVALID_FIELD", "spec.timeout", "POST", RUNS, run_body(timeout=5))
        self.refused(400, "INVALID_FIELD", "spec.priority", "POST", RUNS, run_body(priority="high"))
        self.refused(400, "MALFORMED_JSON", None, "POST", RUNS, '{"spec": {"type"')
        self.refused(400, "MALFORMED_JSON", None, "POST", RUNS, b'{"a": "\xff\xfe"}')
        self.refused(400, "MALFORMED_JSON", None, "POST", RUNS, '{"a": 1, "a": 2}')
        self.refused(400, "DOCUMENT_TOO_DEEP", None, "POST", RUNS, "[" * 100_000 + "]" * 100_000)
        bomb = "a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\n"
        self.refused(400, "MALFORMED_YAML", None, "POST", RUNS, bomb, headers={"Content-Type": "application/yaml"})

    # proves: WSM-36, WSM-88
    def test_sizes_are_refused_before_parsing(self):
        # Decided by the declared length: the first bytes are no JSON, and the rest is never sent.
        self.refused(413, "BODY_TOO_LARGE", None, "POST", RUNS, "not json",
                     headers={"Content-Length": str(8 * 1024 * 1024 + 1)})

    def test_credentials(self):
        self.refused(401, "TOKEN_MISSING", None, "GET", RUNS, token="", headers={"Authorization": ""})
        self.refused(401, "TOKEN_UNKNOWN", None, "GET", RUNS, token="nonsense")
        enroll = find_file(self.instance.home, "tokens/enroll").read_text().strip()
        self.refused(403, "SCOPE_MISSING", None, "GET", RUNS, token=enroll)

    def test_unknown_objects(self):
        self.refused(404, "RUN_NOT_FOUND", None, "GET", RUNS + "/nope")
        self.refused(404, "ROUTE_NOT_FOUND", None, "GET", "/apis/paddock.dev/v1alpha1/things")

    # proves: OD-44
    def test_traversal_in_paths(self):
        for target in ("/apis/../etc/passwd", "/apis/%2e%2e/x", "/apis/a%2fb", "/apis/%00", "/apis//x", "/apis/%c0%ae"):
            status, text = self.call("GET", target)
            self.assertIn(status, (400, 404), target)
            self.assertEqual(json.loads(text)["kind"], "Status")

    def test_uploads(self):
        workspaces = "/apis/paddock.dev/v1alpha1/namespaces/default/workspaces"
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Workspace", "metadata": {"name": "w"}}
        self.assertIn(self.call("POST", workspaces, body)[0], (200, 201))
        for path in ("../x", "/etc/passwd", "a/../b", "a//b", "a\\b", "nul\u0000l", "new\nline", "x" * 300):
            entry = {"path": path, "digest": "0" * 64, "size": 1, "executable": False}
            self.refused(400, "INVALID_FIELD", "entries[0].path", "POST", workspaces + "/w/tree", {"entries": [entry]})
        for target in ("/etc", "..", "../x", "a/../..", "s/up/../..", ".", "", "new\nline", "a\\b"):
            link = {"path": "x", "target": target}
            self.refused(400, "INVALID_FIELD", "links[0].target", "POST", workspaces + "/w/tree", {"entries": [], "links": [link]})
        for tree in ({"links": [{"path": "l", "target": "a"}], "folders": [{"path": "l/below"}]},
                     {"links": [{"path": "l", "target": "a"}, {"path": "l/below", "target": "a"}]},
                     {"links": [{"path": "l", "target": "a"}], "folders": [{"path": "L"}]}):
            self.refused(400, "INVALID_FIELD", None, "POST", workspaces + "/w/tree", {"entries": [], **tree})
        self.refused(400, "DIGEST_MISMATCH", None, "PUT", workspaces + "/w/blobs/" + "0" * 64, "not zero",
                     headers={"Content-Type": "application/octet-stream"})

    def test_a_second_agent_cannot_claim_a_name(self):
        enroll = find_file(self.instance.home, "tokens/enroll").read_text().strip()
        node = self.instance.get("nodes")["items"][0]["metadata"]["name"]
        self.refused(409, "NODE_NAME_TAKEN", None, "POST", f"/apis/paddock.dev/v1alpha1/nodes/{node}/enroll",
                     {"identity": "another-agent-with-its-own-secret-0000"}, token=enroll)

    def test_ten_thousand_random_bytes_do_not_hurt(self):
        for _ in range(20):
            self.call("POST", RUNS, os.urandom(10_000))


if __name__ == "__main__":
    main()
