"""E2B's own SDK (npm: e2b), unmodified, against a controller: what is served works, what is not is refused in its words.
Without node, npm or their registry the suite is skipped."""
import http.client
import json
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

from harness import Instance, SOURCE, find_file, main, wait_until
from node_environment_test import SEARCH, npm_install, npm_setting, why_no_registry
from session_client import SessionApi

RELEASE = "2.51.0"
# They make sandboxes and connect to them at other addresses, and always ask for the internet.
FORMER = ("2.20.0", "2.50.0")
IMAGE = "python-3"


class Sdk:
    """The SDK in a process of its own, with one token."""

    def __init__(self, folder, instance, api, token):
        url = f"https://127.0.0.1:{api.port}/e2b"
        self._process = subprocess.Popen(
            ["node", "e2b_client.mjs"], cwd=folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**instance.env, "PATH": SEARCH, "NODE_EXTRA_CA_CERTS": str(find_file(instance.home, "tls/ca.pem")),
                 "E2B_API_URL": url, "E2B_SANDBOX_URL": f"{url}/envd", "E2B_API_KEY": token})
        self._answer()

    def _answer(self):
        return json.loads(self._process.stdout.readline())

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()

    def ask(self, code):
        self._process.stdin.write(json.dumps({"code": code}) + "\n")
        self._process.stdin.flush()
        return self._answer()


@unittest.skipUnless(shutil.which("npm", path=SEARCH) and shutil.which("node", path=SEARCH), "this host has no node and npm")
class E2b(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if problem := why_no_registry(npm_setting("registry"), "e2b"):
            raise unittest.SkipTest(problem)
        cls.folder = cls.installed(RELEASE)
        cls.instance = Instance()
        cls.instance.env["PADDOCK_CONTROLLER_SESSIONS_IMAGES"] = json.dumps({IMAGE: "session"})
        cls.enterClassContext(cls.instance)
        cls.api = SessionApi(cls.instance)
        cls.addClassCleanup(cls.api.close)
        made = wait_until("a node to take sessions", lambda: (lambda got: got if got[0] == 201 else None)(cls.api.create()))
        cls.api.destroy(made[1]["metadata"]["name"])
        cls.sdk = cls.with_token(cls.api.token)

    @classmethod
    def installed(cls, release):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-e2b-")))
        (folder / "package.json").write_text('{"type": "module"}')
        npm_install(folder, "e2b", "install", f"e2b@{release}")
        shutil.copy(SOURCE / "tests" / "integration" / "e2b_client.mjs", folder)
        return folder

    @classmethod
    def with_token(cls, token, folder=None):
        sdk = Sdk(folder or cls.folder, cls.instance, cls.api, token)
        cls.addClassCleanup(sdk.close)
        return sdk

    @classmethod
    def token(cls, name, namespace, *scopes):
        given = [word for scope in scopes for word in ("--scope", scope)]
        return cls.instance.run("admin", "token", "create", name, "-n", namespace, *given).stdout.strip()

    def value(self, code, sdk=None):
        answer = (sdk or self.sdk).ask(code)
        self.assertIn("value", answer, answer)
        return answer["value"]

    def error(self, name, code, sdk=None):
        answer = (sdk or self.sdk).ask(code)
        self.assertIn("error", answer, answer)
        self.assertEqual(answer["error"]["name"], name, answer)
        return answer["error"]

    def sandbox(self, options="{}"):
        """A new one, which `box` is in what is asked from now on; its id."""
        made = self.value(f"kept.box = await e2b.Sandbox.create({options}); return kept.box.sandboxId")
        self.addCleanup(self.sdk.ask, f"await e2b.Sandbox.kill('{made}')")
        return made

    def run_command(self, text, options="{}"):
        return self.value(f"return await kept.box.commands.run({json.dumps(text)}, {options})")

    def test_a_command_is_run_with_its_output_and_exit_code(self):
        name = self.sandbox("{envs: {GREETING: 'hello'}, metadata: {who: 'me & you'}, timeoutMs: 600000}")
        self.assertEqual(self.run_command("echo $GREETING; echo oops >&2"),
                         {"exitCode": 0, "stdout": "hello\n", "stderr": "oops\n"})
        failed = self.error("CommandExitError", "return await kept.box.commands.run('echo out; exit 3')")
        self.assertEqual((failed["exitCode"], failed["stdout"]), (3, "out\n"))
        seen = self.value("const out = []; const go = (text) => { out.push(text); if (out.length === 1) return kept.box.files.write('go', '') };"
                          "await kept.box.commands.run('echo a; until [ -e go ]; do sleep 0.05; done; echo b', {onStdout: go}); return out")
        self.assertEqual(seen, ["a\n", "b\n"])
        self.assertEqual(self.run_command("printf 'ü\\xff'")["stdout"], "ü\ufffd")
        self.assertEqual(self.run_command("a=(1 2); [[ ${a[1]} == 2 ]] && echo bash")["stdout"], "bash\n")
        info = self.value("return await kept.box.getInfo()")
        self.assertEqual((info["sandboxId"], info["templateId"], info["state"]), (name, "base", "running"))
        self.assertEqual(info["metadata"], {"who": "me & you"})
        self.assertFalse(info["allowInternetAccess"])

    def test_what_is_cut_denied_or_too_long_is_told(self):
        self.sandbox()
        whole = self.run_command("yes | head -c 6000000")
        self.assertEqual((whole["exitCode"], whole.get("error"), len(whole["stdout"])), (0, None, 6_000_000))
        denied = self.error("CommandExitError", "return await kept.box.commands.run('perl -e 1')")
        self.assertIn("E_CAPABILITY_DENIED", denied["message"])
        self.assertIn("/perl", denied["message"])
        self.assertIn("toolAllowlist", denied["message"])
        outlived = self.run_command("perl -e 1; exit 0")["error"]
        self.assertRegex(outlived, r"^E_CAPABILITY_DENIED; denied: \S.*/perl")
        long = self.error("CommandExitError", "return await kept.box.commands.run('true ' + 'x'.repeat(140000))")
        self.assertIn("E_LIMIT_COMMAND", long["message"])
        self.assertEqual(self.run_command("echo " + "x" * 100_000)["exitCode"], 0)

    def test_variables_and_folder_of_one_command(self):
        self.sandbox()
        odd = "a'b \"c\" $(id) `id` \\ \n d"
        self.assertEqual(self.run_command("printf %s \"$ODD\"", f"{{envs: {{ODD: {json.dumps(odd)}}}}}")["stdout"], odd)
        self.run_command("mkdir -p 'with space'")
        for folder in ("with space", "/home/user/with space", "/workspace/with space"):
            self.assertEqual(self.run_command("pwd", f"{{cwd: {json.dumps(folder)}}}")["stdout"], "/workspace/with space\n")
        missing = self.error("CommandExitError", "return await kept.box.commands.run('pwd', {cwd: '/home/user/no \\'one'})")
        self.assertEqual((missing["exitCode"], missing["stderr"]), (1, "cwd: /home/user/no 'one is no folder of this sandbox\n"))
        self.error("InvalidArgumentError", "return await kept.box.commands.run('pwd', {cwd: '../..'})")
        self.error("InvalidArgumentError", "return await kept.box.commands.run('pwd', {cwd: '/etc'})")
        self.error("InvalidArgumentError", "return await kept.box.commands.run('true', {envs: {'A;id': 'x'}})")

    def test_files(self):
        self.sandbox()
        wrote = self.value("return await kept.box.files.write('data/a.txt', 'hello ü')")
        self.assertEqual((wrote["name"], wrote["path"]), ("a.txt", "/workspace/data/a.txt"))
        for path in ("data/a.txt", "/home/user/data/a.txt", "/workspace/data/a.txt"):
            self.assertEqual(self.value(f"return await kept.box.files.read('{path}')"), "hello ü")
        self.assertEqual(self.run_command("cat data/a.txt")["stdout"], "hello ü")
        self.assertEqual(self.value("return Array.from(await kept.box.files.read('data/a.txt', {format: 'bytes'})).length"), 8)
        many = self.value("return await kept.box.files.write([{path: 'm/1', data: 'x'}, {path: 'm/\"2\"', data: new Uint8Array([0, 255]).buffer}])")
        self.assertEqual([each["path"] for each in many], ["/workspace/m/1", "/workspace/m/\"2\""])
        self.assertEqual(self.run_command("od -An -tx1 'm/\"2\"'")["stdout"].split(), ["00", "ff"])
        self.assertEqual(self.value("await kept.box.files.write('empty', ''); return await kept.box.files.read('empty')"), "")
        self.value("await kept.box.files.write('zipped', 'unzipped', {gzip: true})")
        self.assertEqual(self.run_command("cat zipped")["stdout"], "unzipped")
        listed = self.value("return await kept.box.files.list('/home/user')")
        self.assertEqual([(each["name"], each["type"]) for each in listed],
                         [("data", "dir"), ("empty", "file"), ("m", "dir"), ("zipped", "file")])
        deep = self.value("return (await kept.box.files.list('.', {depth: 2})).map((each) => each.path)")
        self.assertIn("/workspace/data/a.txt", deep)
        self.assertTrue(self.value("return await kept.box.files.exists('data')"))
        self.assertFalse(self.value("return await kept.box.files.exists('data/a.txt/x')"))
        self.assertEqual(self.value("return (await kept.box.files.getInfo('data/a.txt')).size"), 8)
        self.assertTrue(self.value("return await kept.box.files.makeDir('new/folder')"))
        self.assertFalse(self.value("return await kept.box.files.makeDir('new/folder')"))
        moved = self.value("return await kept.box.files.rename('data/a.txt', 'other/it\\'s.txt')")
        self.assertEqual(moved["path"], "/workspace/other/it's.txt")
        self.assertEqual(self.value("return await kept.box.files.read(\"other/it's.txt\")"), "hello ü")
        self.value("await kept.box.files.remove('other'); await kept.box.files.remove('other')")
        self.assertFalse(self.value("return await kept.box.files.exists('other')"))

    def test_what_is_no_file_of_it_is_refused(self):
        self.sandbox()
        for call in ("read('~/none')", "list('~/none')", "getInfo('~/none')", "rename('~/none', 'x')"):
            missing = self.error("FileNotFoundError", f"return await kept.box.files.{call}")
            self.assertIn("`~/none`: there is no such file", missing["message"], call)
        for path in ("/etc/passwd", "../x", "a/../../x"):
            self.error("InvalidArgumentError", f"return await kept.box.files.read('{path}')")
            self.error("InvalidArgumentError", f"return await kept.box.files.write('{path}', 'x')")
            self.error("InvalidArgumentError", f"return await kept.box.files.remove('{path}')")
        self.error("InvalidArgumentError", "return await kept.box.files.read('.')")
        self.run_command("ln -s /etc/passwd link")
        self.assertIn("error", self.sdk.ask("return await kept.box.files.read('link')"))

    def test_a_list_has_a_most_however_deep_it_is(self):
        self.sandbox()
        self.run_command("mkdir -p wide/a wide/b && touch wide/a/{1..6000} wide/b/{1..6000}")
        self.assertEqual(self.value("return (await kept.box.files.list('wide/a')).length"), 6000)
        refused = self.error("SandboxError", "return (await kept.box.files.list('wide', {depth: 2})).length")
        self.assertIn("E2B_NOT_SERVED", refused["message"])

    def test_a_command_is_killed_and_its_time_ends_it(self):
        self.sandbox()
        killed = self.value("const one = await kept.box.commands.run('echo up; sleep 600', {background: true});"
                            "const done = await one.kill(); let code; try { await one.wait() } catch (e) { code = e.exitCode }"
                            "return [done, code, await kept.box.commands.kill(one.pid)]")
        self.assertEqual(killed[0], True)
        self.assertNotEqual(killed[1], 0)
        self.assertEqual(killed[2], False)
        late = self.error("TimeoutError", "return await kept.box.commands.run('sleep 600', {timeoutMs: 700})")
        self.assertIn("deadline", late["message"])
        self.gone_command()

    def gone_command(self):
        """One whose caller breaks off ends: nothing is left that writes."""
        self.value("const one = await kept.box.commands.run('while true; do date >> ticks; sleep 0.1; done', {background: true});"
                   "while (!(await kept.box.files.exists('ticks'))) await new Promise((go) => setTimeout(go, 50)); await one.disconnect()")
        size = "return (await kept.box.files.getInfo('ticks')).size"
        wait_until("the command to be over", lambda: self.value(
            f"const was = await (async () => {{ {size} }})(); await new Promise((go) => setTimeout(go, 400));"
            f"const is = await (async () => {{ {size} }})(); return was === is"))

    def test_the_servers_own_clock_ends_a_command_too(self):
        """By a client that does not hang up by itself."""
        name = self.sandbox()
        message = json.dumps({"process": {"cmd": "/bin/bash", "args": ["-l", "-c", "echo hi; sleep 600"]}}).encode()
        connection = self.api.connect()
        connection.request("POST", "/e2b/envd/process.Process/Start", b"\0" + struct.pack(">I", len(message)) + message,
                           {"X-Access-Token": self.api.token, "E2b-Sandbox-Id": name, "Connect-Timeout-Ms": "900",
                            "Content-Type": "application/connect+json", "Connect-Protocol-Version": "1"})
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.getheader("Content-Type")), (200, "application/connect+json"))
        content, messages = answer.read(), []
        while content:
            size = struct.unpack(">I", content[1:5])[0]
            messages.append((content[0], json.loads(content[5:5 + size])))
            content = content[5 + size:]
        self.assertIn("pid", messages[0][1]["event"]["start"])
        self.assertEqual(messages[-1][0], 2)
        self.assertEqual(messages[-1][1]["error"]["code"], "deadline_exceeded")

    def test_the_time_of_a_sandbox_is_set(self):
        name = self.sandbox("{timeoutMs: 60000}")
        left = "return (await kept.box.getInfo()).endAt.getTime() - Date.now()"
        self.assertLess(self.value(left), 61_000)
        self.value("await kept.box.setTimeout(3600000)")
        self.assertAlmostEqual(self.value(left), 3_600_000, delta=60_000)
        self.value("await kept.box.connect({timeoutMs: 1000})")  # never shorter
        self.assertAlmostEqual(self.value(left), 3_600_000, delta=60_000)
        for days in (7, 9):
            refused = self.error("SandboxError", f"await kept.box.setTimeout({days} * 24 * 3600000)")
            self.assertEqual(refused["statusCode"], 400, refused)
            self.assertIn("timeout", refused["message"])
        self.assertAlmostEqual(self.value(left), 3_600_000, delta=60_000)
        self.value("await kept.box.setTimeout(0)")
        wait_until("its end", lambda: not self.value("return await kept.box.isRunning()"))
        self.error("SandboxNotFoundError", "return await kept.box.getInfo()")
        events = [event for event in self.api.ask("GET", "/audit?limit=500")[1]["items"]
                  if event.get("object") == f"sandboxes/{name}" and event["type"] == "object.update"]
        self.assertTrue(any(event["details"].get("lifetime") for event in events), events)

    def test_a_paused_one_takes_no_command(self):
        name = self.sandbox()
        self.value("await kept.box.files.write('kept', 'x')")
        self.assertEqual(self.value("return [await kept.box.pause(), await kept.box.pause()]"), [True, False])
        self.assertIn("SESSION_SUSPENDED", self.error("SandboxError", "return await kept.box.commands.run('true')")["message"])
        self.assertEqual(self.value("return (await kept.box.getInfo()).state"), "paused")
        self.assertEqual(self.value(f"const again = await e2b.Sandbox.connect('{name}'); return await again.files.read('kept')"), "x")
        self.assertEqual(self.run_command("cat kept")["stdout"], "x")

    def test_a_killed_one_is_not_found(self):
        name = self.sandbox()
        self.assertTrue(self.value("return await kept.box.isRunning()"))
        self.assertEqual(self.value("return [await kept.box.kill(), await kept.box.kill()]"), [True, False])
        self.assertFalse(self.value("return await kept.box.isRunning()"))
        self.error("SandboxNotFoundError", "return await kept.box.commands.run('true')")
        self.error("TimeoutError", "return await kept.box.files.read('x')")
        self.error("TimeoutError", "return await kept.box.files.list('.')")
        self.error("SandboxNotFoundError", "return await kept.box.setTimeout(1000)")
        self.error("SandboxNotFoundError", f"return await e2b.Sandbox.connect('{name}')")
        self.assertEqual(self.error("SandboxError", "return await e2b.Sandbox.getInfo('../../nodes')")["statusCode"], 400)

    def test_they_are_listed_by_pages(self):
        names = {self.sandbox(f"{{metadata: {{group: 'pages', n: '{n}'}}}}") for n in range(3)}
        listing = ("const pages = e2b.Sandbox.list({query: {metadata: {group: 'pages'}}, limit: 2}); const out = [];"
                   "let count = 0; while (pages.hasNext) { out.push(...await pages.nextItems()); count += 1 }"
                   "return [count, out.map((each) => each.sandboxId)]")
        count, found = self.value(listing)
        self.assertGreater(count, 1)
        self.assertEqual(set(found), names)
        one = "return (await e2b.Sandbox.list({query: {metadata: {group: 'pages', n: '1'}, state: ['running']}}).nextItems()).length"
        self.assertEqual(self.value(one), 1)
        self.assertEqual(self.value(one.replace("'running'", "'paused'")), 0)

    def test_templates_are_the_operators_names(self):
        self.assertEqual(self.value(f"kept.box = await e2b.Sandbox.create('{IMAGE}'); return (await kept.box.getInfo()).templateId"),
                         IMAGE)
        self.assertTrue(self.value("return await kept.box.kill()"))
        refused = self.error("SandboxError", "return await e2b.Sandbox.create('desktop')")
        self.assertEqual(refused["statusCode"], 422)
        self.assertIn(IMAGE, refused["message"])

    def test_what_is_not_served_says_what_works(self):
        self.sandbox()
        for code in ("e2b.Sandbox.create({allowInternetAccess: true})", "e2b.Sandbox.create({lifecycle: {onTimeout: 'pause'}})",
                     "e2b.Sandbox.create({volumeMounts: {'/v': 'data'}})", "kept.box.getMetrics()", "kept.box.createSnapshot()",
                     "kept.box.fork()", "kept.box.updateNetwork({allowInternetAccess: true})"):
            refused = self.error("SandboxError", f"return await {code}")
            self.assertEqual(refused["statusCode"], 422, refused)
        for code in ("kept.box.pty.create({cols: 80, rows: 24, onData: () => {}})", "kept.box.commands.run('cat', {stdin: true})",
                     "kept.box.commands.connect(1)", "kept.box.commands.list()", "kept.box.files.watchDir('.', () => {})",
                     "kept.box.commands.sendStdin(1, 'x')", "kept.box.commands.run('id', {user: 'root'})"):
            refused = self.error("SandboxError", f"return await {code}")
            self.assertIn("unimplemented", refused["message"])

    def test_a_namespaces_token_sees_its_own_alone(self):
        one = self.with_token(self.token("one", "team-one", "runs:read", "runs:write"))
        two = self.with_token(self.token("two", "team-two", "runs:read", "runs:write"))
        reader = self.with_token(self.token("reader", "team-one", "runs:read"))
        name = self.value("kept.box = await e2b.Sandbox.create(); return kept.box.sandboxId", one)
        self.assertEqual(self.api.ask("GET", self.api.sandboxes(name, namespace="team-one"))[0], 200)
        listed = "return (await e2b.Sandbox.list().nextItems()).map((each) => each.sandboxId)"
        self.assertEqual(self.value(listed, one), [name])
        self.assertEqual(self.value(listed, two), [])
        self.assertEqual(self.value(listed, reader), [name])
        for sdk in (two, self.sdk):
            self.error("SandboxNotFoundError", f"return await e2b.Sandbox.getInfo('{name}')", sdk)
            self.assertFalse(self.value(f"return await e2b.Sandbox.kill('{name}')", sdk))
        refused = self.error("SandboxError", f"return await e2b.Sandbox.kill('{name}')", reader)
        self.assertEqual(refused["statusCode"], 403)
        # Neither does the way inside know more than the token.
        status, answer = self.inside("GET", "/health", name, self.token("three", "team-two", "runs:read", "runs:write"))
        self.assertEqual((status, answer["code"]), (502, 502))
        self.assertTrue(self.value("return await kept.box.kill()", one))

    def inside(self, method, path, name, token, body=None):
        connection = http.client.HTTPSConnection("127.0.0.1", self.api.port, context=self.api.tls, timeout=60)
        try:
            connection.request(method, f"/e2b/envd{path}", body, {"X-Access-Token": token, "E2b-Sandbox-Id": name,
                                                                  "Content-Type": "application/json"})
            answer = connection.getresponse()
            content = answer.read()
            return answer.status, json.loads(content) if content else None
        finally:
            connection.close()

    def test_former_releases_are_served_too(self):
        for release in FORMER:
            with self.subTest(release):
                sdk = self.with_token(self.api.token, self.installed(release))
                name = self.value("kept.box = await e2b.Sandbox.create({envs: {A: 'b'}, metadata: {who: 'me'}}); return kept.box.sandboxId", sdk)
                self.assertFalse(self.value("return (await kept.box.getInfo()).allowInternetAccess", sdk), "the template's network, which is none")
                self.value("await kept.box.files.write('a.txt', 'hello')", sdk)
                done = self.value("return await kept.box.commands.run('cat a.txt; echo $A; echo oops >&2')", sdk)
                self.assertEqual([done[each] for each in ("exitCode", "stdout", "stderr")], [0, "hellob\n", "oops\n"])
                failed = self.error("CommandExitError", "return await kept.box.commands.run('exit 3')", sdk)
                self.assertEqual(failed["exitCode"], 3)
                self.value(f"kept.again = await e2b.Sandbox.connect('{name}', {{timeoutMs: 3600000}})", sdk)
                self.assertEqual(self.value("return await kept.again.files.read('a.txt')", sdk), "hello")
                self.assertGreater(self.value("return (await kept.box.getInfo()).endAt.getTime() - Date.now()", sdk), 3_000_000)
                self.assertEqual(self.value("return (await e2b.Sandbox.list({query: {metadata: {who: 'me'}}}).nextItems()).map((each) => each.sandboxId)", sdk),
                                 [name])
                self.assertIn(IMAGE, self.error("SandboxError", "await e2b.Sandbox.create('desktop')", sdk)["message"])
                self.value("await kept.box.kill()", sdk)
                self.assertFalse(self.value("return await kept.box.isRunning()", sdk))
                off = self.value("kept.box = await e2b.Sandbox.create({allowInternetAccess: false}); await kept.box.kill(); return true", sdk)
                self.assertTrue(off)

    def test_a_wrong_key_is_told_so(self):
        name = self.sandbox()
        stranger = self.with_token("e2b_" + "0" * 40)
        self.error("AuthenticationError", "return await e2b.Sandbox.create()", stranger)
        self.error("AuthenticationError", "return await e2b.Sandbox.list().nextItems()", stranger)
        status, answer = self.inside("POST", "/filesystem.Filesystem/ListDir", name, "e2b_wrong", '{"path": "."}')
        self.assertEqual((status, answer["code"]), (401, 401))
        self.assertEqual(self.inside("GET", "/files?path=x", name, "")[0], 401)


if __name__ == "__main__":
    main()
