#!/usr/bin/env python3
"""The daemon of macOS, as far as another system can tell: its property list beside the systemd unit, and the program that
launchd starts. launchd_install_test.py has install and uninstall."""
import os
import pathlib
import plistlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from launchd_files import HERE, LABEL, SOURCE, STAND_IN, text

UNIT = "packaging/systemd/paddock-node-agent.service.in"


def daemon():
    with open(HERE / f"{LABEL}.plist", "rb") as file:
        return plistlib.load(file)


def found(pattern, path):
    match = re.search(pattern, text(path))
    assert match, f"{path} has no {pattern}"
    return match.group(1)


class PropertyList(unittest.TestCase):
    def test_it_is_one_of_a_daemon_with_keys_that_launchd_knows(self):
        self.assertEqual(daemon()["Label"], LABEL)
        self.assertEqual(LABEL, ".".join(reversed(found(r'kGroup = "(.+)"', "common/contracts/meta.h").split("."))) + ".node-agent")
        self.assertEqual(set(daemon()), {
            "Label", "UserName", "GroupName", "ProgramArguments", "WorkingDirectory", "StandardErrorPath", "Umask", "RunAtLoad",
            "KeepAlive", "ThrottleInterval", "ExitTimeOut", "ProcessType", "SoftResourceLimits", "HardResourceLimits"})

    def test_its_user_is_not_root(self):
        self.assertEqual((daemon()["UserName"], daemon()["GroupName"]), ("_paddock", "_paddock"))

    def test_it_starts_what_the_unit_starts(self):
        first, program, *arguments = daemon()["ProgramArguments"]
        self.assertEqual(first, "/usr/local/libexec/paddock/run-node-agent")
        unit = found(r"(?m)^ExecStart=(.+)$", UNIT).replace("@PREFIX@", "/usr/local").replace("@SYSCONFDIR@", "/etc")
        self.assertEqual([program, *arguments], unit.split())

    def test_its_files_are_where_programs_look_without_being_told(self):
        self.assertEqual(daemon()["ProgramArguments"][-1], found(r'kAgentConfigFile = "(.+)"', "cli/instance/agent_settings.h"))
        self.assertEqual(daemon()["WorkingDirectory"], found(r'data_dir = "(.+)"', "node-agent/app/config.h"))
        self.assertEqual(daemon()["WorkingDirectory"], found(r"(?m)^dataDir: (.+)$", "packaging/node-agent.example.yaml"))
        self.assertEqual(daemon()["WorkingDirectory"], "/var/lib/" + found(r"(?m)^StateDirectory=(.+)$", UNIT))

    def test_it_has_the_times_and_the_mask_of_the_unit(self):
        self.assertEqual(daemon()["ExitTimeOut"], int(found(r"(?m)^TimeoutStopSec=(\d+)$", UNIT)))
        self.assertEqual(daemon()["Umask"], int(found(r"(?m)^UMask=(\d+)$", UNIT), 8))
        self.assertGreaterEqual(daemon()["ThrottleInterval"], int(found(r"(?m)^RestartSec=(\d+)$", UNIT)))

    def test_a_run_may_be_given_the_files_that_the_controller_allows_by_default(self):
        most = int(found(r"(?m)^    openFiles: (\d+)$", "packaging/controller.example.yaml"))
        self.assertEqual(daemon()["HardResourceLimits"], {"NumberOfFiles": most})
        self.assertLessEqual(daemon()["SoftResourceLimits"]["NumberOfFiles"], most)

    def test_install_and_uninstall_mean_the_same_paths(self):
        said = dict(re.findall(r"(?m)^(\w+)=(\S+)$", (HERE / "common.sh").read_text()))
        state = said["state"]
        self.assertEqual((said["label"], said["user"]), (daemon()["Label"], daemon()["UserName"]))
        self.assertEqual(said["data"].replace("$state", state), daemon()["WorkingDirectory"])
        self.assertEqual(said["libexec"] + "/run-node-agent", daemon()["ProgramArguments"][0])
        self.assertEqual(said["bin"] + "/paddock-node-agent", daemon()["ProgramArguments"][1])
        self.assertEqual(said["config"] + "/node-agent.yaml", daemon()["ProgramArguments"][-1])
        self.assertEqual(said["logs"] + "/node-agent.log", daemon()["StandardErrorPath"])


class WhatLaunchdStarts(unittest.TestCase):
    def start(self, script, **options):
        return subprocess.Popen([HERE / "run-node-agent", "/bin/sh", "-c", script], text=True, stderr=subprocess.PIPE, **options)

    def ends(self, script):
        process = self.start(script)
        said = process.communicate(timeout=60)[1]
        return process.returncode, said

    def test_launchd_starts_again_what_the_unit_restarts_and_nothing_else(self):
        self.assertEqual(daemon()["KeepAlive"], {"SuccessfulExit": False})
        self.assertEqual(found(r"(?m)^Restart=(.+)$", UNIT), "on-failure")
        final = {int(code) for code in found(r"(?m)^RestartPreventExitStatus=(.+)$", UNIT).split()}
        for code in range(6):
            status, said = self.ends(f"exit {code}")
            self.assertEqual(status == 0, code == 0 or code in final, code)
            self.assertEqual("launchctl kickstart" in said, code in final, code)

    def test_an_agent_that_is_killed_is_a_failure(self):
        self.assertEqual(self.ends("kill -KILL $$")[0], 128 + signal.SIGKILL)

    def test_an_agent_that_is_not_there_is_a_failure(self):
        done = subprocess.run([HERE / "run-node-agent", "/nowhere/paddock-node-agent"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 127)

    def test_sigterm_reaches_the_agent_and_its_end_is_waited_for(self):
        for code in (0, 1):
            process = self.start(f"trap 'echo drained; exit {code}' TERM; echo ready; while :; do sleep 0.05; done",
                                 stdout=subprocess.PIPE)
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.communicate(timeout=60)[0], "drained\n")
            self.assertEqual(process.returncode, code)

    def test_a_second_sigterm_changes_nothing(self):
        process = self.start("trap 'echo told' TERM; echo ready; read -r line <&3; exit 0", stdout=subprocess.PIPE,
                             **self.descriptor_three())
        self.assertEqual(process.stdout.readline(), "ready\n")
        for _ in range(2):
            process.send_signal(signal.SIGTERM)
        os.write(self.writer, b"end\n")
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)

    def test_the_mac_is_kept_awake_for_as_long_as_the_agent_lives(self):
        folder = tempfile.mkdtemp(prefix="paddock-launchd-")
        self.addCleanup(shutil.rmtree, folder)
        stand_in = pathlib.Path(folder, "caffeinate")
        stand_in.write_text('#!/bin/sh\necho "$@" >"${0%/*}/called"\n')
        stand_in.chmod(0o755)
        agent = f"echo $$; until [ -s {folder}/called ]; do sleep 0.05; done"
        process = self.start(agent, stdout=subprocess.PIPE, env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"})
        pid = process.communicate(timeout=60)[0].strip()
        self.assertEqual(process.returncode, 0)
        self.assertEqual(pathlib.Path(folder, "called").read_text(), f"-i -w {pid}\n")

    def descriptor_three(self):
        reader, self.writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, self.writer)
        return {"preexec_fn": lambda: os.dup2(reader, 3), "pass_fds": (3,)}


class Shell(unittest.TestCase):
    def test_the_scripts_are_plain_posix_shell(self):
        if not shutil.which("shellcheck"):
            self.skipTest("shellcheck is missing: apt install shellcheck")
        scripts = [STAND_IN, *(HERE / name for name in ("install", "uninstall", "run-node-agent", "common.sh"))]
        done = subprocess.run(["shellcheck", "-x", "-P", SOURCE, *scripts], text=True, capture_output=True, check=False)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
