"""The sandbox-mode smoke: a controller that an orchestrator started with storage of its own, an agent run with tools of
its own, and what the program inside sees of its host. The host of these tests has homes with tools and tokens in them.

Mode: everything here runs with sandboxMode on; agent_run_test.py is the same without."""
import http.client
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from agent_run_test import RUNS, Api
from harness import BIN, Instance, contents_below, main, make_project, wait_until

SECRETS = ("arg-secret-1", "env-secret-2", "header-secret-3")

# An MCP server on stdin and stdout with one tool, which says what it was started with.
SERVER = r"""
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"content": [{"type": "text", "text": " ".join(
        [sys.argv[1], os.environ["KEY"], os.environ["HOME"]])}]}}
    print(json.dumps(answer), flush=True)
"""

# Starts each server that its configuration names, uses it, and says what it sees around it.
AGENT = r"""
import json, os, pathlib, subprocess, sys
def say(kind, **what):
    print(json.dumps({"type": kind, **what}), flush=True)
config = os.environ.get("OD_MCP_CONFIG")
servers = json.loads(pathlib.Path(config).read_text())["mcpServers"] if config else {}
say("servers", ids=sorted(servers))
for id, server in servers.items():
    if server["type"] != "stdio":
        continue
    tool = subprocess.Popen([server["command"], *server["args"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            env={**os.environ, **server["env"]})
    tool.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t"}}) + "\n")
    tool.stdin.close()
    said = json.loads(tool.stdout.readline())["result"]["content"][0]["text"]
    say("tool", id=id, lengths=[len(word) for word in said.split()], home=said.split()[2])
say("env", env=dict(os.environ), cwd=os.getcwd())
say("homes", missing=[name for name, value in os.environ.items() if value.startswith("/tmp/") and "npm" not in name.lower()
                      and "CONFIG" != name and not os.path.exists(value) and name != "OD_AGENT_PROFILES_CONFIG"],
    files=sorted(str(path) for path in pathlib.Path("/tmp").rglob("*") if path.is_file()),
    mode=oct(os.stat(config).st_mode & 0o777) if config else "", outside=[path for path in sys.argv[1:] if os.path.exists(path)])
pathlib.Path("out").mkdir(exist_ok=True)
pathlib.Path("out/kept.txt").write_text("x")
pathlib.Path(os.environ["HOME"], ".profile").write_text("x")
print(json.dumps({"type": "assistant", "message": {"role": "assistant", "content": [
    {"type": "tool_use", "id": "end", "name": "ask", "input": {}}]}}), flush=True)
sys.stdin.readline()
"""

BUNDLE = {"mcpServers": [
    {"id": "run-scoped-mcp", "label": "Files", "transport": "stdio", "command": "python3",
     "args": ["server.py", SECRETS[0]], "env": {"KEY": SECRETS[1]}},
    {"id": "web", "transport": "http", "url": "https://tools.example/mcp", "headers": {"Authorization": SECRETS[2]}},
    {"id": "off", "transport": "stdio", "command": "python3", "enabled": False}]}
HOMES = ("HOME", "USERPROFILE", "OD_AGENT_HOME", "TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
         "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_TEST_HOME",
         "NPM_CONFIG_USERCONFIG", "npm_config_userconfig", "OD_AGENT_PROFILES_CONFIG")


def host_homes(folder):
    """What a developer's machine has: persisted servers, their tokens, profiles of agents. Returns the variables."""
    persisted = json.dumps({"mcpServers": {"persisted-mcp": {"type": "stdio", "command": "persisted"}}})
    for name in (".claude.json", ".config/mcp/mcp.json", ".codex/config.toml", ".claude/mcp.json",
                 ".config/agent-profiles.json", ".npmrc", ".config/mcp/tokens.json"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(persisted)
    variables = {name: str(folder) for name in HOMES}
    variables.update(XDG_CONFIG_HOME=str(folder / ".config"), CODEX_HOME=str(folder / ".codex"),
                     OD_MCP_CONFIG=str(folder / ".config/mcp/mcp.json"), OD_TOOL_TOKEN="persisted-token",
                     NPM_CONFIG_USERCONFIG=str(folder / ".npmrc"), LEAKED="persisted-value")
    return variables


class SandboxMode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.host = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-host-")))
        instance = Instance()
        instance.env.update(host_homes(cls.host), PADDOCK_CONTROLLER_SANDBOX_MODE="true")
        cls.instance = cls.enterClassContext(instance)
        project = make_project(instance.home / "project", agent__py=AGENT, server__py=SERVER)
        cls.instance.run("compute", project, "python3 agent.py", check=False)  # brings the workspace
        cls.api = Api(cls.instance)
        cls.workspace = cls.instance.get("workspaces")["items"][0]["metadata"]["name"]

    def start(self, name, **spec):
        spec = {"type": "agent", "command": ["python3", "agent.py", str(self.host), str(self.instance.home)],
                "workspace": self.workspace, **spec}
        status, made = self.instance.post_run(name, spec)
        self.assertEqual(status, 201, made)
        wait_until("the program to have said all", lambda: [
            use for use in self.instance.run_object(name)["status"].get("pendingToolUses", []) if use["id"] == "end"])
        lines = self.instance.run("logs", name).stdout.splitlines()
        return {line["type"]: line for line in map(json.loads, filter(lambda text: text.startswith("{"), lines))}

    def events(self, name):
        connection = http.client.HTTPSConnection("127.0.0.1", self.api.port, context=self.api.tls, timeout=60)
        self.addCleanup(connection.close)
        connection.request("GET", f"{RUNS}/{name}/events", headers={"Authorization": f"Bearer {self.api.admin}"})
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.getheader("Content-Type")), (200, "text/event-stream"))
        return answer.read().decode()

    def end(self, name):
        self.assertEqual(self.api.call("POST", f"{RUNS}/{name}/tool-results", {"toolUseId": "end", "content": "."})[0], 200)
        return self.instance.wait_phase(name, "Succeeded")

    # proves: OD-05, OD-09, OD-10, OD-11, OD-29, OD-30, OD-33, OD-66, OD-86, OD-88, OD-89
    def test_a_run_has_its_own_tools_and_homes_and_nothing_of_its_host(self):
        said = self.start("smoke", toolBundle=BUNDLE, artifacts={"dirs": ["out"]}, sandbox={"limits": {"pids": 77}})
        self.assertEqual(said["servers"]["ids"], ["run-scoped-mcp", "web"])
        self.assertEqual(said["tool"]["lengths"][:2], [len(SECRETS[0]), len(SECRETS[1])])
        self.assertEqual(said["tool"]["home"], "/tmp/home")
        env = said["env"]["env"]
        self.assertEqual({name: env[name] for name in HOMES if not env[name].startswith("/tmp/")}, {})
        self.assertEqual(set(env) - set(HOMES), {"PATH", "PYTHONPATH", "PYTHONUNBUFFERED", "LSAN_OPTIONS", "LANG", "OD_MCP_CONFIG"} | (set(env) & {"LC_CTYPE"}))
        for value in env.values():
            self.assertNotIn(str(self.host), value)
            self.assertNotIn("persisted", value)
        self.assertEqual(said["env"]["cwd"], "/workspace")
        homes = said["homes"]
        self.assertEqual((homes["missing"], homes["files"], homes["mode"], homes["outside"]),
                         ([], ["/tmp/home/.config/mcp/mcp.json"], "0o600", []))
        ended = self.end("smoke")
        self.assertEqual([each["path"] for each in ended["status"]["artifacts"]], ["out/kept.txt"])
        self.assertEqual(ended["status"]["result"]["policy"]["limits"]["pids"], 77)
        self.assertIn("event: end", self.events("smoke"))

    # proves: OD-32
    def test_nothing_secret_of_a_bundle_is_shown_or_left(self):
        self.start("quiet", toolBundle=BUNDLE)
        shown = [self.api.call("GET", f"{RUNS}/quiet"), self.api.call("GET", "/audit"), self.api.call("GET", RUNS)]
        self.end("quiet")
        shown += [self.api.call("GET", f"{RUNS}/quiet")]
        texts = [json.dumps(each) for each in shown] + [
            content.decode(errors="replace") for _, content in contents_below(self.instance.home, ending=".log")]
        self.assertTrue(texts)
        for secret in SECRETS + ("tools.example",):
            self.assertEqual([text for text in texts if secret in text], [], secret)
        summary = shown[-1][1]["status"]["toolBundle"]["mcpServers"]
        self.assertEqual([(each["id"], each["transport"], each["enabled"]) for each in summary],
                         [("run-scoped-mcp", "stdio", True), ("web", "http", True), ("off", "stdio", False)])

        def leftovers():
            return [path for path, content in contents_below(self.instance.home, within="/runs/")
                    if any(secret.encode() in content for secret in SECRETS)]
        wait_until("the node to have forgotten the run", lambda: not leftovers())

    # proves: OD-09, OD-88
    def test_a_run_without_a_bundle_has_no_servers(self):
        said = self.start("plain")
        self.assertEqual(said["servers"]["ids"], [])
        self.assertNotIn("OD_MCP_CONFIG", said["env"]["env"])
        self.assertEqual(said["homes"]["files"], [])
        self.end("plain")
        self.assertIn("event: end", self.events("plain"))

    # proves: OD-87
    def test_the_status_says_which_mode_it_is_and_no_path(self):
        status, said = self.api.call("GET", "/status")
        self.assertEqual(status, 200)
        self.assertEqual({**said, "version": "", "maxBlob": 0, "stored": {}, "runs": {}},
                         {"ok": True, "version": "", "sandboxMode": True, "shuttingDown": False, "maxBlob": 0, "stored": {},
                          "runs": {}})

    # proves: OD-70, OD-105
    def test_readiness_is_the_same_by_api_and_command_line_and_says_nothing_of_the_host(self):
        status, said = self.api.call("GET", "/readyz")
        self.assertEqual((status, sorted(said)), (200, ["ok", "ready", "version"]))
        self.assertEqual(json.loads(self.instance.run("ready", "--json").stdout), said)

    # proves: OD-71
    def test_what_is_uploaded_can_be_read_back(self):
        status, health = self.api.call("GET", "/health")
        self.assertEqual((status, health["ok"]), (200, True))
        path = f"/apis/paddock.dev/v1alpha1/namespaces/default/workspaces/{self.workspace}/export"
        names = [each["name"] for each in self.api.call("GET", path)[1]["files"]]
        self.assertEqual(names, ["agent.py", "server.py"])

    # proves: OD-65
    def test_media_need_a_tool_token(self):
        self.start("media")
        status, refused = self.api.call("POST", f"{RUNS}/media/media", {"surface": "image", "model": "m"})
        self.assertEqual((status, refused["error"]["code"]), (401, "TOOL_TOKEN_MISSING"))
        self.end("media")

    # proves: OD-04, OD-65
    def test_without_storage_of_its_own_it_does_not_start(self):
        env = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
        for word, starts in (("true", False), ("1", False), ("maybe", False)):
            refused = subprocess.run([BIN / "paddock-controller"], text=True, capture_output=True, timeout=60,
                                     env={**env, "PADDOCK_CONTROLLER_SANDBOX_MODE": word})
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("dataDir" if word == "true" else "sandboxMode", refused.stderr)


if __name__ == "__main__":
    main()
