"""What a connection costs that only waits: a thread of the controller's, and little memory."""
import contextlib
import json
import pathlib
import re
import socket
import ssl
import unittest

from harness import Instance, find_file, main, wait_until

CONNECTIONS = 200
MOST_KIB = 150  # each, with TLS and in a build without optimisation; twice that with what its first request allocated
WATCH = "/apis/paddock.dev/v1alpha1/namespaces/default/runs?watch=true"


class IdleConnections(unittest.TestCase):
    def test_what_waits_keeps_no_memory_of_its_first_request(self):
        with Instance() as instance, contextlib.ExitStack() as stack:
            pid = instance.pid_of("paddock-controller")
            if "jemalloc" not in pathlib.Path(f"/proc/{pid}/maps").read_text():
                self.skipTest("this build has the allocator of a sanitizer")

            def kib():
                return int(re.search(r"RssAnon:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])

            ask = self.client(instance, stack)
            ask("/readyz")
            before = kib()
            for _ in range(CONNECTIONS):
                ask(WATCH)
            wait_until(f"{CONNECTIONS} watches to need little", lambda: kib() - before < CONNECTIONS * MOST_KIB)

    def client(self, instance, stack):
        """Opens a connection, asks once, takes the answer's beginning, and leaves the connection open."""
        port = json.loads(find_file(instance.home, "controller.json").read_text())["port"]
        token = find_file(instance.home, "tokens/admin").read_text().strip()
        tls = ssl.create_default_context(cafile=str(find_file(instance.home, "tls/ca.pem")))

        def ask(path):
            plain = socket.create_connection(("127.0.0.1", port))
            connection = stack.enter_context(tls.wrap_socket(plain, server_hostname="127.0.0.1"))
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                               f"Authorization: Bearer {token}\r\n\r\n".encode())
            self.assertIn(b" 200 ", connection.recv(16384).splitlines()[0])

        return ask


if __name__ == "__main__":
    main()
