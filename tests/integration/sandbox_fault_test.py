"""A host on which no sandbox can be set up any more gives its runs back, says why and comes back by itself; what a run
alone asks for in vain is that run's end. No agent waits for a proof of its sandbox when it is told to stop."""
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from harness import BIN, PATIENCE_S, Instance, command_of, ended, main, make_project, parent_of, send, wait_until
from joined_hosts import Host, make_token

QUICK = "print('done')\n"
# The real launcher; while `broken` is there, in a place where the kernel makes no namespace for it. While `runs-broken` is
# there, runs alone are there: they stand for requests that no host could do. While `runs-die` is there, launchers of runs are
# killed at once. While `slow` is there, a proof takes as long as nobody ends it.
LAUNCHER = """#!/bin/sh
if [ -e {folder}/slow ] && [ "$1" = probe ]; then
  echo $$ > {folder}/pid && mv {folder}/pid {folder}/begun
  exec sleep 600
fi
[ -e {folder}/runs-die ] && [ "$1" != probe ] && kill -9 $$
[ -e {folder}/broken ] || {{ [ -e {folder}/runs-broken ] && [ "$1" != probe ]; }} || exec {real} "$@"
exec unshare --user --map-root-user sh -c 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$0" "$@"' {real} "$@"
"""


def why_not():
    tried = subprocess.run(["unshare", "--user", "--map-root-user", "sh", "-c", "echo 0 > /proc/sys/user/max_user_namespaces"],
                           check=False, capture_output=True)
    return None if tried.returncode == 0 else f"no user namespace of one's own: {tried.stderr.decode().strip()}"


class OneSickHost(unittest.TestCase):
    def setUp(self):
        self.project = make_project(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")), quick__py=QUICK)
        self.instance = self.enterContext(Instance())
        self.own = self.instance.get("nodes")["items"][0]["metadata"]["name"]
        self.host = Host(self.instance, "sick")
        self.host.join(make_token(self.instance, "sick")[1])
        launcher = self.host.folder / "launcher"
        launcher.write_text(LAUNCHER.format(folder=self.host.folder, real=BIN / "paddock-sandbox"))
        launcher.chmod(0o755)
        with open(self.host.config, "a") as config:
            config.write(f"sandboxProgram: {launcher}\n")
        self.addCleanup(self.host.end)

    def start(self):
        self.host.start()
        wait_until("the node", lambda: self.node().get("ready"))

    def node(self):
        return next((each["status"] for each in self.instance.get("nodes")["items"] if each["metadata"]["name"] == "sick"), {})

    def faults(self):
        return [(each["status"], each["reason"]) for each in self.node().get("conditions", []) if each["type"] == "HostFault"]

    def told_of_nodes(self):
        """The file where each change of a node is told from now on."""
        told = self.host.folder / "nodes"
        with open(told, "w") as out:
            watch = self.instance.start("get", "nodes", "-w", stdout=out, stderr=out)
        self.addCleanup(watch.wait, PATIENCE_S)
        self.addCleanup(watch.terminate)
        wait_until("the nodes to be told", lambda: "sick" in told.read_text())
        return told

    def end_serving_launchers(self):
        """They were set up while the host was well."""
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            pid = int(entry.name)
            if parent_of(pid) == self.host.agent.pid and b"serve" in command_of(pid):
                send(signal.SIGKILL, pid)

    def submit(self, name, *options):
        self.instance.run("compute", self.project, "python3 quick.py", "--detach", "--name", name, *options)

    def assert_ran_on(self, name, node):
        status = self.instance.wait_phase(name, "Succeeded", "Failed")["status"]
        self.assertEqual((status["phase"], status["nodeName"]), ("Succeeded", node), status)
        return status

    @unittest.skipIf(why_not(), why_not())
    def test_a_host_that_can_set_up_no_sandbox_gives_its_runs_back_and_comes_back_by_itself(self):
        self.start()
        self.instance.run("cordon", self.own)
        self.submit("well")
        self.assert_ran_on("well", "sick")
        (self.host.folder / "broken").touch()
        self.end_serving_launchers()
        self.submit("given-back")
        self.assertEqual(wait_until("the condition", self.faults), [("True", "SANDBOX_SETUP_FAILED")])
        self.instance.run("uncordon", self.own)
        status = self.assert_ran_on("given-back", self.own)
        self.assertEqual(status["refusals"], 1, "spec.retry was not used up")
        for number in range(4):
            self.submit(f"later-{number}")
        for number in range(4):
            self.assertEqual(self.assert_ran_on(f"later-{number}", self.own).get("refusals", 0), 0)
        self.assertIn("Faulty", self.instance.run("get", "nodes").stdout)
        self.assertIn("making the namespaces", self.instance.run("describe", "node", "sick").stdout)
        (self.host.folder / "broken").unlink()
        wait_until("the condition to go", lambda: not self.faults())
        self.instance.run("cordon", self.own)
        self.submit("again")
        self.assert_ran_on("again", "sick")

    @unittest.skipIf(why_not(), why_not())
    def test_what_a_run_asks_for_in_vain_on_a_host_that_is_well_is_that_runs_end(self):
        self.start()
        self.instance.run("cordon", self.own)
        (self.host.folder / "runs-broken").touch()
        self.end_serving_launchers()
        self.submit("asks-much")
        status = self.instance.wait_phase("asks-much", "Succeeded", "Failed")["status"]
        self.assertEqual((status["phase"], status["reason"], status["refusals"]), ("Failed", "SandboxError", 0), status)
        self.assertIn("making the namespaces", status["message"])
        cool_down = self.node()["coolDown"]
        self.assertEqual((self.faults(), cool_down["failures"], cool_down.get("until")), ([], 1, None), "it does not rest")

    def test_a_host_whose_launchers_die_rests_from_the_second_one_on(self):
        self.start()
        self.instance.run("cordon", self.own)
        (self.host.folder / "runs-die").touch()
        self.end_serving_launchers()
        told = self.told_of_nodes()
        for number in range(2):
            self.assertNotIn("Resting", told.read_text())
            self.submit(f"dies-{number}")
            status = self.instance.wait_phase(f"dies-{number}", "Succeeded", "Failed")["status"]
            self.assertEqual((status["phase"], status["reason"]), ("Failed", "LAUNCHER_LOST"), status)
            cool_down = self.node()["coolDown"]
            self.assertEqual((cool_down["failures"], cool_down["reason"]), (number + 1, "LAUNCHER_LOST"))
        wait_until("its rest, which may be over by now, to be told", lambda: "Resting" in told.read_text())
        (self.host.folder / "runs-die").unlink()
        self.submit("well")
        self.assert_ran_on("well", "sick")
        self.assertNotIn("coolDown", self.node())

    def test_an_agent_that_is_told_to_stop_waits_for_no_proof(self):
        begun = self.host.folder / "begun"
        for when in ("at its first start", "beside its work"):
            if when == "beside its work":
                self.start()  # and keeps what it has proven
                self.host.end()
            (self.host.folder / "slow").touch()
            self.host.start()
            wait_until(f"the proof {when}", begun.exists)
            start = time.monotonic()
            self.host.end()
            self.assertEqual(self.host.agent.returncode, 0, when)
            self.assertLess(time.monotonic() - start, PATIENCE_S, when)  # the proof would take ten minutes
            self.assertTrue(ended(int(begun.read_text())), when)
            begun.unlink()
            (self.host.folder / "slow").unlink()

    def test_a_probe_that_nobody_waits_for_ends_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory(prefix="paddock-probe-") as place:
            os.chmod(place, 0o755)
            probe = subprocess.Popen([BIN / "paddock-sandbox", "probe"], env={"TMPDIR": place}, stdout=subprocess.PIPE)
            wait_until("its first attempt", lambda: os.listdir(place))
            probe.stdout.close()
            probe.send_signal(signal.SIGTERM)
            probe.wait(PATIENCE_S)
            self.assertEqual(os.listdir(place), [])


if __name__ == "__main__":
    main()
