"""What a connection costs that only waits: little memory, and between two requests no thread of the controller's."""
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


THREADS = 64  # most of the controller's that have nothing to do with how many connections there are


class IdleConnections(unittest.TestCase):
    def test_what_waits_keeps_no_memory_of_its_first_request(self):
        with Instance() as instance, contextlib.ExitStack() as stack:
            status = self.status_of_controller(instance)
            ask = self.client(instance, stack)
            ask("/readyz")
            before = status("RssAnon")
            for _ in range(CONNECTIONS):
                ask(WATCH)
            wait_until(f"{CONNECTIONS} watches to need little",
                       lambda: status("RssAnon") - before < CONNECTIONS * MOST_KIB)

    def test_what_is_idle_between_two_requests_holds_no_thread(self):
        with Instance() as instance, contextlib.ExitStack() as stack:
            status = self.status_of_controller(instance)
            before = status("RssAnon")
            ask = self.client(instance, stack)
            idle = [ask("/readyz") for _ in range(CONNECTIONS)]
            wait_until("the threads of their requests to end", lambda: status("Threads") < THREADS)
            wait_until("them to need little", lambda: status("RssAnon") - before < CONNECTIONS * MOST_KIB)
            for again in idle:
                again("/readyz")
                again(WATCH)
            self.assertGreater(status("Threads"), CONNECTIONS)  # a watch has one

    def status_of_controller(self, instance):
        """Tells a number of the controller's /proc/PID/status."""
        pid = instance.pid_of("paddock-controller")
        if "jemalloc" not in pathlib.Path(f"/proc/{pid}/maps").read_text():
            self.skipTest("this build has the allocator of a sanitizer")
        return lambda name: int(re.search(rf"{name}:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])

    def client(self, instance, stack):
        """Opens a connection and asks once; gives back what asks again on the same one."""
        port = json.loads(find_file(instance.home, "controller.json").read_text())["port"]
        token = find_file(instance.home, "tokens/admin").read_text().strip()
        tls = ssl.create_default_context(cafile=str(find_file(instance.home, "tls/ca.pem")))

        def ask(path):
            plain = socket.create_connection(("127.0.0.1", port))
            connection = stack.enter_context(tls.wrap_socket(plain, server_hostname="127.0.0.1"))

            def again(path):
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                                   f"Authorization: Bearer {token}\r\n\r\n".encode())
                self.assertIn(b" 200 ", connection.recv(16384).splitlines()[0])

            again(path)
            return again

        return ask


if __name__ == "__main__":
    main()
