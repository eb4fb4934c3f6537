"""A broken connection: the CLI goes on where it stopped, without losing or repeating a line."""
import random
import select
import socket
import tempfile
import threading
import unittest

from harness import PATIENCE_S, Instance, find_file, main, make_project, wait_until

LINES = 200


class FlakyProxy:
    """Forwards bytes to a port and cuts every connection after a random number of bytes."""

    def __init__(self, port, seed, cut_after=(4000, 12000)):
        self.port_behind = port
        self.random = random.Random(seed)
        self.cut_after = cut_after
        self.cuts = 0
        self.refuse = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.refuse:
                client.close()
                continue
            threading.Thread(target=self._forward, args=(client, self.random.randint(*self.cut_after)), daemon=True).start()

    def _forward(self, client, budget):
        with client, socket.create_connection(("127.0.0.1", self.port_behind)) as server:
            while budget > 0:
                ready, _, _ = select.select([client, server], [], [], 120)
                for source in ready:
                    data = source.recv(4096)
                    if not data:
                        return
                    (server if source is client else client).sendall(data)
                    if source is server:
                        budget -= len(data)
            self.cuts += 1

    def close(self):
        self.listener.close()


class Streams(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = cls.enterClassContext(Instance())

    def proxy(self, **how):
        """To the controller; and the words that lead a command through it."""
        proxy = FlakyProxy(self.instance.port(), **how)
        self.addCleanup(proxy.close)
        return proxy, ("--server", f"https://127.0.0.1:{proxy.port}", "--token-file", find_file(self.instance.home, "tokens/admin"),
                       "--ca-file", find_file(self.instance.home, "tls/ca.pem"))

    # proves: ORB-147
    def test_a_log_through_a_breaking_connection_is_complete(self):
        with tempfile.TemporaryDirectory() as folder:
            job = f"import time\nfor i in range({LINES}):\n    print('line', i, 'x' * 60, flush=True)\n    time.sleep(0.01)\n"
            project = make_project(folder, job__py=job)
            proxy, through_it = self.proxy(seed=7)
            name = self.instance.run("compute", project, "python3 job.py", "--detach").stdout.strip()
            followed = self.instance.run(*through_it, "logs", "-f", name)
            lines = [l for l in followed.stdout.splitlines() if l.startswith("line")]
            self.assertEqual(lines, [f"line {i} " + "x" * 60 for i in range(LINES)])
            self.assertGreater(proxy.cuts, 0)

    def test_the_end_of_a_log_through_a_breaking_connection_is_complete(self):
        with tempfile.TemporaryDirectory() as folder:
            job = ("import os, time\nfor i in range(50):\n    print('early', i, flush=True)\n"
                   "while not os.path.exists('go'):\n    time.sleep(0.05)\n"
                   f"for i in range({LINES}):\n    print('line', i, 'x' * 60, flush=True)\n    time.sleep(0.01)\n")
            project = make_project(folder, job__py=job)
            name = self.instance.run("compute", project, "python3 job.py", "--detach").stdout.strip()
            wait_until("the early lines", lambda: "early 49\n" in self.instance.run("logs", name).stdout)
            proxy, through_it = self.proxy(seed=7)
            first = [f"early {i}" for i in (47, 48, 49)]
            later = [f"line {i} " + "x" * 60 for i in range(LINES)]
            followers = [self.instance.start(*through_it, "logs", "-f", name, "--tail", "3", *more) for more in ((), ("--timestamps",))]
            for pipe in [pipe for each in followers for pipe in (each.stdout, each.stderr)]:
                self.addCleanup(pipe.close)
            for follower in followers:
                self.assertIn("early 47\n", follower.stdout.readline())
            self.instance.run("exec", name, "--", "touch", "go")
            plain, stamped = (follower.stdout.read().splitlines() for follower in followers)
            self.assertEqual([follower.wait(timeout=PATIENCE_S) for follower in followers], [0, 0])
            self.assertEqual(plain, first[1:] + later)
            self.assertEqual([each.split(" ", 1)[1] for each in stamped], first[1:] + later)
            self.assertGreater(proxy.cuts, 0)

    def test_a_lost_connection_never_cancels_and_exits_with_75(self):
        with tempfile.TemporaryDirectory() as folder:
            project = make_project(folder, job__py="import time\nprint('on', flush=True)\ntime.sleep(600)\n")
            proxy, through_it = self.proxy(seed=1, cut_after=(10**9, 10**9))
            client = self.instance.start(*through_it, "--patience", "2s", "compute", project, "python3 job.py", "--name", "lonely")
            wait_until("first output", lambda: client.stdout.readline().startswith("on"))
            proxy.refuse = True
            proxy.cut_after = (0, 0)
            self.instance.kill("paddock-controller")
            _, err = client.communicate(timeout=PATIENCE_S)
            self.assertEqual(client.returncode, 75, err)
            self.assertIn("lonely", err)
            self.instance.run("up")
            self.assertFalse(self.instance.run_object("lonely")["spec"]["cancelRequested"])
            self.instance.wait_phase("lonely", "Running")


if __name__ == "__main__":
    main()
