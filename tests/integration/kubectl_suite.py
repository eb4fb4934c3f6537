"""What a real, unmodified kubectl does with runs on a live instance over https; kubectl_kinds.py has the other kinds."""
import contextlib
import json
import pathlib
import subprocess
import tempfile
import threading
import unittest

import kubectl_versions
from harness import Instance, make_project, wait_until
from kubectl_changing import Changing
from kubectl_kinds import OtherKinds


class Shared:
    """One instance for all versions."""
    instance = None
    busy = None

    @classmethod
    def get(cls):
        if cls.instance is None:
            cls.instance = Instance()
            cls.instance.__enter__()
            project = make_project(cls.instance.home / "project", job__py="print('hi')\nprint('there')\n")
            cls.instance.run("compute", project, "python3 job.py", "--name", "seen")
            cls.instance.workspace = cls.instance.run_object("seen")["spec"]["workspace"]
            cls.config = cls.instance.home / "kubeconfig"
            cls.config.write_text(cls.instance.run("kubeconfig").stdout)
        return cls.instance


def tearDownModule():  # of the classes that load() makes: they belong to this module
    if Shared.instance is not None:
        Shared.instance.__exit__(None, None, None)


class Base(unittest.TestCase):
    program = None
    version = None

    @classmethod
    def setUpClass(cls):
        cls.instance = Shared.get()
        cls.folder = pathlib.Path(tempfile.mkdtemp(dir=cls.instance.home))
        cls.prefix = f"k{cls.version[1]}"

    def command(self, *args):
        return [self.program, "--kubeconfig", str(Shared.config), "--cache-dir", str(self.folder / "cache"), *map(str, args)]

    def kubectl(self, *args, check=True, **kwargs):
        done = kubectl_versions.run(self.command(*args), text=True, **kwargs)
        if check:
            self.assertEqual(done.returncode, 0, f"{args}\n{done.stdout}\n{done.stderr}")
        return done

    def out(self, *args, **kwargs):
        return self.kubectl(*args, **kwargs).stdout

    def refused(self, *args, **kwargs):
        done = self.kubectl(*args, check=False, **kwargs)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.stderr

    def get(self, kind, name):
        return json.loads(self.out("get", kind, name, "-o", "json"))

    def manifest(self, name, labels=None, annotations=None, **spec):
        """A file with a run that waits for a node which does not exist."""
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Run",
                "metadata": {"name": name, "labels": labels or {}, "annotations": annotations or {}},
                "spec": {"type": "compute", "command": "python3 job.py", "workspace": self.instance.workspace,
                         "nodeSelector": {"no-such": "node"}, **spec}}
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(body))
        return path

    def waiting_run(self, suffix, **kwargs):
        name = f"{self.prefix}-{suffix}"
        self.kubectl("create", "-f", self.manifest(name, **kwargs))
        return name

    def since(self, minor):
        if self.version < (1, minor):
            self.skipTest(f"kubectl has this from 1.{minor} on")


class Reading:
    def test_get_in_every_form(self):
        table = self.out("get", "runs")
        self.assertIn("PHASE", table.splitlines()[0])
        self.assertIn("Succeeded", table)
        self.assertIn("COMMAND", self.out("get", "runs", "-o", "wide").splitlines()[0])
        self.assertIn("NAMESPACE", self.out("get", "runs", "-A").splitlines()[0])
        self.assertIn("seen", self.out("get", "rn", "seen", "--show-labels"))
        self.assertEqual(self.out("get", "run", "seen", "-o", "name").strip(), "run.paddock.dev/seen")
        self.assertEqual(self.out("get", "run", "seen", "-o", "jsonpath={.status.phase}"), "Succeeded")
        self.assertIn("seen", self.out("get", "runs", "--sort-by=.metadata.name", "--chunk-size=1"))
        self.assertIn("seen", self.out("get", "runs", "-o", "custom-columns=N:.metadata.name"))
        self.assertEqual(self.get("run", "seen")["kind"], "Run")
        self.assertEqual(self.out("get", "runs", "-l", "no=such", "-o", "name"), "")

    def test_all_kinds_and_resources(self):
        self.assertIn("Ready", self.out("get", "nodes"))
        self.assertIn("FILES", self.out("get", "workspaces"))
        self.assertIn("No resources found", self.kubectl("get", "volumes").stderr)
        resources = self.out("api-resources")
        for kind in ("runs", "workspaces", "volumes", "grants", "tooltokens", "sandboxes", "nodes", "pods", "events"):
            self.assertIn(kind, resources)
        self.assertIn("default", self.out("get", "ns"))
        self.assertIn("paddock.dev/v1alpha1", self.out("api-versions"))
        self.assertIn("Server Version", self.out("version"))

    def test_top_shows_what_nodes_and_runs_use(self):
        top = wait_until("the node to be measured", lambda: self.measured("nodes"))
        self.assertRegex(top, r"(?m)^\S+ +\d+m +\d+% +\d+Mi +\d+%")
        top = wait_until("the run to be measured", lambda: self.measured("pods", "-n", self.busy()))
        self.assertRegex(top, r"(?m)^busy +\d+m +\d+Mi")

    def measured(self, *words):
        done = self.kubectl("top", *words, check=False)
        return done.stdout if done.returncode == 0 and "m " in done.stdout.partition("\n")[2] else None

    def busy(self):
        """A namespace of its own with a run that goes on, one for all versions."""
        if Shared.busy is None:
            Shared.busy = "busy"
            self.instance.run("run", "-n", Shared.busy, "--name", "busy", "--detach", "--", "sleep", "6000")
        return Shared.busy

    def test_describe_shows_why_a_run_waits_and_each_transition(self):
        name = self.waiting_run("described")
        wait_until("the reason", lambda: "UNSCHEDULABLE" in self.out("describe", "run", name))
        text = self.out("describe", "run", "seen")
        for word in ("Events:", "Scheduled", "Running", "Succeeded", "paddock-controller"):
            self.assertIn(word, text)
        self.assertNotIn("<none>", text.split("Events:")[1])
        self.assertIn("run/seen", self.out("get", "events"))

    def test_one_event_by_its_name(self):
        names = self.out("get", "events", "--field-selector", "involvedObject.name=seen", "-o", "name").split()
        self.assertTrue(names)
        event = json.loads(self.out("get", names[0], "-o", "json"))
        self.assertEqual(event["involvedObject"]["name"], "seen")
        self.assertIn("run/seen", self.out("get", names[0]))
        self.assertIn("seen", self.out("describe", names[0]))
        self.assertIn("NotFound", self.refused("get", "event", "seen.00000000.1"))

    def test_a_quota_of_a_namespace(self):
        space = ("-n", f"{self.prefix}-quota")
        path = self.folder / "quota.json"

        def apply(quota):
            path.write_text(json.dumps({"apiVersion": "paddock.dev/v1alpha1", "kind": "Grant", "metadata": {"name": "q"},
                                        "spec": {"compute": {"quota": quota}}}))
            return self.out("apply", *space, "-f", path)
        self.assertIn("created", apply({"runs": 2, "accelerators": [{"kind": "nvidia", "count": 1}]}))
        wait_until("the use", lambda: "runs 0/2, nvidia 0/1" in self.out("get", "grants", *space))
        self.assertIn("configured", apply({"runs": 3}))
        self.assertIn("unchanged", apply({"runs": 3}))
        self.assertEqual(json.loads(self.out("get", "grant", "q", *space, "-o", "json"))["spec"]["compute"]["quota"], {"runs": 3})
        wait_until("the new number", lambda: "runs 0/3" in self.out("get", "grants", *space))
        self.out("delete", "grant", "q", *space)

    def test_a_missing_run_and_a_wrong_token(self):
        self.assertIn('NotFound', self.refused("get", "run", "nope"))
        self.assertEqual(self.out("get", "run", "nope", "--ignore-not-found"), "")
        self.assertIn("must be logged in", self.refused("--token", "wrong", "get", "runs"))

    def test_explain(self):
        self.assertIn("what is wanted", self.out("explain", "run"))
        self.assertIn("network", self.out("explain", "run.spec.sandbox"))
        self.assertIn("priority", self.out("explain", "runs.spec"))

    def test_logs(self):
        self.assertEqual(self.out("logs", "seen"), "hi\nthere\n")
        self.assertEqual(self.out("logs", "-f", "seen", "--tail=1"), "there\n")
        self.assertRegex(self.out("logs", "seen", "--timestamps"), r"^\d{4}-.*Z hi\n")
        self.assertEqual(self.out("logs", "-l", "paddock.dev/run=none"), "")
        self.assertEqual(self.out("logs", "-l", "paddock.dev/run=seen"), "hi\nthere\n")
        self.assertIn("Succeeded", self.out("get", "pod", "seen"))

    def test_auth(self):
        self.assertEqual(self.out("auth", "can-i", "create", "runs").strip(), "yes")
        self.assertEqual(self.kubectl("auth", "can-i", "create", "deployments", check=False).stdout.strip(), "no")
        self.assertIn("runs.paddock.dev", self.out("auth", "can-i", "--list"))
        if self.version >= (1, 28):
            self.assertIn("admin", self.out("auth", "whoami"))


class Watching:
    def test_watch_tells_changes_as_they_happen(self):
        name = self.waiting_run("watched")
        with subprocess.Popen(self.command("get", "run", name, "-w", "-o", "jsonpath={.metadata.labels.step}{'\\n'}"),
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as watching:
            seen = []
            reader = threading.Thread(target=lambda: seen.extend(iter(watching.stdout.readline, "")), daemon=True)
            reader.start()
            wait_until("the first state", lambda: seen)
            for step in ("one", "two"):
                self.kubectl("label", "run", name, f"step={step}", "--overwrite")
                wait_until(step, lambda: f"{step}\n" in seen)
            watching.kill()
            reader.join()

    def test_watch_of_events_tells_what_happens_to_a_run(self):
        with subprocess.Popen(self.command("get", "events", "-w", "--watch-only"), text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as watching, contextlib.ExitStack() as after:
            after.callback(watching.kill)
            seen = []
            threading.Thread(target=lambda: seen.extend(iter(watching.stdout.readline, "")), daemon=True).start()
            made = []

            def told():  # a watch begins when it begins: what happens before it is not its to tell
                made.append(self.waiting_run(f"told-{len(made)}"))
                return any(f"run/{name} " in line for name in made for line in seen)
            wait_until("an event", told)
            name = made[-1]
            self.kubectl("patch", "run", name, "--type=merge", "-p", '{"spec":{"cancelRequested":true}}')
            wait_until("its end", lambda: any(f"run/{name} " in line and "CANCEL_REQUESTED" in line for line in seen))

    def test_wait_for_a_condition_and_for_deletion(self):
        name = self.waiting_run("awaited")
        with subprocess.Popen(self.command("wait", "run", name, "--for=condition=Failed", "--timeout=200s"),
                              text=True, stdout=subprocess.PIPE) as waiting:
            self.kubectl("patch", "run", name, "--type=merge", "-p", '{"spec":{"cancelRequested":true}}')
            self.assertIn("condition met", waiting.communicate()[0])
        with subprocess.Popen(self.command("wait", "run", name, "--for=delete", "--timeout=200s", "-v=6"),
                              text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as waiting:
            while "watch=true" not in waiting.stderr.readline():  # deleted earlier, it would be an error to old clients
                self.assertIsNone(waiting.poll())
            threading.Thread(target=waiting.stderr.read, daemon=True).start()
            self.kubectl("delete", "run", name)
            self.assertEqual(waiting.wait(), 0)

    def test_wait_for_a_phase(self):
        self.since(23)
        self.kubectl("wait", "run/seen", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=200s")


def load(module, programs, if_none):
    """The suite for each of these programs ({version: path}), in a test module that is skipped as a whole if there is none."""
    for version, program in sorted(programs.items()):
        title = f"Kubectl{version[0]}_{version[1]}"
        module[title] = type(title, (Reading, Changing, Watching, OtherKinds, Base), {"program": program, "version": version})
    if not programs:
        module["Missing"] = unittest.skip(if_none)(type("Missing", (unittest.TestCase,), {"test_it": lambda self: None}))
