"""Instances are isolated by name; processes are known by identity, never by how they look."""
import fcntl
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import unittest

from harness import BIN, Instance, find_file, main, make_project, wait_until


class Instances(unittest.TestCase):
    def start_sleeper(self, instance):
        """A run, `long`, that does not end by itself."""
        project = make_project(instance.home / "project", job__py="import time\nprint('on', flush=True)\ntime.sleep(600)\n")
        instance.run("compute", project, "python3 job.py", "--detach", "--name", "long")
        instance.wait_phase("long", "Running")

    # proves: OD-35, OD-36, OD-37, OD-38
    def test_two_instances_share_nothing(self):
        with tempfile.TemporaryDirectory(prefix="paddock-it-") as home:
            with Instance("a", home) as a, Instance("b", home) as b:
                project = make_project(pathlib.Path(home) / "project", job__py="print('hi')\n")
                a.run("compute", project, "python3 job.py", "--name", "only-in-a")
                self.assertEqual(len(a.get("runs")["items"]), 1)
                self.assertEqual(len(b.get("runs")["items"]), 0)
                a.run("down")
                self.assertEqual(b.run("ready").returncode, 0)
                self.assertNotEqual(a.run("ready", check=False).returncode, 0)

    def test_a_token_for_kubectl_is_written_for_its_owner_alone(self):
        with Instance("secretive") as instance:
            printed = instance.run("kubeconfig").stdout
            self.assertIn("token: ", printed)
            file = instance.home / "config"
            file.write_text("of before")
            file.chmod(0o644)
            done = instance.run("kubeconfig", "--output-file", "config", cwd=instance.home)
            self.assertEqual((done.stdout, done.stderr), ("", "wrote config\n"))
            self.assertEqual((file.read_text(), file.stat().st_mode & 0o777), (printed, 0o600))
            for mode, warned in ((0o644, True), (0o640, True), (0o600, False)):
                file.chmod(mode)
                with file.open("w") as opened:
                    said = subprocess.run([BIN / "paddock", "kubeconfig"], env=instance.env, stdout=opened, stderr=subprocess.PIPE,
                                          text=True, check=True).stderr
                self.assertEqual("others on this host may read" in said, warned, said)
                self.assertEqual(file.read_text(), printed)
            refused = instance.run("kubeconfig", "--output-file", "none/config", cwd=instance.home, check=False)
            self.assertIn("config", refused.stderr)
            self.assertNotEqual(refused.returncode, 0)

    # proves: OD-14
    def test_storage_is_kept_apart_by_folders_and_not_by_names(self):
        with tempfile.TemporaryDirectory(prefix="paddock-it-") as home:
            shared = pathlib.Path(home) / "data"
            first, second = Instance("a", pathlib.Path(home) / "x"), Instance("b", pathlib.Path(home) / "x")
            project = make_project(pathlib.Path(home) / "project", job__py="print('hi')\n")
            with Instance("a", pathlib.Path(home) / "y") as same_name:
                first.up("--data-dir", shared)
                self.addCleanup(first.run, "down", check=False)
                first.run("compute", project, "python3 job.py", "--name", "mine")
                self.assertEqual(same_name.get("runs")["items"], [])
                first.run("down")
                second.up("--data-dir", shared)
                self.addCleanup(second.run, "down", check=False)
                self.assertEqual([run["metadata"]["name"] for run in second.get("runs")["items"]], ["mine"])
                second.run("down")

    def test_a_controller_that_stands_still_is_not_waited_for(self):
        with Instance("still") as instance:
            self.start_sleeper(instance)
            os.kill(instance.pid_of("paddock-controller"), signal.SIGSTOP)
            said = instance.run("down", "--timeout", "2s").stderr
            self.assertIn("the controller does not answer", said)
            self.assertNotIn("trying again", said)
            self.assertEqual(instance.processes(), [])
            instance.up()
            instance.wait_phase("long", "Canceled", "Failed")

    # proves: OD-41
    def test_a_foreign_process_that_looks_alike_survives_down(self):
        with Instance("look") as instance:
            lookalike = subprocess.Popen(["/bin/sh", "-c", "sleep 600; : " + str(BIN / "paddock-controller"),
                                          "--data-dir", str(instance.home)], env=instance.env, start_new_session=True)
            self.addCleanup(lookalike.wait)
            self.addCleanup(os.killpg, lookalike.pid, signal.SIGKILL)
            instance.run("down")
            self.assertIsNone(lookalike.poll())

    # proves: OD-41
    def test_down_ends_what_an_agent_that_was_killed_has_left(self):
        with Instance("orphans") as instance:
            self.start_sleeper(instance)
            instance.kill("paddock-node-agent")
            self.assertTrue(instance.processes())
            said = instance.run("down", "--timeout", "5s").stderr
            self.assertIn("stopped a sandbox that was left over", said)
            wait_until("nothing to be left", lambda: not instance.processes())

    def test_what_an_earlier_version_has_started_is_ended_and_not_started_again(self):
        with Instance("earlier") as instance:
            self.start_sleeper(instance)
            folder = find_file(instance.home, "journal").parent
            instance.kill("paddock-node-agent")
            old = folder.parent.parent / folder.name  # as that version had it
            (folder / "events").rename(folder / "lock")
            folder.rename(old)
            instance.run("up")
            instance.wait_phase("long", "Failed")
            self.assertEqual(instance.run_object("long")["status"]["reason"], "LAUNCHER_LOST")
            self.assertFalse(old.exists())
            self.assertEqual(list(folder.parent.iterdir()), [])

    def test_down_leaves_no_process_and_up_starts_again(self):
        with Instance("again") as instance:
            self.start_sleeper(instance)
            instance.run("down")
            wait_until("nothing to be left", lambda: not instance.processes())
            instance.up()
            # A node that ended it late, on a busy machine, says so now.
            self.assertEqual(instance.wait_phase("long", "Canceled", "Failed", "Succeeded")["status"]["phase"], "Canceled")

    def test_up_twice_is_fine_and_a_taken_port_is_said(self):
        with Instance("twice") as instance:
            self.assertEqual(instance.run("up").returncode, 0)
            with socket.socket() as taken, tempfile.TemporaryDirectory(prefix="paddock-it-") as home:
                taken.bind(("127.0.0.1", 0))
                taken.listen()
                other = Instance("other", home)
                failed = other.run("up", "--port", taken.getsockname()[1], check=False)
                self.assertNotEqual(failed.returncode, 0)
                self.assertIn(f"port {taken.getsockname()[1]} is in use", failed.stderr)
                self.assertIn("PORT_IN_USE", failed.stderr)
                wait_until("nothing to be left of it", lambda: not other.processes())

    def test_what_an_earlier_start_said_is_not_said_of_this_one(self):
        with Instance("again") as instance:
            instance.kill("paddock-node-agent")
            log = find_file(instance.home, "paddock-node-agent/latest.log")
            (log.parent / "previous.log").unlink(missing_ok=True)
            (log.parent / "previous.log" / "kept").mkdir(parents=True)  # so the log goes on in its file
            log.write_text('{"reason":"PORT_IN_USE"}\npaddock-node-agent: SYSTEM_ERROR: writing: No space left on device\n')
            with open(find_file(instance.home, "agent.lock"), "r+b") as lock:
                fcntl.lockf(lock, fcntl.LOCK_EX)
                refused = instance.run("up", check=False)
            self.assertIn("[START_FAILED]", refused.stderr)
            self.assertIn("DATA_DIR_IN_USE", refused.stderr)

    # proves: OD-40
    def test_a_stale_pointer_after_a_crash_is_replaced(self):
        with Instance("stale") as instance:
            instance.kill("paddock-controller")
            instance.kill("paddock-node-agent")
            self.assertNotEqual(instance.run("ready", check=False).returncode, 0)
            instance.run("up")
            self.assertEqual(instance.run("ready").returncode, 0)

    def test_an_agent_that_cannot_start_is_said_though_its_node_is_still_ready(self):
        with Instance("again") as instance:
            instance.kill("paddock-node-agent")
            with open(find_file(instance.home, "agent.lock"), "r+b") as lock:
                fcntl.lockf(lock, fcntl.LOCK_EX)
                refused = instance.run("up", check=False)
            self.assertEqual(refused.returncode, 125, refused.stderr)
            self.assertIn("START_FAILED", refused.stderr)
            self.assertIn("DATA_DIR_IN_USE", refused.stderr)
            instance.run("up")
            self.assertEqual(instance.run("ready").returncode, 0)

    # proves: OD-41
    def test_with_a_damaged_pointer_its_programs_are_found_again(self):
        with Instance("damaged") as instance:
            daemons = lambda: [instance.pid_of(name) for name in ("paddock-controller", "paddock-node-agent")]  # noqa: E731
            before = daemons()
            find_file(instance.home, "instance.json").write_text('{"id": "half')
            self.assertEqual(instance.run("ready").returncode, 0)
            self.assertIn("was up already", instance.run("up").stderr)
            self.assertEqual(daemons(), before)
            find_file(instance.home, "instance.json").write_text("")
            instance.run("down")
            wait_until("nothing to be left", lambda: not instance.processes())

    def test_an_instance_that_is_up_does_not_move(self):
        with Instance("still") as instance:
            elsewhere = instance.home / "elsewhere"
            done = instance.run("up", "--data-dir", elsewhere, check=False)
            self.assertIn("INSTANCE_ELSEWHERE", done.stderr)
            self.assertFalse(elsewhere.exists())
            self.assertEqual(instance.run("ready").returncode, 0)

    def test_a_damaged_ca_is_never_replaced_by_another_one(self):
        with Instance("ca") as instance:
            instance.run("down")
            ca = find_file(instance.home, "tls/ca.pem")
            whole = ca.read_text()
            ca.write_text(whole[:200])
            self.assertIn("CA_DAMAGED", instance.run("up", check=False).stderr)
            self.assertEqual(ca.read_text(), whole[:200])
            ca.write_text(whole)
            instance.run("up")
            self.assertEqual(ca.read_text(), whole)

    def test_damaged_settings_are_named(self):
        with Instance("settings") as instance:
            instance.run("down")
            settings = find_file(instance.home, "settings.json")
            settings.write_text("{")
            refused = instance.run("up", check=False)
            self.assertEqual(refused.returncode, 125)
            self.assertIn("settings.json", refused.stderr)
            self.assertIn("SETTINGS_DAMAGED", refused.stderr)
            self.assertNotIn(str(instance.home), refused.stderr)
            settings.unlink()
            instance.run("up")

    def test_a_data_folder_where_there_can_be_none_is_refused(self):
        with tempfile.TemporaryDirectory(prefix="paddock-it-") as home:
            refused = Instance("nowhere", home).run("up", "--data-dir", "/proc/paddock", check=False)
            self.assertEqual(refused.returncode, 125, refused.stderr)
            self.assertIn("FOLDER_IMPOSSIBLE", refused.stderr)
        daemon = subprocess.run([BIN / "paddock-controller", "--data-dir", "/proc/paddock"], stderr=subprocess.PIPE,
                                text=True, timeout=60)
        self.assertEqual(daemon.returncode, 1, daemon.stderr)
        self.assertIn("FOLDER_IMPOSSIBLE", daemon.stderr)

    # proves: OD-14
    def test_a_second_daemon_on_one_data_folder_names_the_first(self):
        with Instance("held") as instance:
            data = find_file(instance.home, "controller.json").parent
            second = subprocess.run([BIN / "paddock-controller", "--data-dir", data], stderr=subprocess.PIPE, text=True,
                                    timeout=60)
            self.assertEqual(second.returncode, 1)
            self.assertIn("LOCK_HELD", second.stderr)
            self.assertIn(f"(process {instance.pid_of('paddock-controller')})", second.stderr)
            self.assertNotIn(str(instance.home), second.stderr)


if __name__ == "__main__":
    main()
