"""An agent only calls out: neither it nor anything that it started can be called from a network."""
import contextlib
import os
import pathlib
import re

from harness import ancestors, main, pids_running, wait_until
from joined_hosts import JoinedHosts


def family(root):
    """This process and all below it."""
    pids = [int(entry.name) for entry in pathlib.Path("/proc").glob("[0-9]*")]
    return [pid for pid in pids if pid == root or root in ancestors(pid)]


def sockets_of(pid):
    """Inodes of the sockets that it has open."""
    found = set()
    for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            found.update(re.findall(r"^socket:\[(\d+)\]$", os.readlink(fd)))
    return found


def open_ports(pid):
    """Its sockets that others can call, in whichever network it has: TCP that listens, UDP that is not connected."""
    called = {"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07"}  # include/net/tcp_states.h
    found = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it may end meanwhile
        sockets = sockets_of(pid)
        for table, state in called.items():
            for row in pathlib.Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
                fields = row.split()
                if fields[3] == state and fields[9] in sockets:
                    found.append((table, fields[1]))
    return found


class Outbound(JoinedHosts):
    def test_nothing_of_a_node_can_be_called(self):
        host = self.joined()
        self.run_long()
        # By an interpreter of its own, beside those that wait.
        wait_until("the host to take snippets", lambda: self.instance.run("execute", self.project / "quick.py", check=False).returncode == 0)
        launcher = self.instance.launcher_of("sleep.py")
        job = next(pid for pid in pids_running("sleep.py") if launcher in ancestors(pid))
        mine = {pid for root in (host.agent.pid, launcher) for pid in family(root)}
        self.assertLessEqual({host.agent.pid, launcher, job}, mine)
        self.assertEqual({pid: found for pid in mine if (found := open_ports(pid))}, {})
        self.assertTrue(open_ports(self.instance.pid_of("paddock-controller")))  # which is what would be seen


if __name__ == "__main__":
    main()
