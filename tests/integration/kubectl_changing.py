"""What kubectl changes of runs: create, apply, patch, edit and delete them."""
import json
import os

from harness import wait_until

ACTING_EDITOR = "#!/bin/sh\nsed -i 's/edited: \"*no\"*/edited: \"yes\"/' \"$1\"\n"


class Changing:
    def test_create_and_delete(self):
        name = self.waiting_run("made")
        self.assertIn("already exists", self.refused("create", "-f", self.manifest(name)))
        self.assertIn("deleted", self.out("delete", "run", name))
        self.assertIn("NotFound", self.refused("get", "run", name))

    def test_delete_what_a_selector_chooses(self):
        names = [self.waiting_run(f"chosen-{i}", labels={"chosen": self.prefix}) for i in range(3)]
        raw = f"/apis/paddock.dev/v1alpha1/namespaces/default/runs?labelSelector=chosen={self.prefix}"
        self.assertEqual(self.out("auth", "can-i", "deletecollection", "runs").strip(), "yes")
        self.assertEqual(self.kubectl("auth", "can-i", "deletecollection", "nodes", check=False).stdout.strip(), "no")
        self.kubectl("patch", "run", names[0], "--type=merge", "-p", '{"metadata":{"finalizers":["example.com/keep"]}}')
        deleted = json.loads(self.out("delete", "--raw", raw))
        self.assertEqual([each["metadata"]["name"] for each in deleted["items"]], names)
        self.assertEqual(self.out("get", "runs", "-l", f"chosen={self.prefix}", "-o", "name").split(), [f"run.paddock.dev/{names[0]}"])
        self.assertTrue(self.get("run", names[0])["metadata"]["deletionTimestamp"])
        self.kubectl("patch", "run", names[0], "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
        self.assertIn("NotFound", self.refused("get", "run", names[0]))
        self.waiting_run("chosen-by-kubectl", labels={"chosen": self.prefix})
        self.assertIn("deleted", self.out("delete", "runs", "-l", f"chosen={self.prefix}"))

    def running_run(self, name, *options):
        """One that never ends by itself, on the instance's node."""
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps({"apiVersion": "paddock.dev/v1alpha1", "kind": "Run", "metadata": {"name": name},
                                    "spec": {"type": "code", "code": "import time\ntime.sleep(3600)", "timeout": "1h"}}))
        self.kubectl("create", "-f", path, *options)
        wait_until("it to run", lambda: self.out("get", "run", name, *options, "-o", "jsonpath={.status.phase}") == "Running")

    def test_delete_ends_a_run_that_has_not_ended(self):
        name = f"{self.prefix}-ends"
        self.running_run(name)
        self.assertIn("deleted", self.out("delete", "run", name, "--wait=true", "--timeout=200s"))
        self.assertIn("NotFound", self.refused("get", "run", name))
        self.running_run(name)
        forced = self.kubectl("delete", "run", name, "--force", "--grace-period=0", "--cascade=foreground")
        self.assertIn("Warning", forced.stderr)
        self.assertIn("NotFound", self.refused("get", "run", name))

    def test_delete_all_of_a_namespace(self):
        space = ("-n", f"{self.prefix}-all")
        for name in ("one", "two"):
            self.running_run(name, *space)
        self.assertEqual(len(self.out("delete", "runs", "--all", "--now", *space).splitlines()), 2)
        self.assertEqual(self.out("get", "runs", *space, "-o", "name"), "")

    def test_every_end_is_waited_for_by_one_condition(self):
        name = self.waiting_run("finished")
        self.kubectl("patch", "run", name, "--type=merge", "-p", '{"spec":{"cancelRequested":true}}')
        for ended in (name, "seen"):
            self.assertIn("condition met", self.out("wait", f"run/{ended}", "--for=condition=Finished", "--timeout=200s"))
        self.assertIn("condition met", self.out("wait", "pod/seen", "--for=condition=Ready=False", "--timeout=200s"))
        node = self.out("get", "nodes", "-o", "name").strip()
        self.assertIn("condition met", self.out("wait", node, "--for=condition=Ready", "--timeout=200s"))
        header, *rows = self.out("get", "runs").splitlines()
        self.assertEqual(header.split()[:3], ["NAME", "PHASE", "RC"])
        self.assertEqual([row.split()[2] for row in rows if row.startswith("seen ")], ["0"])

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
        self.kubectl("wait", "run/seen", "--for=condition=Reviewed", "--timeout=200s")
