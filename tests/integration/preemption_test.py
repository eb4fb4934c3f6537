"""Runs that give way to one of higher priority, where the operator allows it, and those that do not."""
import tempfile
import unittest

from harness import Instance, main, make_project, wait_until

JOB = "import sys, time\nprint('ran', flush=True)\ntime.sleep(float(sys.argv[1]))\n"
AGAIN = {"maxAttempts": 2, "backoff": "1s", "on": ["Evicted"]}


class Preemption(unittest.TestCase):
    def instance(self, **settings):
        """An instance of one node with room for one run, and a workspace in it."""
        instance = Instance()
        instance.env.update(PADDOCK_NODE_AGENT_MAX_RUNS="1", **settings)
        self.enterContext(instance)
        project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), job__py=JOB)
        instance.run("compute", project, "python3 job.py 0", "--name", "seed")
        self.workspace = instance.run_object("seed")["spec"]["workspace"]
        return instance

    def submit(self, instance, name, seconds, **more):
        spec = {"type": "compute", "command": f"python3 job.py {seconds}", "workspace": self.workspace}
        status, answer = instance.post_run(name, spec | more)
        self.assertEqual(status, 201, answer)

    # proves: ORB-10
    def test_who_may_be_repeated_gives_way_and_takes_its_turn_again(self):
        instance = self.instance(PADDOCK_CONTROLLER_SCHEDULING_PREEMPTION="true")
        self.submit(instance, "patient", 600, retry=AGAIN)
        instance.wait_phase("patient", "Running")
        self.submit(instance, "urgent", 600, priority=10)
        instance.wait_phase("urgent", "Running")
        waiting = instance.run_object("patient")["status"]
        self.assertEqual(waiting["phase"], "Pending")
        instance.run("cancel", "urgent")
        instance.wait_phase("urgent", "Canceled")
        again = wait_until("the run to be tried again", lambda: (lambda status: status if status["phase"] == "Running" else None)(
            instance.run_object("patient")["status"]))
        self.assertEqual(again["attempt"], 2)
        # Its last attempt: nobody takes that from it.
        self.submit(instance, "later", 0, priority=10)
        self.wait_message(instance, "later")
        instance.run("cancel", "patient")
        instance.wait_phase("later", "Succeeded")
        told = instance.run("events", "patient").stdout
        self.assertRegex(told, r"Pending \(RETRY\): attempt 1 of 2 .*default/urgent")
        self.assertNotIn("default/later", told)

    # proves: ORB-10
    def test_who_may_not_be_repeated_stays_and_so_does_everyone_unless_allowed(self):
        for settings, retry in (({"PADDOCK_CONTROLLER_SCHEDULING_PREEMPTION": "true"}, {}), ({}, {"retry": AGAIN})):
            with self.subTest(settings=settings):
                instance = self.instance(**settings)
                self.submit(instance, "first", 600, **retry)
                instance.wait_phase("first", "Running")
                self.submit(instance, "urgent", 0, priority=10)
                self.wait_message(instance, "urgent")
                self.assertEqual(instance.run_object("first")["status"]["phase"], "Running")
                instance.run("cancel", "first")
                instance.wait_phase("urgent", "Succeeded")

    def wait_message(self, instance, name):
        wait_until(f"{name} to say why it waits",
                   lambda: "1 is full" in instance.run_object(name)["status"].get("message", ""))


if __name__ == "__main__":
    main()
