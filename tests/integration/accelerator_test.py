"""Runs that are granted accelerators, on a host that was told to have some: device nodes made for this test."""
import json
import os
import stat
import tempfile
import unittest

from harness import Instance, main, make_project, wait_until

NODES = [f"/dev/paddock-accelerator-{os.getpid()}-{i}" for i in range(2)]
ZERO = os.makedev(1, 5)
LOOK = f"""
import json, os, sys
print(json.dumps({{"nodes": [n for n in {NODES} if os.path.exists(n)],
                  "opened": [n for n in {NODES} if os.path.exists(n) and open(n, "rb").read(2) == bytes(2)],
                  "visible": os.environ.get("CARDS_VISIBLE"), "libraries": os.environ.get("LD_LIBRARY_PATH"),
                  "driver": os.listdir("/driver/0") if os.path.exists("/driver/0") else None}}), flush=True)
if len(sys.argv) > 1:
    import time
    time.sleep(600)
"""


def make_nodes():
    try:
        for node in (n for n in NODES if not os.path.exists(n)):
            os.mknod(node, 0o666 | stat.S_IFCHR, ZERO)
            os.chmod(node, 0o666)
            open(node, "rb").close()
    except OSError as error:
        return f"device nodes cannot be made here: {error.strerror}"
    return None


class Accelerators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(lambda: [os.unlink(n) for n in NODES if os.path.exists(n)])
        if why := make_nodes():
            raise unittest.SkipTest(why)
        driver = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-driver-"))
        os.chmod(driver, 0o755)
        open(os.path.join(driver, "libdriver.so.1"), "w").close()
        cls.instance = Instance()
        cls.instance.env["PADDOCK_NODE_AGENT_VISIBLE_GPUS"] = "none"  # those of this host, if it has some
        cls.instance.env["PADDOCK_NODE_AGENT_ACCELERATORS"] = json.dumps(
            [{"kind": "nvidia", "id": f"card-{i}", "model": "a card", "nodes": [node], "libraries": [driver],
              "env": {"CARDS_VISIBLE": str(i)}} for i, node in enumerate(NODES)])
        cls.enterClassContext(cls.instance)
        cls.project = make_project(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), look__py=LOOK)

    def look(self, *options):
        return json.loads(self.instance.run("compute", self.project, "python3 look.py", *options).stdout)

    def hold(self, name):
        """A run that has one of them until it is canceled, and what it saw."""
        self.instance.run("compute", self.project, "python3 look.py stay", "--detach", "--name", name, "--accelerator", "nvidia=1")
        said = wait_until(f"{name} to look", lambda: next(
            (l for l in self.instance.run("logs", name).stdout.splitlines() if l.startswith("{")), None))
        return json.loads(said)

    def end(self, name):
        self.instance.run("cancel", name)
        self.instance.wait_phase(name, "Canceled")

    # proves: ORB-02, ORB-44
    def test_a_run_has_what_it_was_granted_and_nothing_else(self):
        self.assertEqual(self.look(), {"nodes": [], "opened": [], "visible": None, "libraries": None, "driver": None})
        one = self.look("--accelerator", "nvidia", "--name", "one")
        self.assertEqual(one, {"nodes": NODES[:1], "opened": NODES[:1], "visible": "0", "libraries": "/driver/0",
                               "driver": ["libdriver.so.1"]})
        both = self.look("--accelerator", "any=2")
        self.assertEqual((both["nodes"], both["visible"]), (NODES, "0,1"))
        result = self.instance.run_object("one")["status"]["result"]
        self.assertEqual(result["policy"]["devices"], NODES[:1])
        self.assertTrue(result["enforced"]["devices"]["applied"])
        self.assertGreaterEqual(result["usage"]["accelerator_ms"], result["duration_ms"])

    def test_two_runs_never_have_the_same_one_and_a_third_waits(self):
        first, second = self.hold("first"), self.hold("second")
        self.assertEqual(sorted(first["nodes"] + second["nodes"]), NODES)
        self.instance.run("compute", self.project, "python3 look.py", "--detach", "--name", "third", "--accelerator", "nvidia=1")
        wait_until("a reason", lambda: "nvidia" in self.instance.run_object("third")["status"].get("message", ""))
        self.end("second")
        self.instance.wait_phase("third", "Succeeded")
        self.end("first")

    def test_what_a_run_has_stays_its_own_when_the_agent_is_killed(self):
        held = self.hold("survivor")
        pid = self.instance.pid_of("paddock-node-agent")
        self.instance.kill("paddock-node-agent")
        self.instance.up()
        self.assertNotEqual(self.instance.pid_of("paddock-node-agent"), pid)
        self.assertEqual(self.look("--accelerator", "nvidia")["nodes"], [n for n in NODES if n not in held["nodes"]])
        self.end("survivor")

    def test_the_node_tells_what_it_has(self):
        devices = self.instance.get("nodes")["items"][0]["status"]["devices"]
        self.assertLessEqual({("nvidia", "card-0", "a card"), ("nvidia", "card-1", "a card")},
                             {(d["kind"], d["id"], d["model"]) for d in devices})

    # proves: ORB-44
    def test_a_device_that_fails_is_reported_and_gets_no_runs(self):
        def restart(faults):
            self.instance.kill("paddock-node-agent")
            self.instance.up()
            wait_until(f"faults {faults}", lambda: faults == {
                d["id"]: d.get("fault") for d in self.instance.get("nodes")["items"][0]["status"]["devices"]})

        os.unlink(NODES[0])
        try:
            restart({"card-0": f"{NODES[0]} does not exist", "card-1": None})
            self.assertEqual(self.look("--accelerator", "nvidia")["nodes"], NODES[1:])
            done = self.instance.run("plan", self.project, "python3 look.py", "--accelerator", "nvidia=2", check=False)
            self.assertNotEqual(done.returncode, 0)
            node = self.instance.get("nodes")["items"][0]["metadata"]["name"]
            self.assertIn(f"{NODES[0]} does not exist", self.instance.run("describe", "node", node).stdout)
        finally:
            make_nodes()
            restart({"card-0": None, "card-1": None})

    def test_a_declaration_that_makes_no_sense_is_refused_by_its_field(self):
        with tempfile.TemporaryDirectory(prefix="paddock-home-") as home:
            other = Instance("other", home)
            other.env["PADDOCK_NODE_AGENT_ACCELERATORS"] = json.dumps([{"kind": "tpu", "id": "x", "nodes": ["/etc/passwd"],
                                                                       "env": {"LD_PRELOAD": "x"}}])
            done = other.run("up", "--port", "0", check=False)
            self.assertNotEqual(done.returncode, 0)
            for field in ("accelerators[0].kind", "accelerators[0].nodes", "accelerators[0].env.LD_PRELOAD"):
                self.assertIn(field, done.stderr)
            other.run("down", check=False)


if __name__ == "__main__":
    main()
