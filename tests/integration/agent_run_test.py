"""An external orchestrator: agent runs that talk, tool tokens in their environment, media through the one door."""
import http.client
import json
import tempfile
import unittest

from harness import Instance, main, make_project, wait_until

RUNS = "/apis/paddock.dev/v1alpha1/namespaces/default/runs"

# Says hello, asks for a tool, repeats each line that it is given, and ends after the word `stop`.
AGENT = r"""
import json, os, sys
def say(message):
    print(json.dumps(message), flush=True)
def ask(id):
    say({"type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "tool_use", "id": id, "name": "ask", "input": {}}]}})
say({"type": "env", "names": sorted(os.environ)})
ask("first")
number = 0
for line in sys.stdin:
    given = json.loads(line)["message"]["content"][0]
    number += 1
    say({"type": "given", "number": number, "id": given["tool_use_id"], "content": given["content"]})
    if given["content"] == "close":
        os.close(0)
        import time
        time.sleep(600)
    if given["content"] == "stop":
        break
    ask("next-%d" % number)
"""


class Api:
    """The API as an orchestrator sees it."""

    def __init__(self, instance):
        self.port = instance.port()
        self.tls = instance.trust()
        self.admin = instance.admin_token()

    def call(self, method, path, body=None, token=None):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=60)
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Authorization": f"Bearer {token or self.admin}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}")
        finally:
            connection.close()


class AgentRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = cls.enterClassContext(Instance())
        project = make_project(cls.enterClassContext(tempfile.TemporaryDirectory()), agent__py=AGENT)
        cls.instance.run("compute", project, "python3 agent.py")  # brings the workspace
        cls.api = Api(cls.instance)
        cls.workspace = cls.instance.get("workspaces")["items"][0]["metadata"]["name"]

    def start(self, name, **spec):
        spec = {"type": "agent", "command": ["python3", "agent.py"], "workspace": self.workspace, **spec}
        status, made = self.instance.post_run(name, spec)
        self.assertEqual(status, 201, made)

    def pending(self, name):
        return [use["id"] for use in self.instance.run_object(name)["status"].get("pendingToolUses", [])]

    def answer(self, name, tool_use, content, **more):
        return self.api.call("POST", f"{RUNS}/{name}/tool-results",
                             {"toolUseId": tool_use, "content": content, **more})

    def wait_pending(self, name, tool_use):
        wait_until(f"{tool_use} to be pending", lambda: tool_use in self.pending(name))

    def given(self, name):
        log = self.instance.run("logs", name).stdout
        lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
        return [(line["number"], line["id"], line["content"]) for line in lines if line["type"] == "given"]

    # proves: OD-55, OD-56, OD-57, OD-59
    def test_answers_reach_the_program_once_and_also_after_its_agent_was_killed(self):
        self.start("talk")
        self.start("other")
        self.wait_pending("talk", "first")
        self.wait_pending("other", "first")
        self.assertEqual(self.answer("talk", "unknown", "x")[0], 400)
        self.assertEqual(self.answer("talk", "first", "one", runId="other")[0], 400)
        self.assertEqual(self.answer("talk", "first", "one"), (200, {"ok": True}))
        self.assertEqual(self.answer("talk", "first", "one")[0], 400)
        self.wait_pending("talk", "next-1")
        self.instance.kill("paddock-node-agent")
        self.assertEqual(self.answer("talk", "next-1", "two")[0], 200)
        self.instance.run("up")
        self.wait_pending("talk", "next-2")
        self.assertEqual(self.answer("talk", "next-2", "stop")[0], 200)
        self.instance.wait_phase("talk", "Succeeded")
        self.assertEqual(self.given("talk"), [(1, "first", "one"), (2, "next-1", "two"), (3, "next-2", "stop")])
        self.assertEqual(self.given("other"), [])
        status, gone = self.answer("talk", "next-2", "late")
        self.assertEqual((status, gone["error"]["details"]["reason"]), (410, "run_terminal"))
        self.instance.run("cancel", "other")
        self.instance.wait_phase("other", "Canceled")

    # proves: OD-61
    def test_a_program_that_closes_its_input_gets_no_more(self):
        self.start("deaf")
        self.wait_pending("deaf", "first")
        self.assertEqual(self.answer("deaf", "first", "close")[0], 200)
        wait_until("the input to be seen closed",
                   lambda: self.instance.run_object("deaf")["status"].get("stdinClosed"))
        status, gone = self.answer("deaf", "first", "late")
        self.assertEqual((status, gone["error"]["details"]["reason"]), (410, "stdin_closed"))
        self.instance.run("cancel", "deaf")
        self.instance.wait_phase("deaf", "Canceled")

    # proves: OD-67
    def test_a_run_has_a_tool_token_in_its_environment_only_if_it_asked_for_one(self):
        self.start("plain")
        self.start("asked", toolToken={"operations": ["run:read"]})
        for name in ("plain", "asked"):
            self.wait_pending(name, "first")
        def variables(name):
            log = self.instance.run("logs", name).stdout.splitlines()
            return next(json.loads(line)["names"] for line in log if '"env"' in line)
        added = {"OD_TOOL_TOKEN", "OD_DAEMON_URL", "OD_PROJECT_ID", "PADDOCK_RUN_URL", "PADDOCK_CA_FILE"}
        self.assertEqual(set(variables("plain")) & added, set())
        self.assertEqual(set(variables("asked")) - set(variables("plain")), added)
        def tokens():
            return [each for each in self.instance.get("tooltokens")["items"] if each["spec"]["run"] in ("plain", "asked")]
        self.assertEqual([(each["spec"]["run"], each["status"]["phase"]) for each in tokens()], [("asked", "Active")])
        self.instance.run("cancel", "asked")
        self.instance.wait_phase("asked", "Canceled")
        ended = tokens()[0]["status"]
        self.assertEqual((ended["phase"], ended["reason"]), ("Revoked", "child_exit"))
        self.instance.run("cancel", "plain")

    # proves: OD-67
    def test_tokens_and_grants_by_the_command_line(self):
        self.start("r")
        made = self.instance.run("token", "create", "run/r", "--operation", "run:read", "--ttl", "1h")
        secret = made.stdout.strip()
        self.assertTrue(secret.startswith("pdtt_"), made.stdout)
        self.assertEqual(self.api.call("GET", f"{RUNS}/r", token=secret)[0], 200)
        self.assertEqual(self.api.call("GET", RUNS, token=secret)[0], 403)
        listed = self.instance.run("token", "list").stdout
        self.assertNotIn(secret, listed)
        name = next(each["metadata"]["name"] for each in self.instance.get("tooltokens")["items"] if each["spec"]["run"] == "r")
        self.assertIn("Active", next(line for line in listed.splitlines() if line.split()[0] == name))
        self.instance.run("token", "revoke", f"tooltoken/{name}")
        self.assertEqual(self.api.call("GET", f"{RUNS}/r", token=secret)[1]["error"]["code"], "TOOL_TOKEN_INVALID")
        grant = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Grant", "metadata": {"name": "g"},
                 "spec": {"media": {"surfaces": ["image"]}, "compute": {"cpu": 2}}}
        path = "/apis/paddock.dev/v1alpha1/namespaces/default/grants"
        self.assertEqual(self.api.call("POST", path, grant)[0], 201)
        self.addCleanup(self.instance.run, "delete", "grant", "g")
        self.instance.run("grant", "explain", "grant/g", "--surface", "image", "--model", "m")
        denied = self.instance.run("grant", "explain", "g", "--cpu", "3", check=False)
        self.assertEqual(denied.returncode, 126)
        self.assertIn("compute.cpu", denied.stdout)
        self.instance.run("cancel", "r")


if __name__ == "__main__":
    main()
