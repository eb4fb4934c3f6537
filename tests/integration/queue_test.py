"""More runs than may run at once: they wait, say why and where they stand, and take their turn."""
import re
import tempfile
import unittest

from harness import Instance, main, make_project, wait_until


class Queue(unittest.TestCase):
    def queue_of_three(self, limit, **settings):
        """A run that waits for its file, and two behind it; returns how the two explain themselves."""
        instance = Instance()
        instance.env.update(settings)
        self.enterContext(instance)
        project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")),
                               job__py="import sys, time\nprint('ran', flush=True)\ntime.sleep(float(sys.argv[1]))\n")
        instance.run("compute", project, "python3 job.py 600", "--name", "first", "--detach")
        instance.wait_phase("first", "Running")
        for name in ("second", "third"):
            instance.run("compute", project, "python3 job.py 0", "--name", name, "--detach")
        said = [wait_until(f"{name} to know its place", lambda name=name: self.explanation(instance, name))
                for name in ("second", "third")]
        for place, message in enumerate(said, 1):
            self.assertIn(limit, message)
            self.assertTrue(message.endswith(f"position {place} in the queue"), message)
        self.assertEqual([instance.run_object(name)["status"]["phase"] for name in ("second", "third")], ["Pending"] * 2)
        self.assertRegex(instance.run("top").stdout, r"(?m)^default +1 +2 ")
        self.look_at_use(instance)
        instance.run("cancel", "first")
        for name in ("second", "third"):
            instance.wait_phase(name, "Succeeded")

    def look_at_use(self, instance):
        """What the node has measured of the one that runs, and of itself."""
        def shown(pattern, *words):
            return wait_until("the use to be measured", lambda: re.search(pattern, instance.run("top", *words).stdout))
        # Less than one processor: it sleeps, once it has started.
        run = shown(r"(?m)^default +first +\S+ +(0\.\d\d) +- +(\S+ [KM]iB) +- +(\d+) +- +-$", "runs")
        self.assertGreaterEqual(int(run[3]), 1)
        shown(r"(?m)^\S+ +Ready +1/\d+ +\d+\.\d\d +\d+/\d+ +\S+ [MG]iB ")
        self.assertIn("no run is running", instance.run("top", "runs", "-n", "other").stderr)

    @staticmethod
    def explanation(instance, name):
        message = instance.run_object(name)["status"].get("message", "")
        return message if "position" in message else None

    # proves: ORB-10
    def test_a_node_takes_its_number_and_the_next_know_their_place(self):
        self.queue_of_three("1 is full", PADDOCK_NODE_AGENT_MAX_RUNS="1")

    # proves: ORB-10
    def test_a_namespace_has_its_number_and_the_next_know_their_place(self):
        self.queue_of_three("namespace default has its 1 run at once", PADDOCK_CONTROLLER_MAX_RUNS_PER_NAMESPACE="1")


if __name__ == "__main__":
    main()
