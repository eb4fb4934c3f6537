"""What kubectl does with the kinds beside runs: they are read, described, labelled, patched, watched and deleted."""
import contextlib
import json
import subprocess
import threading

from harness import wait_until


class OtherKinds:
    def test_a_sandbox(self):
        self.life("Sandbox", "sandboxes", {"idleTimeout": "10m"})

    def test_a_workspace(self):
        self.life("Workspace", "workspaces", {})

    def test_a_grant(self):
        self.life("Grant", "grants", {"compute": {"cpu": 2}})

    def test_a_tool_token(self):
        self.life("ToolToken", "tooltokens", {"run": self.waiting_run("with-token"), "operations": ["run:read"]})

    def test_a_node(self):
        """Hosts enrol: none is created or deleted here."""
        name = self.out("get", "nodes", "-o", "jsonpath={.items[0].metadata.name}")
        self.read("Node", "nodes", name)
        self.kubectl("label", "node", name, f"seen-{self.prefix}=yes")
        self.addCleanup(self.kubectl, "label", "node", name, f"seen-{self.prefix}-")
        self.assertIn(name, self.out("get", "nodes", "-l", f"seen-{self.prefix}=yes", "-o", "name"))
        with self.watching("nodes") as told:
            self.changes_are_told("node", name, told)
        self.assertIn("dry run", self.out("delete", "node", name, "--dry-run=server"))
        self.assertEqual(self.get("node", name)["metadata"]["name"], name)
        self.assertIn("MethodNotAllowed", self.refused("create", "-f", self.file_of("Node", f"{self.prefix}-host", {})))

    def test_a_volume_is_not_made_by_callers(self):
        self.assertIn("MethodNotAllowed", self.refused("create", "-f", self.file_of("Volume", f"{self.prefix}-vol")))

    def life(self, kind, plural, spec):
        word, name = kind.lower(), f"{self.prefix}-{kind.lower()}"
        path = self.file_of(kind, name, spec)
        self.assertIn("created", self.out("create", "-f", path))
        self.assertIn("already exists", self.refused("create", "-f", path))
        self.read(kind, plural, name)
        self.kubectl("label", word, name, f"by={self.prefix}")
        self.kubectl("annotate", word, name, "note=hello")
        self.assertEqual(self.out("get", plural, "-l", f"by={self.prefix}", "-o", "name").strip(), f"{word}.paddock.dev/{name}")
        self.kubectl("patch", word, name, "--type=merge", "-p", '{"metadata":{"annotations":{"note":null}}}')
        self.assertNotIn("note", self.get(word, name)["metadata"].get("annotations", {}))
        self.assertIn("no valid label", self.refused("patch", word, name, "--type=merge", "-p", '{"metadata":{"labels":{"a b":"c"}}}'))
        with self.watching(plural) as told:
            self.changes_are_told(word, name, told)
            self.assertIn("dry run", self.out("delete", word, name, "--dry-run=server"))
            self.assertIn("deleted", self.out("delete", word, name))
            wait_until("the deletion", lambda: any(line.startswith("DELETED") and name in line for line in told))
        self.assertIn("NotFound", self.refused("get", word, name))
        self.assertEqual(self.out("get", word, name, "--ignore-not-found"), "")
        self.assertIn("NotFound", self.refused("delete", word, name))

    def read(self, kind, plural, name):
        word = kind.lower()
        table = self.out("get", plural).splitlines()
        self.assertRegex(table[0], r"^NAME .*AGE")
        self.assertTrue(any(line.startswith(name) for line in table), table)
        self.assertEqual(self.get(word, name)["kind"], kind)
        described = self.out("describe", word, name)
        self.assertRegex(described, rf"Name:\s+{name}\n")
        self.assertRegex(described, rf"Kind:\s+{kind}\n")
        self.assertIn("Spec:", described)
        self.assertIn("KIND:", self.out("explain", word))
        self.assertEqual(self.out("auth", "can-i", "watch", plural).strip(), "yes")

    @contextlib.contextmanager
    def watching(self, plural):
        """The lines that a watch of this kind prints, which grow."""
        with subprocess.Popen(self.command("get", plural, "-w", "--output-watch-events"), text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as watch:
            lines = []
            reader = threading.Thread(target=lambda: lines.extend(iter(watch.stdout.readline, "")), daemon=True)
            reader.start()
            try:
                yield lines
            finally:
                watch.kill()
                reader.join()

    def changes_are_told(self, word, name, told):
        steps = iter(range(10_000))

        def changed():  # a watch begins when it begins: what happens before it is not its to tell
            self.kubectl("label", word, name, f"step-{self.prefix}={next(steps)}", "--overwrite")
            return any(line.startswith("MODIFIED") and name in line for line in told)
        wait_until("a change of it", changed)

    def file_of(self, kind, name, spec=None):
        path = self.folder / f"{name}.json"
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": kind, "metadata": {"name": name}}
        path.write_text(json.dumps(body if spec is None else {**body, "spec": spec}))
        return path
