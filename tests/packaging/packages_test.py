#!/usr/bin/env python3
"""The Debian packages: installed into an empty folder, used from there, removed and purged again."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", ".")).resolve()
PACKAGES = pathlib.Path(os.environ.get("PADDOCK_PACKAGES_DIR", SOURCE / "build/packages")).resolve()
NAMES = ("paddock", "paddock-controller", "paddock-node-agent")

# What `systemd-analyze security` says at most, in tenths. The agent is root and makes namespaces for others: its unit says
# which directives it cannot have.
EXPOSURE = {"paddock-controller": 12, "paddock-node-agent": 74}


def run(*command, check=True):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def package(name):
    found = sorted(PACKAGES.glob(f"{name}_*.deb"))
    assert found, f"there is no package {name} in {PACKAGES}: make packages"
    return found[-1]


@unittest.skipUnless(shutil.which("dpkg-deb") and os.geteuid() == 0, "needs dpkg, and root to install packages")
class Packages(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="paddock-root-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "etc"):
            (self.root / folder).mkdir(parents=True)
        for file in ("status", "available"):
            (self.root / "var/lib/dpkg" / file).touch()
        # The maintainer scripts run here, with $DPKG_ROOT set: the folder has no system of its own.
        self.dpkg = ("dpkg", f"--root={self.root}", "--force-script-chrootless", "--force-depends", "--log=/dev/null")

    def install(self):
        run(*self.dpkg, "--install", *(package(name) for name in NAMES))

    def ours(self):
        """Every file and folder that dpkg itself or a plain system has not made."""
        found = {str(path.relative_to(self.root)) for path in self.root.rglob("*")}
        return {path for path in found if not path.startswith(("var/lib/dpkg", "var/lib/systemd"))} - {
            "etc", "var", "var/lib", "usr"}

    def test_what_is_installed_works_from_where_it_is(self):
        self.install()
        for program in ("paddock", "paddock-sandbox", "paddock-controller", "paddock-node-agent"):
            path = self.root / "usr/bin" / program
            self.assertTrue(os.access(path, os.X_OK), program)
        self.assertIn("paddock ", run(self.root / "usr/bin/paddock", "version"))
        self.assertIn("forbidden things were stopped", run(self.root / "usr/bin/paddock", "doctor", check=False))
        example = (SOURCE / "packaging/controller.example.yaml").read_text()
        self.assertEqual((self.root / "etc/paddock/controller.yaml").read_text(),
                         example.replace("\nenrollToken: true\n", "\nenrollToken: false\n"), "and nothing else differs")
        self.assertNotIn("\nenrollToken: true\n", (self.root / "etc/paddock/controller.yaml").read_text())
        self.assertRegex((self.root / "etc/passwd").read_text(), r"(?m)^paddock:.*:/var/lib/paddock:")

    def test_no_program_can_be_told_to_die(self):
        self.install()
        for program in ("paddock", "paddock-sandbox", "paddock-controller", "paddock-node-agent"):
            self.assertNotIn(b"PADDOCK_CRASH_AT", (self.root / "usr/bin" / program).read_bytes(), program)

    def test_units_name_what_is_installed_and_make_sense_to_systemd(self):
        self.install()
        for name in ("paddock-controller", "paddock-node-agent"):
            unit = self.root / f"usr/lib/systemd/system/{name}.service"
            text = unit.read_text()
            self.assertNotRegex(text, r"@\w+@")
            program, config = re.search(r"(?m)^ExecStart=(\S+) --config (\S+)$", text).groups()
            self.assertTrue((self.root / program.lstrip("/")).exists(), program)
            self.assertTrue((self.root / config.lstrip("/")).exists(), config)
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd-analyze is missing: apt install systemd")
        said = run("systemd-analyze", f"--root={self.root}", "verify", "--man=no", "paddock-controller.service",
                   "paddock-node-agent.service", check=False)
        # Units that a whole system has and this folder has not are no fault of these.
        faults = [line for line in said.splitlines() if "paddock" in line and "not found" not in line.lower()]
        self.assertEqual([line for line in faults if "DelegateSubgroup" not in line], [])  # systemd 254 and later

    def test_the_units_are_as_closed_as_they_were(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd-analyze is missing: apt install systemd")
        self.install()
        for name, most in EXPOSURE.items():
            run("systemd-analyze", f"--root={self.root}", "security", "--offline=yes", f"--threshold={most}", "--no-pager",
                f"{name}.service")

    def test_the_controller_needs_no_capability_and_the_agent_has_only_the_documented_ones(self):
        self.install()
        folder = self.root / "usr/lib/systemd/system"
        self.assertRegex((folder / "paddock-controller.service").read_text(), r"(?m)^CapabilityBoundingSet=$")
        agent = re.search(r"(?m)^CapabilityBoundingSet=(.+)$", (folder / "paddock-node-agent.service").read_text())
        documented = re.findall(r"`(CAP_\w+)`", (SOURCE / "docs/install.md").read_text())
        self.assertEqual(set(agent.group(1).split()), set(documented))

    def test_configuration_that_was_changed_survives_an_upgrade(self):
        self.install()
        config = self.root / "etc/paddock/node-agent.yaml"
        config.write_text("server: https://elsewhere:8443\n")
        run(*self.dpkg, "--force-confdef", "--force-confold", "--install", package("paddock-node-agent"))
        self.assertEqual(config.read_text(), "server: https://elsewhere:8443\n")

    def test_a_purge_leaves_nothing(self):
        self.install()
        for data in ("controller/paddock.db", "node-agent/identity"):
            path = self.root / "var/lib/paddock" / data
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")
        run(*self.dpkg, "--remove", *reversed(NAMES))
        self.assertTrue((self.root / "var/lib/paddock/controller/paddock.db").exists(), "remove keeps data")
        run(*self.dpkg, "--purge", *reversed(NAMES))
        left = {path for path in self.ours() if "paddock" in path}
        self.assertEqual(left, set())


if __name__ == "__main__":
    unittest.main()
