"""Cordon, drain, taints, deadlines, plan and backup, with real processes; a lost node's run is tried again."""
import concurrent.futures
import hashlib
import os
import signal
import tempfile
import unittest

from harness import BIN, PATIENCE_S, Instance, ended, find_file, main, make_project, pids_running, wait_until
from session_client import SessionApi

SLEEPER = "import time\nprint('started', flush=True)\ntime.sleep(600)\n"
QUICK = "print('done')\n"


class NodeLife(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="paddock-project-")
        self.addCleanup(folder.cleanup)
        self.project = make_project(folder.name, sleep__py=SLEEPER, quick__py=QUICK)

    def submit(self, instance, name, script="sleep.py"):
        instance.run("compute", self.project, f"python3 {script}", "--detach", "--name", name)

    def node(self, instance):
        return instance.get("nodes")["items"][0]["metadata"]["name"]

    def started(self, instance, name):
        wait_until("the command to start", lambda: "started" in instance.run("logs", name).stdout)

    def test_a_drain_says_what_it_waits_for_and_ends_what_is_left(self):
        with Instance() as instance:
            node = self.node(instance)
            self.submit(instance, "long")
            self.started(instance, "long")
            done = instance.run("drain", node, "--grace", "1s")
            self.assertIn("waiting for 1 run: default/long (Running, then ended)", done.stderr)
            self.assertIn("is empty", done.stderr)
            run = instance.run_object("long")
            self.assertEqual((run["status"]["phase"], run["status"]["reason"]), ("Failed", "NODE_DRAINED"))
            self.assertIn("SchedulingDisabled,Draining", instance.run("get", "nodes").stdout)
            self.submit(instance, "late", "quick.py")
            wait_until("a reason", lambda: "is cordoned" in instance.run_object("late")["status"].get("message", ""))
            instance.run("uncordon", node)
            instance.wait_phase("late", "Succeeded")

    def test_a_drain_waits_for_sandbox_sessions_and_ends_them_with_its_grace(self):
        with Instance() as instance:
            node = self.node(instance)
            api = SessionApi(instance)
            self.addCleanup(api.close)
            status, made = wait_until("a node to take sessions", lambda: (lambda got: got if got[0] == 201 else None)(
                api.create({"limits": {"timeoutMs": 600_000}}, name="s")))
            uid = made["metadata"]["uid"]
            mark = f"drained-{uid}"
            with concurrent.futures.ThreadPoolExecutor() as pool:
                running = pool.submit(api.run, "s", f"python3 -c 'import time; time.sleep(500)' {mark}")
                wait_until("the command to run", lambda: pids_running(mark))
                self.assertEqual(instance.run("drain", node, "--grace", "1h", "--detach").stderr.strip(),
                                 "waiting for 1 sandbox session: default/s")
                self.assertEqual(api.run("s", "echo on")[1]["stdout"], "on\n")  # the grace is its own
                status, refused = api.create()
                self.assertEqual((status, refused["error"]["code"]), (503, "NO_NODE"))
                self.assertIn("1 cordoned", refused["message"])
                done = instance.run("drain", node, "--grace", "1s")
                self.assertIn("is empty", done.stderr)
                self.assertIn(running.result(timeout=PATIENCE_S)[0], (200, 410))
            wait_until("its command to be gone", lambda: not [pid for pid in pids_running(mark) if not ended(pid)])
            status, gone = api.run("s", "true")
            self.assertEqual((status, gone["error"]["code"]), (410, "SESSION_ENDED"))
            self.assertIn("NODE_DRAINED", gone["message"])
            self.assertEqual([each["reason"] for each in api.audit(uid) if each["type"] == "sandbox.destroy"],
                             ["NODE_DRAINED"])
            folder = find_file(instance.home, "sandbox-sessions/lock").parent.parent / "sessions"
            wait_until("its files to be gone", lambda: not list(folder.iterdir()))
            instance.run("uncordon", node)
            self.assertEqual(wait_until("a node to take sessions", lambda: (
                lambda got: got if got[0] == 201 else None)(api.create()))[0], 201)

    def test_plan_and_taints(self):
        with Instance() as instance:
            node = self.node(instance)
            plan = instance.run("plan", self.project, "python3 quick.py")
            self.assertIn(f" on node {node}", plan.stdout)
            self.assertIn("2 files, at most", plan.stdout)
            nowhere = instance.run("plan", self.project, "python3 quick.py", "--accelerator", "apple=64", check=False)
            self.assertEqual(nowhere.returncode, 1)
            self.assertIn("64 apple devices", nowhere.stdout)
            instance.run("taint", node, "team=other:NoSchedule")
            tainted = instance.run("plan", self.project, "python3 quick.py", check=False)
            self.assertIn("taint", tainted.stdout)
            self.assertIn("team=other:NoSchedule", instance.run("describe", "node", node).stdout)
            printed = instance.run("get", "nodes", "-o", "name").stdout.strip()
            self.assertNotEqual(printed, node)
            instance.run("taint", printed, "team-")
            for verb in "cordon", "uncordon", "drain", "uncordon":
                self.assertIn(f"node {node} is ", instance.run(verb, printed).stderr)
            wrong = instance.run("cordon", f"run/{node}", check=False)
            self.assertIn("this command is for nodes", wrong.stderr)
            self.assertEqual(instance.run("plan", self.project, "python3 quick.py").returncode, 0)
            self.assertEqual(instance.get("runs")["items"], [])
            for command in (["python3 missing.py"], ["curl quick.py"], ["python3 quick.py", "--timeout", "9000h"]):
                planned = instance.run("plan", self.project, *command, check=False)
                submitted = instance.run("compute", self.project, *command, check=False)
                self.assertNotEqual(planned.returncode, 0, command)
                refusal = submitted.stderr[submitted.stderr.index("error: "):]  # behind what was uploaded
                self.assertEqual(planned.stderr, refusal, command)

    def test_a_backup_made_while_in_use_comes_back(self):
        with Instance() as instance:
            self.submit(instance, "before", "quick.py")
            instance.wait_phase("before", "Succeeded")
            self.assertEqual(instance.run("admin", "backup", "first").stdout, "first\n")
            again = instance.run("admin", "backup", "first", check=False)
            self.assertIn("BACKUP_EXISTS", again.stderr)
            self.submit(instance, "after", "quick.py")
            instance.wait_phase("after", "Succeeded")
            backup = find_file(instance.home, "backups/first.db")
            self.assertEqual(backup.stat().st_mode & 0o777, 0o600)
            data = backup.parent.parent
            kept = {path.name: path for path in backup.with_suffix(".blobs").glob("*/*")}
            script = hashlib.sha256((self.project / "quick.py").read_bytes()).hexdigest()
            self.assertIn(script, kept)
            refused = self.restore(instance, data, backup)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("STORE_LOCKED", refused.stderr)
            self.assertIn(f"(process {instance.pid_of('paddock-controller')})", refused.stderr)
            instance.run("down")
            for name in kept:  # as after the loss of the disk; and one that the backup lost too
                (data / "blobs" / name[:2] / name).unlink()
            kept[script].unlink()
            restored = self.restore(instance, data, backup)
            self.assertEqual(restored.returncode, 0, restored.stderr)
            self.assertIn(f'"digest":"{script}"', restored.stderr)
            self.assertIn('"files_lost":"1"', restored.stderr)
            instance.up()
            names = [r["metadata"]["name"] for r in instance.get("runs")["items"]]
            self.assertEqual(names, ["before"])
            self.submit(instance, "again", "quick.py")
            instance.wait_phase("again", "Succeeded")

    def restore(self, instance, data, backup):
        import subprocess
        return subprocess.run([str(BIN / "paddock-controller"), "--data-dir", str(data), "--restore", str(backup)],
                              env=instance.env, text=True, capture_output=True, timeout=60)

    def test_the_run_of_a_lost_node_is_tried_again_and_its_first_attempt_fenced(self):
        """Silence is short only while the agent stands still: what a busy machine does to it loses no node."""
        def silence(lease, lost_after):
            return {"PADDOCK_CONTROLLER_NODES_LEASE": lease, "PADDOCK_CONTROLLER_NODES_LOST_AFTER": lost_after}

        instance = Instance()
        instance.env.update(silence("10m", "11m"))
        with instance:
            node = self.node(instance)
            instance.run("compute", self.project, "python3 quick.py", "--name", "warm")  # uploads the project
            status, made = instance.post_run("again", {
                "type": "compute", "command": "python3 sleep.py", "workspace": instance.run_object("warm")["spec"]["workspace"],
                "retry": {"maxAttempts": 2, "backoff": "1s"}})
            self.assertEqual(status, 201, made)
            self.started(instance, "again")
            agent = instance.pid_of("paddock-node-agent")
            os.kill(agent, signal.SIGSTOP)
            self.addCleanup(self.resume, agent)
            instance.kill("paddock-controller")
            instance.env.update(silence("8s", "10s"))
            instance.run("up", check=False)  # it may wait for a node in vain
            lost = wait_until("the node to be lost",
                              lambda: (lambda r: r if r["status"]["phase"] == "Pending" else None)(instance.run_object("again")))
            self.assertIn("attempt 1 of 2 is over", lost["status"]["message"])
            self.assertIn("Lost", instance.run("get", "nodes").stdout)
            instance.kill("paddock-controller")
            os.kill(agent, signal.SIGCONT)
            instance.env.update(silence("10m", "11m"))
            instance.run("up")
            second = wait_until("the second attempt to run",
                                lambda: (lambda r: r if r["status"]["attempt"] == 2 and r["status"]["phase"] == "Running" else None)(instance.run_object("again")))
            self.assertEqual(second["status"]["nodeName"], node)
            wait_until("the output of both attempts",
                       lambda: instance.run("logs", "again").stdout.count("started") == 2)
            instance.run("cancel", "again")
            instance.wait_phase("again", "Canceled")

    @staticmethod
    def resume(pid):
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass


if __name__ == "__main__":
    main()
