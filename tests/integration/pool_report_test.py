"""What a pool says of a run that waits is why the run is pending, until it is placed; words of others are bounded and plain."""
import json
import unittest

from harness import Instance, main, make_project, wait_until


class PoolReports(unittest.TestCase):
    def setUp(self):
        self.instance = self.enterContext(Instance())
        project = make_project(self.instance.home / "project", quick__py="print('done')\n")
        self.own = self.instance.get("nodes")["items"][0]["metadata"]["name"]
        self.instance.run("cordon", self.own)
        self.instance.run("compute", project, "python3 quick.py", "--detach", "--name", "run")
        wait_until("a reason", lambda: "nodes fit" in self.message())

    def message(self):
        return self.instance.run_object("run")["status"].get("message", "")

    def token(self, scope):
        return self.instance.run("admin", "token", "create", "pool", "--scope", scope).stdout.strip()

    def put(self, body, pool="hpc", run="run", token=None):
        """(status, reason)"""
        return self.instance.ask("PUT", f"/apis/paddock.dev/v1alpha1/namespaces/default/runs/{run}/pools/{pool}", body,
                                 token or self.token("nodes:write"))

    def assert_refused(self, reason, *args, **options):
        status, answer = self.put(*args, **options)
        self.assertGreaterEqual(status, 400, answer)
        self.assertIn(reason, json.dumps(answer))

    def test_it_is_why_the_run_waits_until_it_is_placed(self):
        self.assertEqual(self.put({"message": "no such partition"})[0], 200)
        self.assertIn("; pool hpc: no such partition", self.message())
        self.assertEqual(self.put({"coming": True, "message": "job 7 waits in Slurm's queue"})[0], 200)
        self.assertIn("; pool hpc: job 7 waits in Slurm's queue", self.message())
        self.assertNotIn("no such partition", self.message())
        self.assertIn("pool.paddock.dev/hpc", self.instance.run("describe", "run", "run").stdout)
        self.instance.run("uncordon", self.own)
        self.instance.wait_phase("run", "Succeeded")
        self.assertNotIn("pool.paddock.dev", json.dumps(self.instance.run_object("run")["status"]["conditions"]))
        self.assert_refused("RUN_NOT_PENDING", {"message": "late"})

    def test_what_is_no_report_is_refused(self):
        self.assert_refused("message", {})
        self.assert_refused("message", {"message": ""})
        self.assert_refused("message", {"message": "x" * 513})
        self.assert_refused("message", {"message": "two\nlines"})
        self.assert_refused("message", {"message": "\x1b[2J"})
        self.assert_refused("coming", {"message": "x", "coming": "yes"})
        self.assert_refused("odd", {"message": "x", "odd": 1})
        self.assert_refused("INVALID_FIELD", {"message": "x"}, pool="Not_A_Label")
        self.assert_refused("INVALID_FIELD", {"message": "x"}, pool="a" * 33)
        self.assert_refused("RUN_NOT_FOUND", {"message": "x"}, run="other")
        self.assert_refused("SCOPE_MISSING", {"message": "x"}, token=self.token("runs:write"))
        for number in range(8):
            self.assertEqual(self.put({"message": "x"}, pool=f"p{number}")[0], 200)
        self.assert_refused("INVALID_FIELD", {"message": "x"})
        self.assertEqual(self.put({"message": "x" * 512}, pool="p0")[0], 200)


if __name__ == "__main__":
    main()
