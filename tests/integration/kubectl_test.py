"""The real, unmodified kubectl against a live instance."""
import json
import shutil
import subprocess
import tempfile
import unittest

from harness import Instance, main, make_project


@unittest.skipUnless(shutil.which("kubectl"), "kubectl is not installed on this machine")
class Kubectl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.instance.__enter__()
        cls.addClassCleanup(cls.instance.__exit__, None, None, None)
        cls.kubeconfig = cls.instance.home / "kubeconfig"
        cls.kubeconfig.write_text(cls.instance.run("kubeconfig").stdout)
        project = make_project(cls.instance.home / "project", job__py="print('hi')\n")
        cls.instance.run("compute", project, "python3 job.py", "--name", "seen")

    def kubectl(self, *args, check=True, **kwargs):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run(["kubectl", "--kubeconfig", str(self.kubeconfig), "--cache-dir", cache, *args],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **kwargs)
        if check:
            self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_get_runs_lists_runs_with_the_servers_columns(self):
        table = self.kubectl("get", "runs").stdout
        self.assertIn("PHASE", table.splitlines()[0])
        self.assertIn("seen", table)
        self.assertIn("Succeeded", table)

    def test_get_one_as_json_and_all_namespaces(self):
        run = json.loads(self.kubectl("get", "run", "seen", "-o", "json").stdout)
        self.assertEqual((run["kind"], run["status"]["phase"]), ("Run", "Succeeded"))
        self.assertIn("default", self.kubectl("get", "runs", "-A").stdout)

    def test_nodes_workspaces_and_api_resources(self):
        self.assertIn("NAME", self.kubectl("get", "nodes.paddock.dev").stdout)
        self.assertIn("NAME", self.kubectl("get", "workspaces").stdout)
        self.assertIn("runs", self.kubectl("api-resources").stdout)

    def test_a_missing_run_is_not_found(self):
        self.assertIn("NotFound", self.kubectl("get", "run", "nope", check=False).stderr)

    def test_a_wrong_token_is_unauthorized(self):
        done = self.kubectl("--token", "wrong", "get", "runs", check=False)
        self.assertNotEqual(done.returncode, 0)

    def test_describe(self):
        self.assertIn("Succeeded", self.kubectl("describe", "run", "seen").stdout)


if __name__ == "__main__":
    main()
