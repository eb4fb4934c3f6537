"""Answers of a live instance against the golden contracts: what is answered has no field that the contract does not
name, each of the type that it has there, and all fields that an orchestrator observes. Mode: without sandboxMode."""
import json
import tempfile
import unittest

from agent_run_test import AGENT, RUNS, Api
from harness import SOURCE, Instance, main, make_project, wait_until

NS = "/apis/paddock.dev/v1alpha1/namespaces/default"
# Objects whose keys are names and not fields, by the last part of their path.
MAPS = {"labels", "annotations", "fieldsV1", "nodeSelector", "env", "environment", "timingsMs", "enforced", "details",
        "requested", "allocated", "features", "input"}


def golden(contract, case="full"):
    return json.loads((SOURCE / f"tests/golden/contracts/{contract}/{case}.json").read_text())


def kind_of(value):
    return {bool: "bool", int: "number", float: "number", str: "text", list: "list", dict: "object",
            type(None): "null"}[type(value)]


def differences(live, expected, path=""):
    """Where a live document is not of the golden one's shape."""
    if path.rsplit(".", 1)[-1] in MAPS or kind_of(expected) == "null":
        return []
    if kind_of(live) == "null" and path.endswith("previewUrl"):
        return []
    if path == "spec.command":  # a list, or one string
        return []
    if kind_of(live) != kind_of(expected):
        return [f"{path}: {kind_of(live)} for {kind_of(expected)}"]
    if isinstance(live, list):
        return [fault for each in live for fault in differences(each, expected[0], path + "[]")] if expected else []
    if not isinstance(live, dict):
        return []
    found = []
    for name, value in live.items():
        here = f"{path}.{name}" if path else name
        found += differences(value, expected[name], here) if name in expected else [f"{here}: not in the contract"]
    return found


class GoldenLive(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = cls.enterClassContext(Instance())
        project = make_project(cls.enterClassContext(tempfile.TemporaryDirectory()), agent__py=AGENT, index__html="<p>hi",
                               job__py="import pathlib\npathlib.Path('out/a.txt').write_text('x')\n")
        cls.instance.run("compute", project, "python3 job.py", "--artifact-dir", "out", "--name", "done")
        cls.api = Api(cls.instance)
        cls.workspace = cls.instance.get("workspaces")["items"][0]["metadata"]["name"]
        bundle = {"mcpServers": [{"id": "a", "label": "A", "templateId": "t", "transport": "stdio", "command": "python3",
                                  "authMode": "none"}]}
        status, made = cls.instance.post_run("talk", {
            "type": "agent", "command": ["python3", "agent.py"], "workspace": cls.workspace, "toolBundle": bundle,
            "mediaExecution": {"mode": "disabled"}, "toolToken": {"operations": ["run:read"]}})
        assert status == 201, made
        wait_until("a pending tool use", lambda: cls.instance.run_object("talk")["status"].get("pendingToolUses"))

    @classmethod
    def tearDownClass(cls):
        cls.instance.run("cancel", "talk")

    def assert_shape(self, path, contract, items=False):
        status, live = self.api.call("GET", path)
        self.assertEqual(status, 200, live)
        for each in live["items"] if items else [live]:
            self.assertEqual(differences(each, golden(contract)), [], f"{path} as {contract}")
        return live

    # proves: OD-93, OD-95
    def test_runs_have_the_shape_and_the_fields_that_an_orchestrator_observes(self):
        done = self.assert_shape(f"{RUNS}/done", "Run")
        talk = self.assert_shape(f"{RUNS}/talk", "Run")
        self.assertLessEqual({"phase", "attempt", "scheduledAt", "startedAt", "finishedAt", "previewUrl", "result",
                              "artifacts", "createdBy"}, set(done["status"]))
        self.assertEqual(done["status"]["result"]["rc"], 0)
        self.assertLessEqual({"phase", "pendingToolUses", "toolBundle", "startedAt"}, set(talk["status"]))
        self.assertEqual(talk["spec"]["mediaExecution"], {"mode": "disabled"})
        self.assertEqual(done["spec"]["mediaExecution"], {"mode": "enabled"})
        for document in (done, talk):
            self.assertNotIn(str(self.instance.home), json.dumps(document))

    # proves: OD-95
    def test_other_kinds_have_their_shape(self):
        self.assert_shape(f"{NS}/workspaces/{self.workspace}", "Workspace")
        self.assert_shape("/apis/paddock.dev/v1alpha1/nodes", "Node", items=True)
        self.assert_shape(f"{NS}/tooltokens", "ToolToken", items=True)
        self.assert_shape("/audit", "AuditEvent", items=True)
        grant = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Grant", "metadata": {"name": "g"},
                 "spec": golden("Grant")["spec"] | {"parent": ""}}
        grant["spec"].pop("parent")
        status, made = self.api.call("POST", f"{NS}/grants", grant)
        self.assertEqual(status, 201, made)
        self.assert_shape(f"{NS}/grants/g", "Grant")

    # proves: OD-81, OD-95
    def test_refusals_are_those_of_the_contract(self):
        status, denied = self.api.call("POST", f"{RUNS}/talk/media", {"surface": "image", "model": "m"})
        wanted = {"code": "MEDIA_EXECUTION_DISABLED", "message": "media generation is disabled for this run",
                  "retryable": False}
        self.assertEqual((status, {name: denied["error"][name] for name in wanted}), (403, wanted))
        status, missing = self.api.call("GET", f"{RUNS}/none")
        self.assertEqual(differences(missing, golden("Status", "full")), [])
        self.assertEqual((status, sorted(missing)), (404, sorted(golden("Status", "not-found"))))

    # proves: OD-06
    def test_what_the_api_can_the_command_line_can(self):
        self.assertEqual(self.instance.run_object("done"), self.api.call("GET", f"{RUNS}/done")[1])
        self.assertIn("out/a", self.instance.run("get", "run", "done", "-o", "json").stdout)
        self.assertEqual(self.api.call("GET", f"{NS}/workspaces/{self.workspace}/export")[1]["entryFile"], "index.html")
        self.assertTrue(self.api.call("GET", f"{RUNS}/done")[1]["status"]["previewUrl"].endswith("/raw/index.html"))


if __name__ == "__main__":
    main()
