"""Gangs: runs over several nodes, with an agent process for each node, all on this host."""
import json

from harness import main, wait_until
from joined_hosts import JoinedHosts, make_token

# Says who it is, and waits where it is told to.
JOB = """
import os, sys, time
rank = os.environ["PADDOCK_RANK"]
print("rank", rank, "of", os.environ["PADDOCK_SIZE"], flush=True)
if rank in sys.argv[2:]:
    sys.exit(3)
time.sleep(float(sys.argv[1]))
"""
ENDED = ("Succeeded", "Failed", "Canceled")


class Gang(JoinedHosts):
    def setUp(self):
        super().setUp()
        (self.project / "job.py").write_text(JOB)

    def add_node(self, name):
        """The instance's own node takes runs too: it is one of the nodes."""
        host = self.host(name)
        host.join(make_token(self.instance, name)[1])
        host.start()
        wait_until("the node to be ready", lambda: self.instance.get("node", name)["status"].get("ready"))
        return host

    def submit(self, name, nodes, *words, options=()):
        self.instance.run("compute", self.project, " ".join(["python3 job.py", *map(str, words)]), "--name", name,
                          "--nodes", nodes, "--detach", *options)

    def members(self, name):
        listed = json.loads(self.instance.run("get", "runs", "-l", f"paddock.dev/array={name}", "-o", "json").stdout)
        return sorted(listed["items"], key=lambda run: int(run["metadata"]["labels"]["paddock.dev/array-index"]))

    def phases(self, name):
        return [run["status"]["phase"] for run in self.members(name)]

    def wait_running(self, name, nodes):
        wait_until("all members to run", lambda: self.phases(name) == ["Running"] * nodes)

    def wait_ended(self, name):
        return wait_until("the gang to end", lambda: (lambda status: status if status["phase"] in ENDED else None)(
            self.instance.run_object(name)["status"]))

    def test_it_waits_with_all_its_members_until_the_last_node_has_joined(self):
        self.add_node("gpu-1")
        self.submit("g", 3, 0)
        told = wait_until("it to say why", lambda: (lambda text: text if "nodes fit" in text else None)(
            self.instance.run_object("g")["status"].get("message", "")))
        self.assertIn("2/2 nodes fit, and its 3 members need one each: 1 is missing", told)
        self.assertEqual(self.phases("g"), ["Pending"] * 3)
        self.assertEqual({run["status"]["attempt"] for run in self.members("g")}, {0})
        self.add_node("gpu-2")
        status = self.wait_ended("g")
        self.assertEqual((status["phase"], status["array"]["succeeded"]), ("Succeeded", 3))
        members = self.members("g")
        self.assertEqual({run["status"]["nodeName"] for run in members}, {self.own, "gpu-1", "gpu-2"})
        self.assertEqual([run["status"]["result"]["stdout"] for run in members], [f"rank {rank} of 3\n" for rank in range(3)])
        described = self.instance.run("describe", "run", "g-1").stdout
        self.assertIn("1 of 3 in gang g", described)
        self.assertIn("Succeeded 3/3", self.instance.run("get", "runs").stdout)

    def test_a_member_that_fails_ends_the_others_and_one_exit_code_is_that_of_the_gang(self):
        self.add_node("gpu-1")
        done = self.instance.run("compute", self.project, "python3 job.py 600 1", "--name", "g", "--nodes", 2, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        status = self.instance.run_object("g")["status"]
        self.assertEqual((status["phase"], status["reason"], status["array"]["firstFailure"]["run"]), ("Failed", "GANG_FAILED", "g-1"))
        other = self.members("g")[0]["status"]
        self.assertEqual((other["phase"], other["reason"]), ("Canceled", "GANG_ENDED"))

    def test_a_node_that_dies_has_all_of_it_tried_again_as_one(self):
        host = self.add_node("gpu-1")
        self.submit("g", 2, 600, options=("--retry", "1"))
        self.wait_running("g", 2)
        host.end(9)
        wait_until("all of them to wait", lambda: self.phases("g") == ["Pending"] * 2)
        self.assertEqual(self.instance.run_object("g")["status"]["phase"], "Pending")
        self.add_node("gpu-2")
        self.wait_running("g", 2)
        members = self.members("g")
        self.assertEqual([run["status"]["attempt"] for run in members], [2, 2])
        self.assertEqual({run["status"]["nodeName"] for run in members}, {self.own, "gpu-2"})
        self.instance.run("cancel", "g")
        self.assertEqual(self.wait_ended("g")["phase"], "Canceled")
        self.assertEqual(self.phases("g"), ["Canceled"] * 2)

    def test_a_controller_that_is_killed_ends_and_places_it_as_one_all_the_same(self):
        self.add_node("gpu-1")
        self.submit("late", 3, 600)
        self.submit("g", 2, 600)
        self.wait_running("g", 2)
        self.instance.kill("paddock-controller")
        self.instance.run("up")
        self.assertEqual(self.phases("late"), ["Pending"] * 3)
        self.instance.run("cancel", "g-1")
        self.instance.kill("paddock-controller")
        self.instance.run("up")
        self.assertEqual(self.wait_ended("g")["phase"], "Canceled")
        self.assertEqual(self.phases("g"), ["Canceled"] * 2)
        self.add_node("gpu-2")
        self.wait_running("late", 3)
        self.assertEqual({run["status"]["attempt"] for run in self.members("late")}, {1})

    def test_what_a_gang_cannot_have_is_refused_by_name(self):
        spec = {"type": "command", "command": ["true"], "nodes": 2}
        for more, reason, field in (({"memberPorts": [29500]}, "GANG_NETWORK_UNAVAILABLE", "spec.memberPorts"),
                                    ({"array": {"count": 2}}, "GANG_NOT_SUPPORTED", "spec.nodes"),
                                    ({"nodes": 10 ** 6}, "INVALID_FIELD", "spec.nodes")):
            with self.subTest(more=more):
                status, answer = self.instance.post_run("bad", spec | more)
                self.assertGreaterEqual(status, 400)
                self.assertEqual(answer["error"]["code"], reason)
                self.assertEqual(answer["error"]["details"]["causes"][0]["field"], field)
        hopeless = self.instance.run("compute", self.project, "python3 job.py 0", "--name", "g", "--nodes", 9, check=False)
        self.assertIn("NO_NODE_LARGE_ENOUGH", hopeless.stderr)


if __name__ == "__main__":
    main()
