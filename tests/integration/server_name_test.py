"""A server's name that nobody has ends a command soon; one that cannot be looked up now is waited for."""
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import unittest

from harness import BIN, main

NXDOMAIN, SERVFAIL = 3, 2
ABSENT, AWAY = "https://absent.example", "https://away.example"
OVER = 'mount --bind "$0" /etc/resolv.conf && exec "$@"'


def why_no_resolver():
    if os.geteuid() != 0:
        return "only root gives a program a resolver of its own"
    if subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode != 0:
        return "this host lets nobody have mounts of his own"
    return ""


class FakeDns:
    """Knows no name: of `away.example` it cannot say whether there is one."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.address = "127." + ".".join(str(1 + each % 254) for each in os.urandom(3))
        self.socket.bind((self.address, 53))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                asked, sender = self.socket.recvfrom(1024)
            except OSError:
                return
            fault = SERVFAIL if b"\x04away" in asked else NXDOMAIN
            question = asked[12:asked.index(b"\0", 12) + 5]
            head = asked[:2] + bytes([0x81, 0x80 | fault]) + b"\0\1" + b"\0\0" * 3
            self.socket.sendto(head + question, sender)


@unittest.skipIf(why_no_resolver(), why_no_resolver())
class ServerName(unittest.TestCase):
    def setUp(self):
        self.dns = FakeDns()
        self.addCleanup(self.dns.socket.close)
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-name-")))
        self.resolver = self.folder / "resolv.conf"
        self.resolver.write_text(f"nameserver {self.dns.address}\noptions timeout:1 attempts:1\n")

    def get(self, server, patience):
        words = [BIN / "paddock", "get", "runs", "--server", server, "--patience", patience]
        return subprocess.run(["unshare", "--mount", "sh", "-c", OVER, self.resolver, *words], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, env={"HOME": str(self.folder), "PATH": os.environ["PATH"]}, timeout=120)

    def test_one_that_nobody_has_is_not_waited_for(self):
        done = self.get(ABSENT, "10m")
        self.assertIn("SERVER_NAME_UNKNOWN", done.stderr)
        self.assertIn("correct the address in --server", done.stderr)
        self.assertEqual(done.returncode, self.get(AWAY, "0s").returncode, "the same exit code as before")

    def test_one_that_cannot_be_looked_up_now_may_come(self):
        done = self.get(AWAY, "0s")
        self.assertIn("UNREACHABLE", done.stderr)

    def test_of_several_addresses_one_may_come(self):
        for addresses in (f"{ABSENT},{AWAY}", f"{AWAY},{ABSENT}"):
            self.assertIn("UNREACHABLE", self.get(addresses, "0s").stderr)


if __name__ == "__main__":
    main()
