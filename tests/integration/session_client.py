"""Sandbox sessions as a test uses them: one HTTPS connection per thread to an instance's controller."""
import base64
import contextlib
import http.client
import json
import threading
import unittest
import urllib.parse
import uuid

from harness import Instance, wait_until

BASE = "/apis/paddock.dev/v1alpha1/namespaces/"


class SessionApi:
    def __init__(self, instance):
        self.port = instance.port()
        self.token = instance.admin_token()
        self.tls = instance.trust()
        self.local = threading.local()
        self.connections = []

    def connect(self):
        self.connections.append(http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=600))
        return self.connections[-1]

    def close(self):
        for connection in self.connections:
            connection.close()

    def ask(self, method, path, body=None, headers=None, token=None):
        """Status, and the body: decoded where it is JSON."""
        sent = {"Authorization": f"Bearer {token or self.token}", **(headers or {})}
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        for attempt in (1, 2):
            if not hasattr(self.local, "connection"):
                self.local.connection = self.connect()
            try:
                self.local.connection.request(method, path, body, sent)
                answer = self.local.connection.getresponse()
                content = answer.read()
                break
            except (http.client.HTTPException, OSError):
                self.local.connection.close()
                del self.local.connection
                if attempt == 2:
                    raise
        if answer.getheader("Content-Type", "").startswith("application/json"):
            return answer.status, json.loads(content)
        return answer.status, content

    def sandboxes(self, name="", tail="", namespace="default"):
        return BASE + namespace + "/sandboxes" + (f"/{name}" if name else "") + tail

    def create(self, security=None, name=None, **spec):
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Sandbox",
                "metadata": {"name": name or f"s-{uuid.uuid4().hex[:12]}"}, "spec": dict(spec)}
        if security is not None:
            body["spec"]["security"] = security
        return self.ask("POST", self.sandboxes(), body)

    def run(self, name, command, **fields):
        return self.ask("POST", self.sandboxes(name, "/commands"), {"command": command, **fields})

    def cancel(self, name, command_id):
        return self.ask("POST", self.sandboxes(name, f"/commands/{command_id}/cancel"), {})

    def file(self, method, name, path="", body=None, query=""):
        tail = "/files" + (f"/{urllib.parse.quote(path)}" if path else "") + query
        return self.ask(method, self.sandboxes(name, tail), body)

    def destroy(self, name):
        return self.ask("DELETE", self.sandboxes(name))

    def stream(self, name, command, **fields):
        """The events of a streamed command, as they come: (type, data)."""
        connection = self.connect()
        with contextlib.closing(connection):
            connection.request("POST", self.sandboxes(name, "/commands?stream=true"),
                               json.dumps({"command": command, **fields}),
                               {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            if answer.status != 200:
                raise AssertionError((answer.status, answer.read()))
            kind = None
            for line in answer:
                text = line.decode().rstrip("\n")
                if text.startswith("event: "):
                    kind = text[7:]
                elif text.startswith("data: "):
                    yield kind, json.loads(text[6:])

    def audit(self, session_uid):
        events, after = [], 0
        while True:
            status, page = self.ask("GET", f"/audit?after={after}&limit=500")
            assert status == 200, page
            events += [event for event in page["items"] if event.get("session_id") == session_uid]
            if not page["items"]:
                return events
            after = page["last"]


class SessionTest(unittest.TestCase):
    """One instance for all classes of a suite."""
    _shared = None

    @classmethod
    def setUpClass(cls):
        if SessionTest._shared is None:
            SessionTest._shared = unittest.enterModuleContext(Instance())
        cls.instance = SessionTest._shared
        cls.connect()

    @classmethod
    def connect(cls):
        cls.api = SessionApi(cls.instance)
        cls.addClassCleanup(cls.api.close)
        status, made = wait_until("a node to take sessions", lambda: (lambda got: got if got[0] == 201 else None)(
            cls.api.create()))
        cls.api.destroy(made["metadata"]["name"])

    def session(self, security=None, **spec):
        """A new session's name; it is destroyed after the test. Unless `security` says how long its commands may take, that is longer
        than a busy machine makes an honest one wait: of the usual 10 s it may give a command no processor at all."""
        security = security or {}
        status, made = self.api.create({**security, "limits": {"timeoutMs": 600_000, **security.get("limits", {})}}, **spec)
        self.assertEqual(status, 201, made)
        name = made["metadata"]["name"]
        self.addCleanup(lambda: self.api.destroy(name))
        return name

    def object(self, name):
        status, session = self.api.ask("GET", self.api.sandboxes(name))
        self.assertEqual(status, 200, session)
        return session

    def result(self, name, command, **fields):
        status, result = self.api.run(name, command, **fields)
        self.assertEqual(status, 200, result)
        return result

    def output(self, name, command):
        result = self.result(name, command)
        self.assertEqual(result["exitCode"], 0, result)
        return result["stdout"]

    def assert_refused(self, answer, status, code, field=None):
        self.assertEqual(answer[0], status, answer)
        self.assertEqual(answer[1]["error"]["code"], code, answer)
        if field:
            self.assertIn(field, json.dumps(answer[1]), answer)

    @staticmethod
    def decoded(events, stream):
        return b"".join(base64.b64decode(data["base64"]) for kind, data in events if kind == stream)
