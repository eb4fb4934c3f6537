#!/usr/bin/env python3
"""The systemd units: every directive that would harden the agent is there or said why not, and with all that are there, as
systemd puts them in place, sandboxes still hold."""
import ctypes
import errno
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", pathlib.Path(__file__).parent / "../..")).resolve()
sys.path.insert(0, str(SOURCE / "tests/integration"))
from harness import BIN, main  # noqa: E402

UNITS = SOURCE / "packaging/systemd"
AGENT = (UNITS / "paddock-node-agent.service.in").read_text()
CAPABILITIES = re.search(r'PADDOCK_AGENT_CAPABILITIES\s+"([^"]+)"', (SOURCE / "cmake/Packages.cmake").read_text()).group(1)
SET = dict(re.findall(r"(?m)^(\w+)=(.*)$", AGENT.split("[Service]")[1]))

# What systemd does for a directive (systemd 252, src/core/execute.c, src/shared/seccomp-util.c): system calls that fail
# by EPERM, each for a value of one argument, or always; None: no filter.
FILTERS = {
    "LockPersonality": [("personality", (0, "!=", 0))],
    "RestrictRealtime": [("sched_setscheduler", (1, "==", policy)) for policy in (1, 2, 6)],
    "ProtectHostname": [("sethostname", None), ("setdomainname", None)],
    "ProtectClock": [(name, None) for name in ("adjtimex", "clock_adjtime", "clock_adjtime64", "clock_settime",
                                               "clock_settime64", "settimeofday")],
    "ProtectKernelModules": [(name, None) for name in ("delete_module", "finit_module", "init_module")],
    "SystemCallArchitectures": [],  # libseccomp's own: another architecture's calls end the process
}
# Folders that are read-only, or closed, in the agent's view of the host.
READ_ONLY = {"full": ("/usr", "/boot", "/efi", "/etc")}
CLOSED = {"ProtectKernelModules": ("/usr/lib/modules", "/lib/modules")}
VIEW = """set -e
for folder in $READ_ONLY; do
  [ ! -d "$folder" ] || [ -L "$folder" ] || { mount --bind "$folder" "$folder" && mount -o remount,bind,ro "$folder"; }
done
mount -t tmpfs -o mode=0 none /mnt
for folder in $CLOSED; do [ ! -d "$folder" ] || mount --bind /mnt "$folder"; done
umount /mnt
exec "$@"
"""


class Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("value", ctypes.c_uint64), ("mask", ctypes.c_uint64)]


def load_filter(rules):
    """A filter that all who are started from here inherit."""
    seccomp = ctypes.CDLL("libseccomp.so.2")
    seccomp.seccomp_init.restype = ctypes.c_void_p
    seccomp.seccomp_init.argtypes = [ctypes.c_uint32]
    seccomp.seccomp_load.argtypes = [ctypes.c_void_p]
    seccomp.seccomp_rule_add_array.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint,
                                               ctypes.POINTER(Comparison)]
    context = seccomp.seccomp_init(0x7FFF0000)  # SCMP_ACT_ALLOW
    for name, test in rules:
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        if number < 0:
            continue  # not one of this architecture
        words = (Comparison * 1)()
        if test:
            words[0] = Comparison(test[0], {"!=": 1, "==": 4}[test[1]], test[2], 0)
        failed = seccomp.seccomp_rule_add_array(context, 0x00050000 | errno.EPERM, number, 1 if test else 0, words)
        assert failed == 0, (name, failed)
    assert seccomp.seccomp_load(context) == 0


def as_the_unit(directives, *command):
    """What a command says that has what the agent would have with these directives."""
    chosen = CAPABILITIES.lower().replace("cap_", "+").replace(" ", ",")
    env = {**os.environ, "READ_ONLY": " ".join(READ_ONLY.get(directives.get("ProtectSystem"), ())),
           "CLOSED": " ".join(folder for name in directives for folder in CLOSED.get(name, ()))}

    def confine():
        libc = ctypes.CDLL(None)
        assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
        for name, rules in FILTERS.items():
            if name in directives:
                load_filter(rules)
    return subprocess.run(["unshare", "--mount", "bash", "-c", VIEW, "-", "setpriv", f"--bounding-set=-all,{chosen}",
                           "--inh-caps=-all", *command], env=env, preexec_fn=confine, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def why_not():
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode != 0:
        return "needs root and mount namespaces"
    return None if shutil.which("setpriv") else "needs setpriv"


def stopped(said):
    """(stopped, tried) of what `paddock doctor` said."""
    found = re.search(r"(\d+) of (\d+) forbidden things were stopped", said)
    return tuple(map(int, found.groups())) if found else said


class TheAgentsUnit(unittest.TestCase):
    def test_sandboxes_hold_with_what_it_sets_as_they_do_without(self):
        if why := why_not():
            self.skipTest(why)
        alone = stopped(as_the_unit({}, BIN / "paddock", "doctor"))
        self.assertNotEqual(alone[0], 0, alone)
        self.assertEqual(stopped(as_the_unit(SET, BIN / "paddock", "doctor")), alone)
        # That this would see it, were it not so.
        self.assertEqual(stopped(as_the_unit({**SET, "ProtectHostname": "yes"}, BIN / "paddock", "doctor"))[0], 0)

    def test_every_directive_is_there_or_said_why_not(self):
        reasons = AGENT.split("# Left out on purpose")[1].split("[Install]")[0]
        left_out = set(re.findall(r"\b[A-Z]\w+", " ".join(re.findall(r"(?m)^# ([A-Z][\w=, ]+):", reasons))))
        hardening = {"CapabilityBoundingSet", "DeviceAllow", "DynamicUser", "IPAddressDeny", "LockPersonality",
                     "MemoryDenyWriteExecute", "NoNewPrivileges", "PrivateDevices", "PrivateMounts", "PrivateNetwork", "PrivateTmp",
                     "PrivateUsers", "ProcSubset", "ProtectClock", "ProtectControlGroups", "ProtectHome", "ProtectHostname",
                     "ProtectKernelLogs", "ProtectKernelModules", "ProtectKernelTunables", "ProtectProc", "ProtectSystem",
                     "RemoveIPC", "RestrictAddressFamilies", "RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID",
                     "SystemCallArchitectures", "SystemCallFilter", "User"}
        self.assertEqual(hardening - set(SET) - left_out, set(), "neither set nor said why not")
        self.assertEqual(left_out & set(SET) - {"ProtectSystem"}, set(), "set, and said to be left out")
        controller = re.findall(r"(?m)^(\w+)=", (UNITS / "paddock-controller.service.in").read_text())
        asked = {name for name in controller if name.startswith(("Private", "Protect", "Restrict", "SystemCall"))}
        self.assertLessEqual(asked, hardening)


if __name__ == "__main__":
    main()
