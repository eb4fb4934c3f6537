"""What a client of E2B's shape sees when controller or agent are killed or stand still under it: its result, or an error
that says what happened; and no command runs twice. The client is a few lines, so that nothing is tried again for it."""
import base64
import concurrent.futures
import contextlib
import http.client
import json
import os
import signal
import struct
import threading
import unittest

from harness import Instance, ended, main, pids_running, send, wait_until
from session_client import SessionApi
from standstill_test import stand_still

# Notes that it was begun, and waits to be told to end.
TOLD = "echo x >> begun; python3 -c 'import signal; signal.signal(signal.SIGUSR1, lambda *_: exit(0))\nopen(\"ready\", \"w\").close()\n" \
       "while True: signal.pause()' {mark}; echo done"


class Client:
    """E2B's calls, each sent once, on a connection of its own."""

    def __init__(self, api):
        self.api = api

    def ask(self, method, path, body=None, **headers):
        connection = self.api.connect()
        with contextlib.closing(connection):
            sent = {"X-API-Key": self.api.token, **{name.replace("_", "-"): value for name, value in headers.items()}}
            connection.request(method, "/e2b" + path, body, sent)
            answer = connection.getresponse()
            return answer.status, answer.read()

    def create(self):
        status, body = self.ask("POST", "/v2/sandboxes", json.dumps({"templateID": "base", "timeout": 600}),
                                Content_Type="application/json")
        assert status == 201, body
        return json.loads(body)["sandboxID"]

    def run(self, name, text, **headers):
        """The messages of the command's stream: its events, and what its end says."""
        message = json.dumps({"process": {"cmd": "/bin/bash", "args": ["-l", "-c", text]}}).encode()
        status, content = self.ask("POST", "/envd/process.Process/Start", b"\0" + struct.pack(">I", len(message)) + message,
                                   E2b_Sandbox_Id=name, Content_Type="application/connect+json", Connect_Protocol_Version="1", **headers)
        assert status == 200, content
        messages = []
        while content:
            size = struct.unpack(">I", content[1:5])[0]
            messages.append((content[0], json.loads(content[5:5 + size])))
            content = content[5 + size:]
        return messages

    def output(self, name, text):
        """The output of a command that has to end well."""
        messages = self.run(name, text)
        ends = [each["event"]["end"] for _, each in messages if "end" in each.get("event", {})]
        assert ends and ends[0].get("exitCode", 0) == 0, messages
        return b"".join(base64.b64decode(each["event"]["data"]["stdout"]) for _, each in messages
                        if "stdout" in each.get("event", {}).get("data", {})).decode()

    def write(self, name, path, content):
        edge = b"edge-of-a-form"
        form = b"--" + edge + b'\r\nContent-Disposition: form-data; name="file"; filename="' + path.encode() + \
            b'"\r\nContent-Type: application/octet-stream\r\n\r\n' + content + b"\r\n--" + edge + b"--\r\n"
        return self.ask("POST", f"/envd/files?path={path}", form, E2b_Sandbox_Id=name,
                        Content_Type="multipart/form-data; boundary=" + edge.decode())

    def read(self, name, path):
        return self.ask("GET", f"/envd/files?path={path}", E2b_Sandbox_Id=name)


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.instance.env["PADDOCK_CONTROLLER_NODES_LEASE"] = "4s"
        cls.instance.env["PADDOCK_CONTROLLER_NODES_LOST_AFTER"] = "5s"
        cls.enterClassContext(cls.instance)
        cls.api = SessionApi(cls.instance)
        cls.addClassCleanup(cls.api.close)
        cls.e2b = Client(cls.api)

    def setUp(self):
        self.name = wait_until("a sandbox", self.e2b.create)
        self.mark = f"e2b-fault-{self.id().rsplit('.', 1)[1]}-{os.getpid()}"
        self.pool = self.enterContext(concurrent.futures.ThreadPoolExecutor())

    def tearDown(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            self.e2b.ask("DELETE", f"/sandboxes/{self.name}")

    def begin(self):
        """A command that runs by now."""
        call = self.pool.submit(self.e2b.run, self.name, TOLD.format(mark=self.mark))
        wait_until("the command", lambda: call.done() or self.e2b.read(self.name, "ready")[0] == 200)
        self.assertFalse(call.done(), call.done() and call.result())
        return call

    def tell(self):
        for pid in pids_running(self.mark):
            send(signal.SIGUSR1, pid)

    def assert_it_ran_once(self):
        self.assertEqual(self.e2b.output(self.name, "cat begun; echo here"), "x\nhere\n")
        self.assertEqual(pids_running(self.mark), [])

    def test_a_command_whose_time_is_over_is_told_which_time_that_was(self):
        messages = self.e2b.run(self.name, "sleep 600", Connect_Timeout_Ms="700")
        self.assertEqual(messages[-1][0], 2, messages)
        error = messages[-1][1]["error"]
        self.assertEqual(error["code"], "deadline_exceeded", error)
        self.assertIn("longer than the 700ms that its caller gave it, and was ended (COMMAND_TIMEOUT)", error["message"])

    def test_a_file_that_is_not_there_is_named_as_its_caller_did(self):
        status, body = self.e2b.read(self.name, "/home/user/none")
        self.assertEqual((status, json.loads(body)["message"]), (404, "`/home/user/none`: there is no such file"))
        for method, message in (("Stat", {"path": "~/none"}), ("ListDir", {"path": "~/none"}), ("Move", {"source": "~/none", "destination": "b"})):
            status, body = self.e2b.ask("POST", f"/envd/filesystem.Filesystem/{method}", json.dumps(message), E2b_Sandbox_Id=self.name,
                                        Content_Type="application/json")
            self.assertEqual(status, 404, body)
            self.assertTrue(json.loads(body)["message"].startswith("`~/none`: there is no such file"), body)

    def test_a_controller_killed_between_create_and_the_first_command(self):
        self.instance.kill("paddock-controller")
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.e2b.run(self.name, "echo x >> begun")
        self.instance.run("up")
        self.assertEqual(self.e2b.output(self.name, "echo x >> begun; cat begun"), "x\n")

    def test_a_controller_killed_under_a_command(self):
        call = self.begin()
        pids = pids_running(self.mark)
        self.instance.kill("paddock-controller")
        with self.assertRaises((OSError, http.client.HTTPException)):
            call.result(timeout=120)
        self.instance.run("up")
        wait_until("the command to be gone", lambda: all(ended(pid) for pid in pids))
        self.assert_it_ran_once()

    def test_an_agent_killed_under_a_command(self):
        call = self.begin()
        pids = pids_running(self.mark)
        self.instance.kill("paddock-node-agent")
        self.addCleanup(self.instance.run, "up")  # for the tests after this one
        messages = call.result(timeout=120)
        self.assertEqual(messages[-1][0], 2, messages)
        error = messages[-1][1].get("error", {})
        self.assertEqual(error.get("code"), "aborted", messages)
        self.assertRegex(error["message"], "NODE_LOST|CALL_LOST")
        wait_until("the command to be gone", lambda: all(ended(pid) for pid in pids))
        self.instance.run("up")
        self.assert_it_ran_once()

    def test_a_controller_that_stands_still_for_longer_than_a_lease(self):
        call = self.begin()
        for _ in stand_still([self.instance.pid_of("paddock-controller")]):
            pass
        self.assertEqual(self.e2b.output(self.name, "echo here"), "here\n")
        self.assertFalse(call.done(), call.done() and call.result())
        self.tell()
        messages = call.result(timeout=120)
        self.assertIn("end", messages[-2][1].get("event", {}), messages)
        self.assert_it_ran_once()

    def write_some(self, round_, answers, stop):
        number = 0
        while not stop.is_set():
            path = f"file-{round_}-{number}"
            number += 1
            try:
                answers[path] = self.e2b.write(self.name, path, self.content(path))
            except (OSError, http.client.HTTPException) as error:
                answers[path] = (None, repr(error).encode())

    def content(self, path):
        return path.encode() * (400_000 // len(path))

    def test_an_agent_killed_while_files_are_written(self):
        answers = {}
        for round_ in range(3):
            stop = threading.Event()
            writers = [self.pool.submit(self.write_some, f"{round_}-{writer}", answers, stop) for writer in range(2)]
            wait_until("some files", lambda: len([path for path in answers if path.startswith(f"file-{round_}")]) > 4)
            self.instance.kill("paddock-node-agent")
            wait_until("an answer that is no success", lambda: any(status != 200 for status, _ in answers.values()))
            stop.set()
            for each in writers:
                each.result(timeout=120)
            self.instance.run("up")
            wait_until("the node", lambda: self.e2b.read(self.name, "none")[0] == 404)
        for path, (status, body) in answers.items():
            found = self.e2b.read(self.name, path)
            if status == 200:
                self.assertEqual(found, (200, self.content(path)), f"{path} was acknowledged")
            else:
                self.assertIn("message", json.loads(body), f"{path}: {status}")
                self.assertIn(found[0], (200, 404), path)
                if found[0] == 200:
                    self.assertEqual(found[1], self.content(path), f"{path} is torn")


if __name__ == "__main__":
    main()
