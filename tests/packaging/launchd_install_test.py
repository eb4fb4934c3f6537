#!/usr/bin/env python3
"""install and uninstall of the daemon of macOS, in an empty folder, with stand-ins for the commands of macOS."""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

from launchd_files import CONFIG, DATA, HERE, LABEL, PLIST, STAND_IN, text

PROGRAMS = ("paddock", "paddock-node-agent", "paddock-sandbox", "paddock-confine")
COMMANDS = ("chown", "dscl", "id", "launchctl", "pgrep", "pkill", "sleep", "sysadminctl", "uname")


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-launchd-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.root, self.host, self.commands, self.built = (folder / name for name in ("root", "host", "commands", "built"))
        for each in (self.root, self.host, self.commands, self.built):
            each.mkdir()
        for name in COMMANDS:
            (self.commands / name).symlink_to(STAND_IN)
        for name in PROGRAMS:
            (self.built / name).write_text(f"{name}, the first build\n")
            (self.built / name).chmod(0o755)
        # macOS has these.
        for each in ("usr/local", "Library/LaunchDaemons", "private/etc", "private/var/log", "private/tmp"):
            (self.root / each).mkdir(parents=True)
        for each in ("etc", "var", "tmp"):
            (self.root / each).symlink_to(f"private/{each}")
        self.fresh = self.files()

    def files(self):
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*")}

    def script(self, name, *options, folder=HERE, **environment):
        environment |= {"PATH": f"{self.commands}:{os.environ['PATH']}", "HOST": str(self.host)}
        return subprocess.run([folder / name, "--root", self.root, *options], text=True, capture_output=True, check=False,
                              timeout=300, env=environment)

    def done(self, name, *options, **more):
        done = self.script(name, *options, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def refused(self, name, *options, **more):
        done = self.script(name, *options, **more)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.stderr

    def install(self, **more):
        return self.done("install", "--from", self.built, **more)

    def join(self):
        (self.root / DATA / "credential").write_text("pdn_x\n")

    def calls(self, command=""):
        path = self.host / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [line for line in lines if line.startswith(command)]

    def remove(self, path):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def record(self, kind="Users"):
        folder = self.host / kind / "_paddock"
        return {path.name: path.read_text() for path in folder.iterdir()} if folder.is_dir() else None

    def mode(self, path):
        return stat.S_IMODE((self.root / path).stat().st_mode)


class Install(Scripts):
    def test_everything_is_in_place_with_its_owner_and_mode(self):
        said = self.install()
        for program in PROGRAMS:
            self.assertEqual((self.root / "usr/local/bin" / program).read_text(), f"{program}, the first build\n")
            self.assertEqual(self.mode(f"usr/local/bin/{program}"), 0o755)
        self.assertEqual((self.root / CONFIG).read_text(), text("packaging/node-agent.example.yaml"))
        self.assertEqual((self.mode(DATA), self.mode(CONFIG), self.mode("var/log/paddock/node-agent.log")), (0o700, 0o644, 0o640))
        owners = {line.split()[3].replace(str(self.root), ""): line.split()[2] for line in self.calls("chown")}
        self.assertEqual({path: owners[path] for path in ("/var/lib/paddock", "/usr/local/libexec/paddock", "/var/log/paddock")},
                         dict.fromkeys(("/var/lib/paddock", "/usr/local/libexec/paddock", "/var/log/paddock"), "0:0"))
        self.assertEqual((owners[f"/{DATA}"], owners["/etc/paddock"]), ("398:398", "398:398"))
        self.assertEqual(owners["/var/log/paddock/node-agent.log"], "398:80")
        self.assertIn("paddock node join --server URL", said)

    def test_the_user_may_not_log_in_and_has_a_number_that_is_free(self):
        self.install()  # the stand-in's host has a user 399 and a group 397
        self.assertEqual(self.record(), {
            "UserShell": "/usr/bin/false", "RealName": "Paddock node agent", "Password": "*", "IsHidden": "1",
            "NFSHomeDirectory": "/var/empty", "PrimaryGroupID": "398", "UniqueID": "398"})
        self.assertEqual(self.record("Groups")["PrimaryGroupID"], "398")

    def test_nothing_starts_before_the_host_has_joined(self):
        self.install()
        self.assertFalse((self.root / PLIST).exists())
        self.assertEqual(self.calls("launchctl bootstrap"), [])
        self.join()
        self.install()
        self.assertEqual(self.calls("launchctl bootstrap"), [f"launchctl bootstrap system {self.root}/{PLIST}"])
        self.assertEqual((self.root / PLIST).read_bytes(), (HERE / f"{LABEL}.plist").read_bytes())
        self.assertEqual(self.mode(PLIST), 0o644)

    def test_a_second_time_changes_nothing(self):
        self.install()
        before, user = self.files(), self.record()
        self.calls()
        self.install()
        self.assertEqual((self.files(), self.record()), (before, user))
        self.assertEqual([line for line in self.calls("dscl") if "-create" in line], [])

    def test_a_new_build_replaces_programs_that_run_and_restarts_the_agent_once_it_has_ended(self):
        self.install()
        self.join()
        self.install()
        program = self.root / "usr/local/bin/paddock-node-agent"
        with open(program, encoding="utf-8") as running:
            (self.built / "paddock-node-agent").write_text("the second build\n")
            self.calls()
            self.install(BOOTOUT_TAKES="3")
            self.assertEqual(running.read(), "paddock-node-agent, the first build\n")
        self.assertEqual(program.read_text(), "the second build\n")
        verbs = [line.split()[1] for line in self.calls("launchctl")]
        self.assertEqual(verbs[-7:], ["print", "bootout", "print", "print", "print", "print", "bootstrap"])
        self.assertTrue((self.host / "loaded").exists())
        self.assertEqual([name for name in os.listdir(program.parent) if "." in name], [], "a temporary file is left")

    def test_launchd_that_refuses_for_a_moment_after_a_stop_is_asked_again(self):
        self.install()
        self.join()
        self.script("install", "--from", self.built, BOOTSTRAP_FAILS="2")
        self.assertTrue((self.host / "loaded").exists())

    def test_launchd_that_refuses_for_good_is_an_error_that_says_what_may_help(self):
        self.install()
        self.join()
        done = self.script("install", "--from", self.built, BOOTSTRAP_FAILS="1000")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"launchctl enable system/{LABEL}", done.stdout)

    def test_an_agent_that_was_stopped_stays_stopped(self):
        self.install()
        self.join()
        self.install()
        (self.host / "loaded").unlink()
        self.calls()
        self.assertIn("stays so until: sudo launchctl bootstrap", self.install())
        self.assertEqual(self.calls("launchctl bootstrap"), [])

    def test_an_agent_that_does_not_end_is_an_error(self):
        self.install()
        self.join()
        self.install()
        self.assertIn("did not end", self.refused("install", "--from", self.built, BOOTOUT_TAKES="1000"))

    def test_a_configuration_that_is_there_is_not_touched(self):
        (self.root / "etc/paddock").mkdir()
        (self.root / CONFIG).write_text("server: https://elsewhere:8443\n")
        self.assertIn("keeps /etc/paddock/node-agent.yaml", self.install())
        self.assertEqual((self.root / CONFIG).read_text(), "server: https://elsewhere:8443\n")

    def test_a_configuration_that_is_a_link_leads_nobody_astray(self):
        secret = self.root / "secret"
        (self.root / "etc/paddock").mkdir()
        (self.root / CONFIG).symlink_to(secret)
        self.install()
        self.assertFalse(secret.exists())
        self.assertTrue((self.root / CONFIG).is_symlink())

    def test_a_folder_or_a_file_of_ours_that_is_a_link_is_refused(self):
        elsewhere = self.root / "elsewhere"
        elsewhere.mkdir()
        for path in ("usr/local/bin", "usr/local/libexec/paddock", "etc/paddock", "var/lib/paddock", DATA, "var/log/paddock",
                     "usr/local/bin/paddock", "var/log/paddock/node-agent.log"):
            link = self.root / path
            with self.subTest(path):
                self.remove(link)
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(elsewhere)
                said = self.refused("install", "--from", self.built)
                self.assertIn(f"{link} ", said)
                self.assertEqual(os.listdir(elsewhere), [])
                link.unlink()
                self.install()  # and without it all is well

    def test_an_account_that_was_begun_is_finished(self):
        self.assertIn("dscl . -create /Users/_paddock PrimaryGroupID",
                      self.refused("install", "--from", self.built, DSCL_FAILS="/Users/_paddock PrimaryGroupID"))
        self.assertNotIn("UniqueID", self.record())
        self.install()
        self.assertEqual((self.record()["UniqueID"], self.record()["PrimaryGroupID"]), ("398", "398"))

    def test_somebody_who_has_that_name_already_is_refused(self):
        for key, other in (("UserShell", "/bin/zsh"), ("UniqueID", "501"), ("UniqueID", "0")):
            shutil.rmtree(self.host / "Users" / "_paddock", ignore_errors=True)
            self.install()
            (self.host / "Users" / "_paddock" / key).write_text(other)
            with self.subTest(other):
                self.assertIn("_paddock", self.refused("install", "--from", self.built))

    def test_it_says_what_is_missing_before_it_changes_anything(self):
        (self.built / "paddock-confine").unlink()
        self.assertIn("paddock-confine", self.refused("install", "--from", self.built))
        self.assertIn("sudo", self.refused("install", "--from", self.built, EUID_HERE="501"))
        self.assertIn("macOS", self.refused("install", "--from", self.built, SYSTEM="Linux"))
        self.assertIn("Usage:", self.refused("install", "--force"))
        self.assertIn("--from", self.refused("install", "--from"))
        self.assertEqual((self.files(), self.record()), (self.fresh, None))

    def test_a_dry_run_says_each_step_and_does_none_without_root(self):
        said = self.done("install", "--from", self.built, "--dry-run", EUID_HERE="501")
        self.assertEqual((self.files(), self.record()), (self.fresh, None))
        for step in ("makes the user and the group _paddock", "would run: dscl . -create /Users/_paddock UniqueID 398",
                     "puts /usr/local/bin/paddock-node-agent in place", "puts /etc/paddock/node-agent.yaml in place"):
            self.assertIn(step, said)


class Uninstall(Scripts):
    def setUp(self):
        super().setUp()
        self.install()
        self.join()
        self.install()
        (self.root / DATA / "cas").mkdir()
        (self.root / DATA / "cas/blob").write_text("x")
        (self.root / "etc/paddock/.node-agent.yaml.17.0.tmp").write_text("half")
        self.calls()

    def gone(self):
        # The system's own folders, which may have been made for us, are no trace of us.
        return self.files() - self.fresh - {"usr/local/bin", "private/var/lib", "usr/local/libexec"}

    def test_it_leaves_nothing(self):
        said = self.done("uninstall")
        self.assertEqual(self.gone(), set())
        self.assertEqual((self.record(), self.record("Groups")), (None, None))
        self.assertFalse((self.host / "loaded").exists())
        self.assertIn("paddock delete node NAME", said)

    def test_what_a_run_has_locked_is_unlocked_and_removed(self):
        locked = self.root / DATA / "locked"
        locked.write_text("")
        # Not even root removes such a file; these behave so of it.
        (self.commands / "rm").write_text(f'#!/bin/sh\n[ ! -e {locked} ] || case "$2" in *{DATA}) exit 1 ;; esac\n'
                                          'exec /bin/rm "$@"\n')
        (self.commands / "chflags").write_text(f'#!/bin/sh\n[ "$*" = "-R nouchg,nouappnd {self.root}/{DATA}" ] && /bin/rm {locked}\n')
        for name in ("rm", "chflags"):
            (self.commands / name).chmod(0o755)
        self.done("uninstall")
        self.assertEqual(self.gone(), set())

    def test_a_second_time_finds_nothing_to_do(self):
        self.done("uninstall")
        self.calls()
        self.done("uninstall")
        self.assertEqual([line for line in self.calls() if re.search(r"-delete|bootout|pkill", line)], [])

    def test_it_works_from_where_install_put_it(self):
        self.done("uninstall", folder=self.root / "usr/local/libexec/paddock")
        self.assertEqual(self.gone(), set())

    def test_data_are_kept_when_asked_and_so_is_their_owner(self):
        self.assertIn("keeps /etc/paddock, /var/lib/paddock", self.done("uninstall", "--keep-data"))
        left = self.gone()
        self.assertTrue({CONFIG.replace("etc", "private/etc", 1), f"private/{DATA}/credential"} <= left)
        self.assertEqual([path for path in left if path.startswith(("usr", "Library"))], [])
        self.assertEqual(self.record()["UniqueID"], "398")
        self.install()
        self.assertTrue((self.host / "loaded").exists(), "it goes on as the same node")

    def test_the_agent_has_ended_before_its_runs_and_they_before_their_files(self):
        (self.host / "processes").write_text("3")
        self.done("uninstall", BOOTOUT_TAKES="2")
        calls = self.calls()
        order = [next(i for i, line in enumerate(calls) if line.startswith(start))
                 for start in ("launchctl bootout", "pkill -TERM -U 398", "dscl . -delete /Users/_paddock")]
        self.assertEqual(order, sorted(order))

    def test_processes_that_ignore_sigterm_are_killed_and_those_that_stay_are_an_error(self):
        (self.host / "processes").write_text("15")
        self.done("uninstall")
        self.assertIn("pkill -KILL -U 398", self.calls("pkill"))
        self.install()
        (self.host / "processes").write_text("1000")
        self.assertIn("did not work: end_processes", self.refused("uninstall"))
        self.assertIsNotNone(self.record())

    def test_processes_and_files_of_an_account_of_another_kind_are_left_alone(self):
        (self.host / "Users/_paddock/UniqueID").write_text("0")
        (self.host / "processes").write_text("5")
        self.script("uninstall")
        self.assertEqual(self.calls("pkill"), [])

    def test_a_user_that_cannot_be_deleted_is_an_error_that_says_how(self):
        said = self.refused("uninstall", DELETE_FAILS="yes")
        self.assertIn("sysadminctl -deleteUser _paddock interactive", said)
        self.assertEqual(self.gone(), set(), "all else is removed")
        self.done("uninstall")
        self.assertEqual((self.record(), self.record("Groups")), (None, None))

    def test_files_of_others_stay(self):
        (self.root / "etc/paddock/controller.yaml").write_text("x")
        (self.root / "usr/local/libexec/other").write_text("x")
        self.assertIn("/etc/paddock", self.done("uninstall"))
        self.assertEqual(self.gone(), {"private/etc/paddock", "private/etc/paddock/controller.yaml", "usr/local/libexec/other"})

    def test_what_is_behind_a_link_is_not_removed(self):
        elsewhere = self.root / "elsewhere"
        for path in ("var/lib/paddock", "etc/paddock"):
            shutil.move(self.root / path, elsewhere)
            (self.root / path).symlink_to(elsewhere)
            before = self.files()
            self.assertIn(path, self.refused("uninstall"))
            self.assertEqual(self.files(), before)
            (self.root / path).unlink()
            shutil.move(elsewhere, self.root / path)

    @unittest.skipUnless(os.geteuid() == 0, "only root can make files of another user")
    def test_scratch_folders_of_runs_that_were_killed_go_and_nobody_elses(self):
        for name, owner in (("paddock-run-a1b2c3", 398), ("paddock-run-others", 501)):
            (self.root / "private/tmp" / name / "tmp").mkdir(parents=True)
            os.chown(self.root / "private/tmp" / name, owner, -1)
        self.done("uninstall")
        self.assertEqual(os.listdir(self.root / "private/tmp"), ["paddock-run-others"])

    def test_a_dry_run_changes_nothing(self):
        before = self.files()
        said = self.done("uninstall", "--dry-run", EUID_HERE="501")
        self.assertEqual((self.files(), (self.host / "loaded").exists()), (before, True))
        self.assertIn("would run: launchctl bootout", said)
        self.assertIsNotNone(self.record())


if __name__ == "__main__":
    unittest.main()
