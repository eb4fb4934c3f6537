"""manifests/examples: every file parsed and applied by the newest kubectl at hand; by the others: manifests_versions_test."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

import kubectl_versions
from harness import BIN, SOURCE, Instance, find_file, main, wait_until

EXAMPLES = SOURCE / "manifests/examples"
RUNS = sorted(EXAMPLES.glob("run-*.yaml"))
REFUSED = {"run-network.yaml": "the operator allows no network"}  # what the refusal names
LAST = "run-after-publish.yaml"
PYTEST = subprocess.run(["/usr/bin/python3", "-c", "import pytest"], stderr=subprocess.DEVNULL).returncode == 0
WRAPPER = "#!/bin/sh\necho BUILD SUCCESSFUL\n"  # of the project that run-gradle.yaml is for


def objects(path):
    return [each for each in yaml.safe_load_all(path.read_text()) if each]


class Examples(unittest.TestCase):
    """One instance; each version of kubectl has a namespace of its own."""
    programs = kubectl_versions.newest()

    @classmethod
    def setUpClass(cls):
        if not cls.programs:
            raise unittest.SkipTest("no such kubectl is on this machine")
        cls.instance = Instance()
        cls.enterClassContext(cls.instance)
        cls.config = cls.instance.home / "kubeconfig"
        cls.config.write_text(cls.instance.run("kubeconfig").stdout)
        cls.project = cls.instance.home / "project"
        shutil.copytree(EXAMPLES / "project", cls.project)
        (cls.project / "gradlew").write_text(WRAPPER)
        (cls.project / "gradlew").chmod(0o755)

    def kubectl(self, version, *args, check=True, stdin=None):
        done = subprocess.run([self.programs[version], "--kubeconfig", self.config, "-n", f"k{version[1]}",
                               "--cache-dir", self.instance.home / f"cache{version[1]}", *map(str, args)],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, input=stdin)
        if check:
            self.assertEqual(done.returncode, 0, f"{args}\n{done.stdout}\n{done.stderr}")
        return done

    def upload(self, namespace):
        env = {name: self.instance.env[name] for name in ("PATH", "PADDOCK_HOME", "PADDOCK_INSTANCE")}  # nothing else has to be told
        return subprocess.run([sys.executable, EXAMPLES / "upload.py", self.project, namespace], env=env, check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def run_of(self, version, name):
        return json.loads(self.kubectl(version, "get", "run", name, "-o", "json").stdout)

    def wait(self, version, name):
        def ended():
            run = self.run_of(version, name)
            return run if run["status"]["phase"] in ("Succeeded", "Failed", "Canceled") else None
        return wait_until(f"{name} to end", ended)

    def apply(self, version, path):
        return self.kubectl(version, "apply", "-f", path)

    def test_every_example_is_taken_from_every_version(self):
        for version in sorted(self.programs):
            with self.subTest(kubectl=version):
                for path in sorted(EXAMPLES.glob("*.yaml")):
                    # Without a file in the workspace, a grant, a volume: what can be said of the text alone.
                    done = self.kubectl(version, "-n", "unused", "create", "--dry-run=server", "-f", path, check=False)
                    if done.returncode != 0:
                        self.assertRegex(done.stderr, "there is no |the operator allows no network")

    def test_every_example_is_applied(self):
        for version in {min(self.programs), max(self.programs)}:
            with self.subTest(kubectl=version):
                self.apply(version, EXAMPLES / "workspace.yaml")
                self.apply(version, EXAMPLES / "grants.yaml")
                self.check_quota(version)
                first = self.upload(f"k{version[1]}")
                self.assertEqual(self.upload(f"k{version[1]}"), first)
                for path in RUNS:
                    if path.name not in REFUSED and path.name != LAST:
                        self.assertIn("created", self.apply(version, path).stdout)
                        self.assertIn("unchanged", self.apply(version, path).stdout)
                self.check_ends(version)
                self.check_those_that_wait(version)
                for name, word in REFUSED.items():
                    refused = self.kubectl(version, "apply", "-f", EXAMPLES / name, check=False)
                    self.assertNotEqual(refused.returncode, 0)
                    self.assertIn(word, refused.stderr)

    def check_quota(self, version):
        """It is in force while the other examples run: who asks for more than all its cores is refused by it."""
        cores = objects(EXAMPLES / "quota.yaml")[0]["spec"]["compute"]["quota"]["cpu"]
        self.assertIn("created", self.apply(version, EXAMPLES / "quota.yaml").stdout)
        self.assertIn("unchanged", self.apply(version, EXAMPLES / "quota.yaml").stdout)
        run = objects(EXAMPLES / "run-code.yaml")[0]
        run["metadata"]["name"] = "too-much"
        run["spec"]["resources"] = {"cpu": cores + 1}
        refused = self.kubectl(version, "create", "-f", "-", check=False, stdin=json.dumps(run))
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(f"namespace k{version[1]} (grant quota) has {cores} cores", refused.stderr)

    def check_ends(self, version):
        tested = ("test",) if PYTEST else ()
        for name in ("compute", "limits", "script", "gradle", "publish", "code", *tested):
            run = self.wait(version, name)
            self.assertEqual(run["status"]["phase"], "Succeeded", run["status"])
        self.assertEqual(self.kubectl(version, "logs", "compute").stdout, "8 words\n")
        self.assertEqual(self.kubectl(version, "logs", "code").stdout, "2 items, 13.00 €\n")
        self.assertEqual([each["path"] for each in self.run_of(version, "compute")["status"]["artifacts"]], ["out/count.txt"])
        self.assertEqual(self.run_of(version, "limits")["status"]["policy"]["limits"]["pids"], 16)
        self.apply(version, EXAMPLES / LAST)
        self.assertEqual(self.wait(version, "after-publish")["status"]["phase"], "Succeeded")
        self.assertEqual(self.kubectl(version, "logs", "after-publish").stdout, "8 counted before\n")

    def check_those_that_wait(self, version):
        waiting = wait_until("why it waits", lambda: self.run_of(version, "accelerator")["status"].get("message"))
        self.assertIn("nvidia", waiting)
        wait_until("the agent's question", lambda: self.run_of(version, "agent")["status"].get("pendingToolUses"))
        self.kubectl(version, "patch", "run", "agent", "--type=merge", "-p", '{"spec":{"cancelRequested":true}}')
        self.assertEqual(self.wait(version, "agent")["status"]["phase"], "Canceled")

    def test_every_file_is_of_this_api_and_has_a_name_of_its_own(self):
        seen = set()
        for path in EXAMPLES.glob("*.yaml"):
            for each in objects(path):
                self.assertEqual(each["apiVersion"], "paddock.dev/v1alpha1")
                key = (each["kind"], each["metadata"]["name"])
                self.assertNotIn(key, seen)
                seen.add(key)
                if each["kind"] == "Run":
                    self.assertEqual(path.name, f"run-{key[1]}.yaml")
        self.assertEqual({kind for kind, _ in seen}, {"Run", "Grant", "Workspace"})
        types = {objects(path)[0]["spec"]["type"] for path in RUNS}
        self.assertEqual(types, {"compute", "script", "gradle", "code", "test", "agent"}, "every type of run that there is")

    def test_the_policies_hold_in_a_sandbox(self):
        for policy in (EXAMPLES / "policies").iterdir():
            done = self.instance.run("sandbox", "run", "--policy", policy, "-o", "json", "--", "python3", "-c", "print(1)")
            self.assertEqual(json.loads(done.stdout)["status"], "OK")
            done = self.instance.run("sandbox", "run", "--policy", policy, "--", "/usr/bin/env", check=False)
            self.assertNotEqual(done.returncode, 0, "a program that is not listed")

    def test_the_profiles_are_taken_by_a_controller(self):
        with tempfile.TemporaryDirectory() as folder:
            env = {"PATH": os.environ["PATH"], "PADDOCK_CONTROLLER_DATA_DIR": f"{folder}/data", "PADDOCK_CONTROLLER_PORT": "0",
                   "PADDOCK_CONTROLLER_PROFILES_DIR": str(EXAMPLES / "profiles")}
            process = subprocess.Popen([BIN / "paddock-controller"], env=env, stderr=subprocess.PIPE, text=True)
            ready = next((line for line in process.stderr if '"ready"' in line or '"ended"' in line), "")
            process.terminate()
            process.communicate()
        self.assertIn('"ready"', ready)


if __name__ == "__main__":
    main()
