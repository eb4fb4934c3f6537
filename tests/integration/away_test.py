"""Commands whose controller is away for a while: they wait for it as long as they are told, and Ctrl-C is heard meanwhile."""
import os
import signal
import time
import unittest

from harness import Instance, find_file, main, wait_until, with_more_time

PATIENT = ("--patience", "3m")


def line_with(stream, words):
    """The next line that has these words; what comes before is passed over."""
    return next(line for line in stream if words in line)


class Away(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = cls.enterClassContext(Instance())

    def setUp(self):
        self.by_address = ("--server", f"https://127.0.0.1:{self.instance.port()}", "--token-file", find_file(self.instance.home, "tokens/admin"),
                           "--ca-file", find_file(self.instance.home, "tls/ca.pem"))

    def start(self, *words):
        client = self.instance.start(*words)
        self.addCleanup(client.communicate)
        self.addCleanup(client.kill)
        return client

    def ended(self, client):
        _, err = client.communicate(timeout=120)
        return client.returncode, err

    def test_a_command_awaits_the_controller_of_a_server(self):
        self.instance.kill("paddock-controller")
        client = self.start(*self.by_address, *PATIENT, "run", "--", "true")
        line_with(client.stderr, "trying again for 3m (--patience)")
        self.instance.run("up")
        code, err = self.ended(client)
        self.assertEqual(code, 0, err)

    def test_a_command_awaits_the_controller_of_an_instance_if_it_is_told_to(self):
        self.instance.kill("paddock-controller")
        refused = self.instance.run("run", "--", "true", check=False)
        self.assertEqual(refused.returncode, 125, refused.stderr)
        self.assertIn("INSTANCE_NOT_UP", refused.stderr)
        clients = [self.start(*PATIENT, *words) for words in (("run", "--", "true"), ("get", "runs"))]
        for client in clients:
            line_with(client.stderr, "has ended; waiting for it for 3m (--patience)")
        self.instance.run("up")
        for client in clients:
            code, err = self.ended(client)
            self.assertEqual(code, 0, err)

    def test_who_waits_for_a_run_until_some_time_awaits_no_controller_beyond_it(self):
        nobody = ("--server", "https://127.0.0.1:1", *self.by_address[2:])
        for which in (("a",), ("a", "b"), ("-l", "sweep=a")):
            def wait(limit):
                """Whether it has said that it waits: after three pauses, of 1.4 s at most."""
                code, err = self.ended(self.start(*nobody, "wait", *which, "--timeout", limit))
                self.assertEqual(code, 124, err)  # as --help says of a time that is over
                self.assertRegex(err, "UNREACHABLE|STREAM_LOST")
                return f"trying again for {limit} (--patience)" in err
            with_more_time(wait, "5s", "50s")
        # No time is over where none was said, or before it is.
        for until, code in (((), 75), (("--timeout", "10m"), 75)):
            client = self.start(*nobody, "--patience", "0s", "wait", "a", *until)
            self.assertEqual(self.ended(client)[0], code)

    def test_who_watches_a_drain_until_some_time_awaits_no_controller_beyond_it(self):
        self.instance.run("run", "--detach", "--name", "holds-it", "--", "sleep", "600")
        self.instance.wait_phase("holds-it", "Running")
        node = self.instance.get("nodes")["items"][0]["metadata"]["name"]
        self.addCleanup(self.instance.run, "cancel", "holds-it", check=False)
        self.addCleanup(self.instance.run, "uncordon", node, check=False)

        def drain(limit):
            """Whether it has begun to wait when the controller was killed."""
            client = self.start(*self.by_address, "drain", node, "--timeout", limit)
            said = next((line for line in client.stderr if "waiting for 1 run" in line), "")
            self.instance.kill("paddock-controller")
            self.assertEqual(self.ended(client)[0], 124)
            self.instance.run("up")
            return said != ""
        with_more_time(drain, "8s", "60s")

    def test_a_controller_that_is_stopped_is_awaited_no_longer_than_one_that_is_gone(self):
        """The system takes its connections all the same, and nothing comes by them."""
        self.instance.run("run", "--name", "before", "--", "true")
        pid = self.instance.pid_of("paddock-controller")
        os.kill(pid, signal.SIGSTOP)
        try:
            for words in (("get", "runs"), ("logs", "-f", "before"), ("cancel", "before")):
                with self.subTest(words=words):
                    def awaited():
                        begun = time.monotonic()
                        refused = self.instance.run("--patience", "5s", *words, check=False)
                        self.assertEqual(refused.returncode, 1, refused.stderr)
                        self.assertRegex(refused.stderr, "UNREACHABLE|STREAM_LOST")
                        return time.monotonic() - begun
                    # Three seconds beyond its patience, on a machine with nothing else to do. A busy one makes it late, but not each time.
                    times = [awaited()]
                    while times[-1] >= 30 and len(times) < 4:
                        times.append(awaited())
                    self.assertLess(times[-1], 30, times)
        finally:
            os.kill(pid, signal.SIGCONT)

    def follow(self, name):
        """A run that is followed, whose controller is gone then."""
        client = self.start(*PATIENT, "run", "--name", name, "--", "sleep", "600")
        line_with(client.stderr, f"run {name} created")
        self.instance.wait_phase(name, "Running")
        self.instance.kill("paddock-controller")
        return client

    def test_ctrl_c_cancels_the_run_once_the_controller_is_back(self):
        client = self.follow("canceled")
        client.send_signal(signal.SIGINT)
        line_with(client.stderr, "trying again for 3m (--patience)")
        self.instance.run("up")
        code, err = self.ended(client)
        self.assertEqual(code, 130, err)
        self.instance.wait_phase("canceled", "Canceled")

    def test_ctrl_c_is_heard_again_while_it_waits(self):
        client = self.follow("left")
        for said in ("canceling run left", "killing run left"):
            client.send_signal(signal.SIGINT)
            line_with(client.stderr, said)
        client.send_signal(signal.SIGINT)
        wait_until("the command to leave", lambda: client.poll() is not None)
        self.assertEqual(client.returncode, 130)
        self.instance.run("up")
        self.instance.wait_phase("left", "Running")
        self.instance.run("cancel", "left")


if __name__ == "__main__":
    main()
