"""Debian's Slurm on this host for tests: nodes whose jobs have cgroups of their own, as on a real cluster."""
import contextlib
import os
import pathlib
import shutil
import signal
import string
import sys
import tempfile
import unittest

from harness import SOURCE, command_of, send, wait_until

sys.path.insert(0, str(SOURCE / "bench"))
import slurm_peer  # noqa: E402

CGROUPS = "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nCgroupMountpoint=/sys/fs/cgroup\nConstrainCores=yes\nConstrainRAMSpace=yes\n"
NODE = "CPUs=4 RealMemory=4000"


def configured(text, more):
    """`more`: another node of this host for each of these ports. Their names are the same each time: so are Slurm's cgroups, which stay."""
    node = next(line for line in text.splitlines() if line.startswith("NodeName="))
    name = node.split()[0].partition("=")[2]
    nodes = [node, *(node.replace(f"NodeName={name} ", f"NodeName={name}-{letter} NodeHostname={name} Port={port} ")
                     for letter, port in zip(string.ascii_lowercase[1:], more))]
    for old, new in ((node, "\n".join(nodes)), ("/spool\n", "/spool.%n\n"), ("slurmd.pid", "slurmd.%n.pid"), ("slurmd.log", "slurmd.%n.log"),
                     ("proctrack/pgid", "proctrack/cgroup"), ("task/none", "task/cgroup"), ("CR_CPU\n", "CR_CPU_Memory\n"),
                     ("CPUs=1024 RealMemory=1000", NODE), ("KillWait=5", "KillWait=2")):
        if old not in text:
            raise RuntimeError(f"bench/slurm_peer.py has no {old} any more")
        text = text.replace(old, new)
    return text + "MessageTimeout=30\n"  # a busy machine may give a daemon no processor for the usual 10 s


def pids_below(group):
    """Every process of a cgroup; groups below it that go away meanwhile do not matter."""
    for folder, _, _ in os.walk(group):
        with contextlib.suppress(OSError):
            yield from map(int, (pathlib.Path(folder) / "cgroup.procs").read_text().split())


def why_not():
    """Why this host can be no cluster; empty if it can."""
    missing = slurm_peer.missing_packages()
    if missing:
        return f"not installed: {', '.join(missing)} (scripts/install-deps servers)"
    if os.geteuid() != 0:
        return "only root may start Slurm's daemons"
    if not all(os.access(f"/sys/fs/cgroup/{each}", os.W_OK) for each in ("freezer", "memory", "cpuset")):
        return "no cgroup v1 that can be written: Slurm would not find all that a job started"
    return ""


class Cluster:
    """`with Cluster() as slurm:`; its commands find it by SLURM_CONF, which is set meanwhile."""

    def __init__(self, nodes=1):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-slurm-"))
        (self.folder / "cgroup.conf").write_text(CGROUPS)
        self.ports = contextlib.ExitStack()
        more = [self.ports.enter_context(slurm_peer.held_port()) for _ in range(nodes - 1)]
        self.daemons = slurm_peer.Slurm(self.folder, "latency", lambda text: configured(text, more))

    def __enter__(self):
        self.daemons.__enter__()
        try:
            for node in self.nodes()[1:]:
                self.daemons.start("slurmd", "-D", "-c", "-f", os.environ["SLURM_CONF"], "-N", node)
            wait_until("all nodes", self._is_idle)
        except BaseException:
            self.__exit__()
            raise
        return self

    def nodes(self):
        lines = pathlib.Path(os.environ["SLURM_CONF"]).read_text().splitlines()
        return [line.split()[0].partition("=")[2] for line in lines if line.startswith("NodeName=")]

    def __exit__(self, *exc):
        self.run("scancel", "--me", check=False)
        self.daemons.stop()
        self.ports.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *command, check=True):
        """What it says; again where a daemon did not answer, for which Slurm has ten seconds and a busy machine may give it no processor."""
        for last in (False, False, True):
            try:
                return slurm_peer.output_of(*command)
            except slurm_peer.subprocess.SubprocessError as error:
                if last or "timed out" not in str(error.output):
                    if check:
                        raise
                    return ""

    def jobs(self, pool):
        """Id and state of each of its pilots."""
        lines = self.run("squeue", "--noheader", "--format=%i %T %j").splitlines()
        return {job: state for job, state, name in map(str.split, lines) if name.startswith(f"paddock-{pool}-")}

    def settle(self):
        """As if no test had been here: no job is left, and each node takes jobs. Slurm takes a node away whose job it could not
        start or end, which a test that kills its programs may bring about."""
        self.run("scancel", "--me", check=False)
        wait_until("Slurm's nodes to be idle", self._is_idle)

    def _is_idle(self):
        states = dict(map(str.split, self.run("sinfo", "--noheader", "--Node", "--format=%N %T", check=False).splitlines()))
        for node, state in states.items():
            if state.startswith(("drain", "down", "fail")):
                self.run("scontrol", "update", f"NodeName={node}", "State=RESUME", check=False)
        return [states.get(node) for node in self.nodes()] == ["idle"] * len(self.nodes())

    def show(self):
        """What Slurm says of itself, for a test that failed."""
        for command in (("scontrol", "show", "node"), ("squeue", "--long")):
            print(f"--- {' '.join(command)}\n{self.run(*command, check=False)}")
        for log in sorted(self.folder.glob("*.log")):
            print(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}")

    def kill_all_of(self, job, node="*"):
        """SIGKILL for every process of a job but Slurm's own; only those on this node, if one is named."""
        for group in pathlib.Path("/sys/fs/cgroup/freezer").glob(f"slurm_{node}/uid_0/job_{job}"):
            for pid in pids_below(group):
                if not any(b"slurmstepd" in word for word in command_of(pid)[:1]):
                    send(signal.SIGKILL, pid)

    def stop_controller(self):
        """It keeps what it knows: one that is killed may have forgotten its last jobs, and ends those at their nodes when it is back."""
        ctld = self.daemons.daemons.pop(1)
        ctld.send_signal(signal.SIGTERM)
        ctld.wait()

    def start_controller(self):
        self.daemons.start("slurmctld", "-D", "-f", os.environ["SLURM_CONF"])
        self.daemons.daemons.insert(1, self.daemons.daemons.pop())
        wait_until("slurmctld", lambda: "UP" in self.run("scontrol", "ping", check=False))


@unittest.skipIf(why_not(), f"Slurm: {why_not()}")
class OnSlurm(unittest.TestCase):
    """One cluster for all tests of a class."""
    NODES = 1

    @classmethod
    def setUpClass(cls):
        cls.slurm = cls.enterClassContext(Cluster(cls.NODES))
