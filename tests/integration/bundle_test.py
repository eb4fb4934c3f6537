"""Many small files in one request: what was sent of one that broke off is not sent again, nothing that lied is there, and a
controller that dies in the middle of one has lost nothing that it acknowledged."""
import hashlib
import json
import subprocess
import unittest

from harness import BIN, ProjectTest, contents_below, main, make_project, wait_until
from kills_test import have_crash_points

FILES = 60
WORKSPACES = "/apis/paddock.dev/v1alpha1/namespaces/default/workspaces"


def frame(content):
    return hashlib.sha256(content).digest() + len(content).to_bytes(4, "big") + content


class Bundles(ProjectTest):
    def setUp(self):
        super().setUp()
        self.texts = [f"{self.id()} {number}\n" for number in range(FILES)]
        make_project(self.project, job__py=f"print('{self.id()}')\n",
                     **{f"data/{number}__txt": text for number, text in enumerate(self.texts)})

    def connect(self):
        return self.instance.connect(120)

    def ask(self, method, path, body, length=None):
        """A request whose body is this and no more, though it may have said so. The status and the answer."""
        token = self.instance.admin_token()
        connection = self.connect()
        try:
            connection.putrequest(method, path)
            for name, value in (("Authorization", f"Bearer {token}"), ("Content-Length", len(body) if length is None else length),
                                ("Content-Type", "application/json" if path == WORKSPACES else "application/octet-stream")):
                connection.putheader(name, str(value))
            connection.endheaders(body)
            if length is not None:
                connection.sock.close()
                return None, None
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def workspace(self, name):
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Workspace", "metadata": {"name": name}}
        self.assertEqual(self.ask("POST", WORKSPACES, json.dumps(body).encode())[0], 201)
        return f"{WORKSPACES}/{name}/blobs"

    def compute(self):
        return self.instance.run("compute", self.project, "python3 job.py").stderr

    def is_stored(self, content):
        digest = hashlib.sha256(content).hexdigest()
        return any(path.name == digest for path, _ in contents_below(self.instance.home, ending=digest))

    def test_what_came_before_it_broke_off_is_not_sent_again(self):
        here = [text.encode() for text in self.texts[:20]]
        whole = b"".join(map(frame, here))
        self.ask("POST", self.workspace("broken"), whole + frame(b"half of this")[:40], length=len(whole) + 5000)
        wait_until("the last one to be stored", lambda: self.is_stored(here[-1]))
        self.assertFalse(self.is_stored(b"half of this"))
        self.assertIn(f"in {FILES + 1 - 20} of {FILES + 1} files", self.compute())

    def test_a_lie_is_named_and_what_came_before_it_stays(self):
        blobs = self.workspace("lies")
        lie = hashlib.sha256(b"said").digest() + (4).to_bytes(4, "big") + b"sent"
        status, answer = self.ask("POST", blobs, frame(self.texts[0].encode()) + lie + frame(b"behind it"))
        self.assertEqual((status, answer["error"]["code"]), (400, "DIGEST_MISMATCH"))
        self.assertFalse(self.is_stored(b"said") or self.is_stored(b"sent") or self.is_stored(b"behind it"))
        huge = bytes(32) + b"\xff\xff\xff\xff"
        self.assertEqual(self.ask("POST", blobs, huge + b"x")[1]["error"]["code"], "BLOB_TOO_LARGE")
        self.assertIn(f"in {FILES} of {FILES + 1} files", self.compute())

    @unittest.skipUnless(have_crash_points(), "these programs have no crash points: they are a release")
    def test_a_controller_that_dies_within_one_gets_the_rest_afterwards(self):
        self.instance.kill("paddock-controller")
        self.instance.env["PADDOCK_CRASH_AT"] = "blob-stored:30"
        try:
            self.instance.run("up")
        finally:
            del self.instance.env["PADDOCK_CRASH_AT"]
        pid = self.instance.pid_of("paddock-controller")
        sending = subprocess.Popen([str(BIN / "paddock"), "compute", str(self.project), "python3 job.py"],
                                   env=self.instance.env, text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until("the controller to die", lambda: self.instance.pid_of("paddock-controller") != pid)
        self.instance.run("up")
        out, err = sending.communicate(timeout=180)
        self.assertEqual((sending.returncode, out), (0, f"{self.id()}\n"), err)
        for text in self.texts:
            self.assertTrue(self.is_stored(text.encode()), text)


if __name__ == "__main__":
    main()
