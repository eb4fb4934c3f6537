"""A quota that an administrator sets, changes and takes away again while runs of its namespace wait and run."""
import tempfile
import unittest

from agent_run_test import Api
from harness import Instance, main, make_project, wait_until
from session_client import SessionApi

GRANTS = "/apis/paddock.dev/v1alpha1/namespaces/default/grants"
JOB = "import sys, time\nprint('ran', flush=True)\ntime.sleep(float(sys.argv[1]))\n"
BUSY = "import os\nfor _ in range(3): os.fork()\nwhile True: pass\n"


class Quota(unittest.TestCase):
    def setUp(self):
        self.instance = self.enterContext(Instance())
        self.project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), job__py=JOB,
                                    busy__py=BUSY)

    def set_quota(self, **quota):
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Grant", "metadata": {"name": "bound"},
                "spec": {"compute": {"quota": quota}}}
        api = Api(self.instance)
        status, answer = api.call("PUT", f"{GRANTS}/bound", body)
        if status == 404:
            status, answer = api.call("POST", GRANTS, body)
        self.assertIn(status, (200, 201), answer)

    def submit(self, name, seconds):
        self.instance.run("compute", self.project, f"python3 job.py {seconds}", "--name", name, "--detach")

    def wait_message(self, name, words):
        return wait_until(f"{name} to say \"{words}\"",
                          lambda: words in self.instance.run_object(name)["status"].get("message", ""))

    def phases(self, *names):
        return [self.instance.run_object(name)["status"]["phase"] for name in names]

    # proves: ORB-10
    def test_a_run_beyond_it_waits_until_there_is_room(self):
        self.set_quota(runs=1, memory="64Gi", disk="100Gi")
        self.submit("first", 600)
        self.instance.wait_phase("first", "Running")
        self.submit("second", 600)
        why = "the quota of namespace default (grant bound) is used up: 1 of 1 runs are in use and 1 more would be needed"
        self.wait_message("second", why)
        self.assertIn(why, self.instance.run("describe", "run", "second").stdout)
        self.assertIn("runs 1/1, memory 8Gi/64Gi, disk 4Gi/100Gi", self.instance.run("get", "grants").stdout)
        self.assertIn("grant bound", self.instance.run("plan", self.project, "python3 job.py 0", check=False).stdout)

        self.set_quota(runs=0)  # ends nothing
        self.wait_message("second", "has 0 runs in all")
        self.assertEqual(self.phases("first", "second"), ["Running", "Pending"])

        self.set_quota(runs=2)  # and makes room at once
        self.instance.wait_phase("second", "Running")
        self.assertEqual(self.phases("first"), ["Running"])

        self.submit("third", 0)
        self.wait_message("third", "2 of 2 runs are in use")
        self.instance.kill("paddock-controller")
        self.instance.up()
        self.assertEqual(self.phases("first", "second", "third"), ["Running", "Running", "Pending"])
        self.instance.run("delete", "grant", "bound")
        self.instance.wait_phase("third", "Succeeded")

    def test_what_could_never_be_placed_is_refused(self):
        self.set_quota(cpu=2, memory="16Gi", disk="4Gi", accelerators=[{"kind": "nvidia", "count": 0}])
        self.submit("fits", 0)
        workspace = self.instance.run_object("fits")["spec"]["workspace"]
        spec = {"type": "compute", "command": "python3 job.py 0", "workspace": workspace}
        for more, field in (({"resources": {"cpu": 3}}, "spec.resources.cpu"),
                            ({"sandbox": {"limits": {"memory": "17Gi"}}}, "spec.sandbox.limits.memory"),
                            ({"sandbox": {"limits": {"fsBytes": "5Gi"}}}, "spec.sandbox.limits.fsBytes"),
                            ({"resources": {"accelerators": {"kind": "any", "count": 1}}}, "spec.resources.accelerators")):
            status, answer = self.instance.post_run("never", spec | more)
            self.assertEqual((status, answer["error"]["code"]), (403, "QUOTA_TOO_SMALL"), answer)
            self.assertIn("grant bound", answer["message"])
            self.assertEqual(answer["details"]["causes"][0]["field"], field)
        self.instance.wait_phase("fits", "Succeeded")

    # proves: ORB-10
    def test_a_session_counts_from_its_creation_to_its_end(self):
        api = SessionApi(self.instance)
        self.addCleanup(api.close)
        self.set_quota(runs=1, memory="16Gi", disk="16Gi")
        status, answer = api.create(name="first")
        self.assertEqual(status, 201, answer)
        wait_until("the account", lambda: "runs 1/1, memory 256Mi/16Gi, disk 256Mi/16Gi" in self.instance.run("get", "grants").stdout)
        for restart in (False, True):
            if restart:
                self.instance.kill("paddock-controller")
                self.instance.up()
                api.close()
                api = SessionApi(self.instance)
                self.addCleanup(api.close)
            status, answer = api.create(name="second")
            self.assertEqual((status, answer["error"]["code"]), (429, "QUOTA_USED_UP"), answer)
            self.assertIn("(grant bound) ", answer["message"])
        self.submit("run", 0)
        self.wait_message("run", "1 of 1 runs are in use")
        self.assertEqual(api.destroy("first")[0], 200)
        self.instance.wait_phase("run", "Succeeded")
        status, answer = api.create({"limits": {"timeoutMs": 600_000}}, name="second")
        self.assertEqual(status, 201, answer)
        self.assertEqual(api.run("second", "echo well")[1]["stdout"], "well\n")
        status, answer = api.create({"limits": {"memoryBytes": 17 << 30}}, name="never")
        self.assertEqual((status, answer["error"]["code"]), (403, "QUOTA_TOO_SMALL"), answer)
        self.assertEqual(answer["details"]["causes"][0]["field"], "spec.security.limits.memoryBytes")

    # proves partly: ORB-10
    def test_a_run_has_no_more_processors_than_it_asked_for(self):
        self.submit("first", 0)  # brings the workspace
        workspace = self.instance.run_object("first")["spec"]["workspace"]
        spec = {"type": "compute", "command": "python3 busy.py", "workspace": workspace, "resources": {"cpu": 1},
                "sandbox": {"limits": {"cpuTime": "2s"}}}
        status, answer = self.instance.post_run("held", spec)
        self.assertEqual(status, 201, answer)
        result = self.instance.wait_phase("held", "Failed")["status"]["result"]
        self.assertEqual(result["status"], "CPU_LIMIT", result)
        held = result["enforced"]["cpus"]
        self.assertEqual(held["requested"], 1)
        if held["level"] == "none":
            self.skipTest(held["details"])
        self.assertTrue(held["applied"])
        # Two processors would give it twice its time; what was spent before it started counts too.
        self.assertLessEqual(result["usage"]["cpu_ms"], result["duration_ms"] * 1.5)


if __name__ == "__main__":
    main()
