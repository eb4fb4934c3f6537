"""Every real, unmodified kubectl of this machine drives a live instance over https.

PADDOCK_KUBECTL names further programs, separated by colons.
"""
import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

import kubectl_versions
from harness import Instance, main, make_project, wait_until

PROGRAMS = kubectl_versions.programs()
OLDEST = (1, 20)  # Debian 12's
ACTING_EDITOR = "#!/bin/sh\nsed -i 's/edited: \"*no\"*/edited: \"yes\"/' \"$1\"\n"


class Shared:
    """One instance for all versions."""
    instance = None

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


def tearDownModule():
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
        done = subprocess.run(self.command(*args), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **kwargs)
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
        self.assertEqual(self.kubectl("auth", "can-i", "create", "secrets", check=False).stdout.strip(), "no")
        self.assertIn("runs.paddock.dev", self.out("auth", "can-i", "--list"))
        if self.version >= (1, 28):
            self.assertIn("admin", self.out("auth", "whoami"))


class Changing:
    def test_create_and_delete(self):
        name = self.waiting_run("made")
        self.assertIn("already exists", self.refused("create", "-f", self.manifest(name)))
        self.assertIn("cancel it first", self.refused("delete", "run", name))
        self.kubectl("patch", "run", name, "--type=merge", "-p", '{"spec":{"cancelRequested":true}}')
        self.assertIn("deleted", self.out("delete", "run", name))
        self.assertIn("NotFound", self.refused("get", "run", name))

    def test_delete_what_a_selector_chooses(self):
        names = [self.waiting_run(f"chosen-{i}", labels={"chosen": self.prefix}) for i in range(3)]
        raw = f"/apis/paddock.dev/v1alpha1/namespaces/default/runs?labelSelector=chosen={self.prefix}"
        self.assertEqual(self.out("auth", "can-i", "deletecollection", "runs").strip(), "yes")
        self.assertEqual(self.kubectl("auth", "can-i", "deletecollection", "nodes", check=False).stdout.strip(), "no")
        for name in names[1:]:
            self.kubectl("patch", "run", name, "--type=merge", "-p", '{"spec":{"cancelRequested":true}}')
        self.assertIn("cancel it first", self.refused("delete", "--raw", raw))  # the others went
        left = self.out("get", "runs", "-l", f"chosen={self.prefix}", "-o", "name")
        self.assertEqual(left.split(), [f"run.paddock.dev/{names[0]}"])
        self.kubectl("patch", "run", names[0], "--type=merge", "-p", '{"spec":{"cancelRequested":true}}')
        deleted = json.loads(self.out("delete", "--raw", raw))
        self.assertEqual([each["metadata"]["name"] for each in deleted["items"]], names[:1])
        name = self.waiting_run("chosen-by-kubectl", labels={"chosen": self.prefix})
        self.kubectl("patch", "run", name, "--type=merge", "-p", '{"spec":{"cancelRequested":true}}')
        self.assertIn("deleted", self.out("delete", "runs", "-l", f"chosen={self.prefix}"))

    def test_unknown_and_wrong_fields_are_named(self):
        bad = self.manifest(f"{self.prefix}-bad", prioritee=1)
        self.assertIn("prioritee", self.refused("create", "-f", bad))
        wrong = self.manifest(f"{self.prefix}-bad", priority="high")
        self.assertIn("priority", self.refused("create", "-f", wrong))

    def test_apply_is_idempotent_and_merges(self):
        name = f"{self.prefix}-applied"
        path = self.manifest(name, labels={"a": "1"})
        self.assertIn("created", self.out("apply", "-f", path))
        self.assertIn("unchanged", self.out("apply", "-f", path))
        self.assertIn("configured", self.out("apply", "-f", self.manifest(name, labels={"b": "2"})))
        self.assertEqual(self.get("run", name)["metadata"]["labels"], {"b": "2"})
        refused = self.refused("apply", "-f", self.manifest(name, labels={"b": "2"}, priority=7))
        self.assertIn("spec.priority", refused)
        self.assertIn("cannot change after its creation", refused)

    def test_replace_label_annotate_and_patch(self):
        name = self.waiting_run("patched")
        self.kubectl("label", "run", name, "app=x")
        self.kubectl("annotate", "run", name, "note=hello")
        self.kubectl("patch", "run", name, "--type=json", "-p",
                     '[{"op":"test","path":"/metadata/labels/app","value":"x"},'
                     '{"op":"replace","path":"/metadata/labels/app","value":"y"}]')
        self.assertIn(name, self.out("get", "runs", "-l", "app=y"))
        self.kubectl("label", "run", name, "app-")
        self.assertIn("no change", self.out("patch", "run", name, "--type=merge", "-p", "{}"))
        self.assertIn("not supported", self.refused("patch", "run", name, "-p", "{}"))
        self.kubectl("replace", "-f", self.manifest(name, labels={"from": "file"}))
        self.assertEqual(self.get("run", name)["metadata"]["labels"], {"from": "file"})
        self.assertIn("is invalid", self.refused("patch", "run", name, "--type=merge", "-p", '{"spec":{"priority":3}}'))

    def test_edit(self):
        name = self.waiting_run("edited", annotations={"edited": "no"})
        editor = self.folder / "editor"
        editor.write_text(ACTING_EDITOR)
        editor.chmod(0o755)
        self.kubectl("edit", "run", name, env={**os.environ, "KUBE_EDITOR": str(editor)})
        self.assertEqual(self.get("run", name)["metadata"]["annotations"]["edited"], "yes")

    def test_dry_run_and_diff_keep_nothing(self):
        name = self.waiting_run("dry")
        path = self.manifest(name, labels={"dry": "run"})
        self.assertIn("dry run", self.out("apply", "-f", path, "--dry-run=server"))
        diff = self.kubectl("diff", "-f", path, check=False)
        self.assertEqual(diff.returncode, 1, diff.stderr)
        self.assertIn("+    dry: run", diff.stdout)
        self.assertNotIn("dry", self.get("run", name)["metadata"].get("labels", {}))
        self.kubectl("create", "-f", self.manifest(f"{self.prefix}-never"), "--dry-run=server")
        self.assertIn("NotFound", self.refused("get", "run", f"{self.prefix}-never"))

    def test_server_side_apply_and_its_conflicts(self):
        name = f"{self.prefix}-ssa"
        path = self.manifest(name, labels={"a": "1"})
        self.assertIn("serverside-applied", self.out("apply", "--server-side", "-f", path))
        def metadata():  # its version may grow: the scheduler writes why it waits
            return {**self.get("run", name)["metadata"], "resourceVersion": ""}
        before = metadata()
        self.kubectl("apply", "--server-side", "-f", path)
        self.assertEqual(metadata(), before)
        other = self.manifest(name, labels={"a": "2"})
        refused = self.refused("apply", "--server-side", "--field-manager=other", "-f", other)
        self.assertIn("conflict", refused)
        self.assertIn(".metadata.labels.a", refused)
        self.kubectl("apply", "--server-side", "--field-manager=other", "--force-conflicts", "-f", other)
        self.assertEqual(self.get("run", name)["metadata"]["labels"], {"a": "2"})

    def test_server_side_apply_takes_over_from_client_side_apply(self):
        self.since(26)
        name = f"{self.prefix}-moved"
        self.kubectl("apply", "-f", self.manifest(name, labels={"a": "1", "b": "1"}))
        self.kubectl("apply", "--server-side", "-f", self.manifest(name, labels={"a": "2"}))
        self.assertEqual(self.get("run", name)["metadata"]["labels"], {"a": "2"})

    def test_nodes_and_workspaces_change_too(self):
        node = self.out("get", "nodes", "-o", "name").strip()
        self.kubectl("annotate", node, f"seen-by={self.prefix}", "--overwrite")
        self.kubectl("patch", node, "--type=merge", "-p", '{"spec":{"unschedulable":true}}')
        self.assertIn("SchedulingDisabled", self.out("get", node))
        self.kubectl("patch", node, "--type=merge", "-p", '{"spec":{"unschedulable":false}}')
        self.kubectl("label", "workspace", self.instance.workspace, f"by={self.prefix}", "--overwrite")

    def test_a_status_is_the_controllers(self):
        self.since(24)
        for status in ('{"phase":"Failed"}', '{"conditions":[{"type":"Complete","status":"False"}]}'):
            self.assertIn("is invalid", self.refused("patch", "run", "seen", "--subresource=status", "--type=merge",
                                                     "-p", '{"status":%s}' % status))
        own = self.get("run", "seen")["status"]["conditions"] + [{"type": "Reviewed", "status": "True"}]
        self.kubectl("patch", "run", "seen", "--subresource=status", "--type=merge",
                     "-p", json.dumps({"status": {"conditions": own}}))
        self.kubectl("wait", "run/seen", "--for=condition=Reviewed", "--timeout=100s")


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
        self.kubectl("wait", "run/seen", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=100s")


for version, program in sorted(PROGRAMS.items()):
    title = f"Kubectl{version[0]}_{version[1]}"
    globals()[title] = type(title, (Reading, Changing, Watching, Base), {"program": program, "version": version})


class Versions(unittest.TestCase):
    def test_debians_kubectl_was_tried(self):
        if OLDEST not in PROGRAMS:
            self.skipTest(kubectl_versions.HOW_TO_GET_1_20)

    def test_a_current_kubectl_was_tried(self):
        if not any(version >= (1, 29) for version in PROGRAMS):
            self.skipTest("no kubectl of 1.29 or later is on this machine; get one from https://dl.k8s.io/ and "
                          "name it in PADDOCK_KUBECTL")


if __name__ == "__main__":
    main()
