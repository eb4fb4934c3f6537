"""An instance that answers POST /execute on a port of its own, and how a test asks it."""
import http.client
import json
import unittest

from harness import Instance, held_port, wait_until


class Executing(unittest.TestCase):
    """One instance for all tests of a class; `settings` are its programs' variables."""
    settings = {}

    @classmethod
    def setUpClass(cls):
        cls.instance = cls.enterClassContext(cls.prepared())
        cls.instance.up()
        cls.wait_healthy()

    @classmethod
    def prepared(cls):
        cls.port = cls.enterClassContext(held_port())
        instance = Instance()
        instance.env.update(PADDOCK_CONTROLLER_EXECUTE_PORT=str(cls.port), **cls.settings)
        return instance

    @classmethod
    def wait_healthy(cls):
        return wait_until("a node to take snippets",
                          lambda: (lambda got: got[1] if got[0] == 200 else None)(cls.ask("GET", "/health")))

    @classmethod
    def ask(cls, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", cls.port, timeout=120)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def post(self, code=None, **fields):
        if code is not None:
            fields["code"] = code
        return self.ask("POST", "/execute", json.dumps(fields))

    def execute(self, code, **fields):
        status, answer = self.post(code, **fields)
        self.assertEqual(status, 200, answer)
        self.assertEqual(set(answer), {"success", "stdout", "stderr", "exit_code", "execution_time_ms", "error",
                                       "validation_errors"})
        self.assertIsInstance(answer["success"], bool)
        self.assertIsInstance(answer["execution_time_ms"], int)
        return answer

    def output_of(self, code, **fields):
        answer = self.execute(code, **fields)
        self.assertTrue(answer["success"], answer)
        return answer["stdout"]
