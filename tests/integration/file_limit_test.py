"""A daemon whose service manager set a limit on the size of files (LimitFSIZE=, ulimit -f) says of what it cannot write, and goes on."""
import contextlib
import hashlib
import os
import pathlib
import re
import resource
import signal
import unittest

from harness import Instance, ended, main, make_project, wait_until
from joined_hosts import Host, make_token

LIMIT = 8 << 20
LARGER = LIMIT + (1 << 20)
WORKSPACES = "/apis/paddock.dev/v1alpha1/namespaces/default/workspaces"


@contextlib.contextmanager
def small_files():
    """What is started meanwhile makes no file that is larger."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def takes_it_as_an_error(pid):
    """On whichever of its threads it writes: some block all signals, and others would end it."""
    ignored = re.search(r"(?m)^SigIgn:\t(\w+)$", pathlib.Path(f"/proc/{pid}/status").read_text())[1]
    return bool(int(ignored, 16) >> (signal.SIGXFSZ - 1) & 1)


class FileLimit(unittest.TestCase):
    def project(self, name, **files):
        return make_project(self.instance.home / name, job__py="print('done')\n", **files)

    def put(self, content):
        """A file for the workspace w; the answer's status and text."""
        path = f"{WORKSPACES}/w/blobs/{hashlib.sha256(content).hexdigest()}"
        connection = self.instance.connect()
        with contextlib.closing(connection):
            connection.request("PUT", path, content, {"Authorization": f"Bearer {self.instance.admin_token()}"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def make_workspace(self, name, size=0):
        notes = {"notes": os.urandom(size // 2).hex()}
        return self.instance.ask("POST", WORKSPACES, {"apiVersion": "paddock.dev/v1alpha1", "kind": "Workspace",
                                                      "metadata": {"name": name, "annotations": notes}})

    def test_a_controller(self):
        self.instance = Instance()
        self.addCleanup(self.instance.__exit__, None, None, None)
        with small_files():
            self.instance.up()
        controller = self.instance.pid_of("paddock-controller")
        self.assertTrue(takes_it_as_an_error(controller))
        self.assertEqual(self.make_workspace("w")[0], 201)
        status, said = self.put(os.urandom(LARGER))
        self.assertEqual(status, 503, said)
        self.assertIn("STORE_IO", said)
        self.assertFalse(ended(controller))
        self.assertLess(self.put(b"small")[0], 300)
        self.instance.run("compute", self.project("small"), "python3 job.py", "--name", "small")
        answers = (self.make_workspace(f"filler-{number}", 200_000) for number in range(128))
        status, said = next(answer for answer in answers if answer[0] != 201)  # the database is as large as it may be
        self.assertEqual((status, said["error"]["code"]), (503, "STORE_IO"), said)
        self.assertEqual(self.instance.pid_of("paddock-controller"), controller)
        self.assertEqual(self.instance.run_object("small")["status"]["phase"], "Succeeded")

    def test_a_node_agent(self):
        self.instance = self.enterContext(Instance())
        own = self.instance.get("nodes")["items"][0]["metadata"]["name"]
        host = Host(self.instance, "small-files")
        host.join(make_token(self.instance, "small-files")[1])
        self.addCleanup(host.end)
        with small_files():
            host.start()
        wait_until("the node", lambda: self.instance.get("node", "small-files")["status"].get("ready"))
        large = self.project("large")
        (large / "data").write_bytes(os.urandom(LARGER))
        self.instance.run("cordon", own)
        self.instance.run("compute", large, "python3 job.py", "--detach", "--name", "large")
        status = self.instance.wait_phase("large", "Succeeded", "Failed")["status"]
        self.assertEqual((status["phase"], status["reason"]), ("Failed", "SYSTEM_ERROR"), status)
        self.assertIn("File too large", status["message"])
        self.instance.run("compute", self.project("small"), "python3 job.py")
        self.assertIsNone(host.agent.poll())
        self.instance.run("uncordon", own)
        for number in range(3):
            self.instance.run("compute", large, "python3 job.py", "--detach", "--name", f"large-{number}")
            status = self.instance.wait_phase(f"large-{number}", "Succeeded", "Failed")["status"]
            self.assertEqual((status["phase"], status["nodeName"]), ("Succeeded", own), status)


if __name__ == "__main__":
    main()
