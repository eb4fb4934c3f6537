"""A session whose node lacks what it names lives on another node; one whose node was removed has ended."""
import os
import subprocess
import unittest

from harness import BIN, main, wait_until, why_no_disk
from joined_hosts import Host, JoinedHosts
from session_client import SessionApi

TOOL = "sha512sum"  # no default tool


class HostWithoutTheTool(Host):
    """In a mount namespace of its own, where the tool cannot be executed."""

    def start(self):
        dead = self.folder / "dead"
        dead.write_text("")
        with open(self.folder / "latest.log", "a") as log:
            self.agent = subprocess.Popen(
                ["unshare", "--mount", "sh", "-c", 'mount --bind "$1" "$2" && exec "$3" --config "$4"', "sh",
                 dead, f"/usr/bin/{TOOL}", BIN / "paddock-node-agent", self.config],
                env=self.instance.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


@unittest.skipIf(why_no_disk() or not os.path.exists(f"/usr/bin/{TOOL}"), "needs root, mounts and " + TOOL)
class SessionsElsewhere(JoinedHosts):
    def host(self, name="gpu-1"):
        host = HostWithoutTheTool(self.instance, name)
        self.addCleanup(host.end)
        return host

    def setUp(self):
        super().setUp()
        self.joined("without")
        self.api = SessionApi(self.instance)
        self.addCleanup(self.api.close)
        status, made = wait_until("it to take sessions", lambda: (lambda got: got if got[0] == 201 else None)(self.api.create()))
        self.assertEqual(made["status"]["nodeName"], "without")

    def test_a_node_that_lacks_a_tool_is_left_for_one_that_has_it(self):
        status, refused = self.api.create({"toolAllowlist": [TOOL]})
        self.assertEqual((status, refused["error"]["code"]), (422, "TOOL_UNAVAILABLE"), "there is no other node")
        self.assertEqual(refused["details"]["causes"][0]["field"], "spec.security.toolAllowlist[0]")
        self.instance.run("uncordon", self.own)
        for _ in range(3):  # the other one has less room from the second on, and is asked first
            status, made = self.api.create({"toolAllowlist": [TOOL], "limits": {"timeoutMs": 600_000}})
            self.assertEqual((status, made["status"]["nodeName"]), (201, self.own), made)
            status, answer = self.api.run(made["metadata"]["name"], f"{TOOL} </dev/null")
            self.assertEqual(status, 200, answer)
            self.assertTrue(answer["stdout"].startswith("cf83e1357eefb8bd"), answer)
        status, refused = self.api.create({"toolAllowlist": ["no-such-tool-anywhere"]})
        self.assertEqual((status, refused["error"]["code"]), (422, "TOOL_UNAVAILABLE"))
        self.assertEqual(self.pending(), [])
        # Nothing in the body of a create keeps what cannot be opened: preconditions are a DELETE's.
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Sandbox", "metadata": {"name": "kept"},
                "spec": {"security": {"toolAllowlist": ["no-such-tool-anywhere"]}}, "preconditions": {"uid": "another"}}
        status, refused = self.api.ask("POST", self.api.sandboxes() + "?fieldValidation=Ignore", body)
        self.assertEqual((status, refused["error"]["code"]), (422, "TOOL_UNAVAILABLE"))
        self.assertEqual(self.pending(), [])

    def pending(self):
        return [each for each in self.instance.get("sandboxes")["items"] if each["status"]["phase"] == "Pending"]


class RemovedNode(JoinedHosts):
    def test_the_first_caller_hears_that_a_session_has_ended_with_its_node(self):
        host = self.joined()
        api = SessionApi(self.instance)
        self.addCleanup(api.close)
        _, made = wait_until("it to take sessions", lambda: (lambda got: got if got[0] == 201 else None)(api.create()))
        self.assertEqual(made["status"]["nodeName"], "gpu-1")
        host.end()
        self.instance.run("delete", "node", "gpu-1")
        told = self.instance.get("sandbox", made["metadata"]["name"])["status"]["conditions"]
        self.assertEqual([(each["type"], each["status"], each["reason"]) for each in told],
                         [("Ready", "False", "SESSION_LOST"), ("NodeTrouble", "True", "SESSION_LOST")])
        status, refused = api.run(made["metadata"]["name"], "true")
        self.assertEqual((status, refused["error"]["code"]), (410, "SESSION_ENDED"), refused)
        self.assertIn("SESSION_LOST", refused["message"])


if __name__ == "__main__":
    main()
