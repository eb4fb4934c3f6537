"""Both Python clients while nobody answers, or not who was meant: what they wait for, for how long, and which address they ask."""
import json
import os
import pathlib
import socket
import subprocess
import tempfile
from unittest import mock

from broken_server import RUN, BrokenServer, answer
from clients_broken_test import Broken, OfAsyncio
from harness import main
from paddock import PaddockError, _backoff


class Waiting(Broken):
    def test_nobody_is_there(self):
        self.assertTrue(self.refused("UNREACHABLE", lambda: self.client_of("http://127.0.0.1:1").runs.get("a")).retryable)
        with mock.patch.dict(os.environ, {"PADDOCK_HOME": "/none"}, clear=True):
            self.refused("INSTANCE_NOT_UP", self.client_of)

    def test_an_instance_whose_controller_has_ended_is_not_waited_for(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        with tempfile.TemporaryDirectory() as home, mock.patch.dict(os.environ, {"PADDOCK_HOME": home, "PADDOCK_TOKEN": "t"}, clear=True):
            pointer = pathlib.Path(home, "instances", "default", "instance.json")
            pointer.parent.mkdir(parents=True)
            (pointer.parent / "controller" / "tls").mkdir(parents=True)
            pointer.write_text(json.dumps({"url": "http://127.0.0.1:1", "controller": {"pid": ended.pid}}))
            self.refused("INSTANCE_NOT_UP", self.client_of)
            for pid in (os.getpid(), 1, "x", 1 << 80):  # or nobody can say
                pointer.write_text(json.dumps({"url": "https://127.0.0.1:1", "controller": {"pid": pid}}))
                self.refused("CA_FILE_UNREADABLE", self.client_of)

    def unresolved(self, fault):
        """Every name is looked up in vain, for this reason; what counts the looks."""
        return self.enterContext(mock.patch("socket.getaddrinfo", side_effect=socket.gaierror(fault, "no")))

    def test_a_name_that_nobody_has_is_not_waited_for(self):
        looks = self.unresolved(socket.EAI_NONAME)
        wrong = self.client_of("https://paddock.example", patience=600)
        self.assertFalse(self.refused("SERVER_NAME_UNKNOWN", lambda: wrong.runs.get("a")).retryable)
        self.assertEqual(looks.call_count, 1)

    def test_a_port_that_speaks_no_tls_is_not_waited_for(self):
        def talk(connection):
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        with mock.patch.object(BrokenServer, "_read", lambda _, connection: connection.recv(65536)), BrokenServer(talk) as server, \
                BrokenServer(answer(200, RUN)) as leader:
            address = server.url.replace("http://", "https://")
            wrong = self.client_of(address, patience=600)
            self.assertFalse(self.refused("WRONG_PROTOCOL", lambda: wrong.runs.get("a")).retryable)
            self.assertEqual(len(server.requests), 1)
            self.assertEqual(self.client_of(f"{address},{leader.url}").runs.get("a").metadata.name, "a")

    def test_a_port_that_speaks_no_http_is_not_waited_for(self):
        for words in (b"SSH-2.0-OpenSSH_9.2\r\n", b"\x15\x03\x01\x00\x02\x02\x46"):
            with BrokenServer(lambda connection, words=words: connection.sendall(words)) as server, BrokenServer(answer(200, RUN)) as leader:
                wrong = self.client_of(server.url, patience=600)
                self.assertIn("no HTTP", str(self.refused("WRONG_PROTOCOL", lambda: wrong.runs.get("a"))))  # noqa: B023
                self.assertEqual(len(server.requests), 1)
                self.assertEqual(self.client_of(f"{server.url},{leader.url}").runs.get("a").metadata.name, "a")
                for both in (f"{server.url},http://127.0.0.1:9", f"http://127.0.0.1:9,{server.url}"):
                    away = self.client_of(both, patience=0)
                    self.refused("UNREACHABLE", lambda: away.runs.get("a"))  # noqa: B023

    def test_what_speaks_something_else_where_a_server_was_is_waited_for(self):
        server, client = self.serve(answer(200, RUN), lambda connection: connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"), answer(200, RUN))
        for _ in range(2):
            self.assertEqual(client.runs.get("a").metadata.name, "a")
        self.assertEqual(len(server.requests), 3)

    def test_a_server_that_is_started_again_is_waited_for_unless_somebody_says_otherwise(self):
        with BrokenServer(answer(200, RUN)) as server:
            port = int(server.url.rpartition(":")[2])
        tries = []

        def pause(failed, *_):
            tries.append(failed)
            if len(tries) == 20:
                self.enterContext(BrokenServer(answer(200, RUN), port=port))
            return 0
        client = self.client_of.func(server.url)  # what nobody set is as it is
        self.addCleanup(client.close)
        with mock.patch(f"{self.package}._transport.pause", pause), self.assertLogs("paddock", "WARNING") as told:
            self.assertEqual(client.runs.wait("a").metadata.name, "a")
        self.assertEqual((len(tries), len(told.output)), (20, 1))
        self.assertIn("UNREACHABLE", told.output[0])

    def test_of_several_servers_another_one_is_asked_within_a_second(self):
        def pauses(addresses, call):
            found = []
            with mock.patch.object(_backoff, "time") as clock, mock.patch(f"{self.package}._transport.pause", _backoff.pause), \
                    mock.patch(f"{self.package}.events.pause", _backoff.pause):
                clock.monotonic.side_effect = lambda: sum(found)
                slept = mock.Mock(side_effect=found.append)
                if "_aio" in self.package:
                    slept = mock.AsyncMock(side_effect=found.append)
                with mock.patch(f"{self.package}._transport.sleep", slept), mock.patch(f"{self.package}.events.sleep", slept), \
                        self.assertRaises(PaddockError):
                    call(self.client_of(addresses, patience=15))
            return found
        for call in (lambda client: client.runs.get("a"), lambda client: list(client.runs.stream_events("a"))):
            one = pauses("http://127.0.0.1:1", call)
            several = pauses("http://127.0.0.1:1,http://127.0.0.1:2", call)
            self.assertGreater(max(one), 1)
            self.assertLessEqual(max(several), 1)
            self.assertGreater(len(several), len(one))

    def test_names_that_cannot_be_looked_up_now_are(self):
        looks = self.unresolved(socket.EAI_AGAIN)
        away = self.client_of("https://paddock.example")
        self.assertTrue(self.refused("UNREACHABLE", lambda: away.runs.get("a")).retryable)
        self.assertEqual(looks.call_count, 4)

    def test_a_name_that_is_not_found_any_more_is_waited_for(self):
        with BrokenServer(answer(200, RUN)) as server:
            client = self.client_of(server.url)
            client.runs.get("a")
        self.unresolved(socket.EAI_NONAME)
        self.refused("UNREACHABLE", lambda: client.runs.get("a"))

    def test_one_of_several_addresses_that_may_come_back_is_waited_for(self):
        looked_up = socket.getaddrinfo

        def look_up(host, *rest, **named):
            if host == "paddock.example":
                raise socket.gaierror(socket.EAI_NONAME, "no")
            return looked_up(host, *rest, **named)
        self.enterContext(mock.patch("socket.getaddrinfo", look_up))
        for addresses in ("https://paddock.example,http://127.0.0.1:1", "http://127.0.0.1:1,https://paddock.example"):
            self.refused("UNREACHABLE", lambda: self.client_of(addresses).runs.get("a"))  # noqa: B023

    def test_who_is_away_or_does_not_lead_is_passed_over(self):
        standby = answer(503, '{"error": {"code": "NOT_LEADER", "message": "no", "retryable": true}}', "application/json", "Retry-After: 30")
        with BrokenServer(standby) as waiting, BrokenServer(answer(200, RUN)) as leader:
            client = self.client_of(f"http://127.0.0.1:1, {waiting.url},{leader.url}", "token")
            for _ in range(2):
                self.assertEqual(client.runs.get("a").metadata.name, "a")
            client.runs.cancel("a")  # a POST
        self.assertEqual((len(waiting.requests), len(leader.requests)), (1, 3))

    def asking(self, patience, failure, ask):
        """How long a request that always fails so was tried, and how often it was paused."""
        class Clock:
            now = 0.0
            pauses = 0

            def monotonic(self):
                return self.now

            def sleep(self, seconds):
                self.now += seconds
                self.pauses += 1
        client, clock = self.client_of("http://127.0.0.1:1", patience=patience), Clock()
        transport = getattr(client, "meant", client)._transport
        module = f"{self.package}._transport"
        slept = mock.AsyncMock(side_effect=clock.sleep) if client is not getattr(client, "meant", client) else clock.sleep
        with mock.patch.object(_backoff, "time", clock), mock.patch(f"{module}.sleep", slept), mock.patch(f"{module}.time", clock), \
                mock.patch(f"{self.package}.runs.time", clock), mock.patch(f"{module}.pause", _backoff.pause), \
                mock.patch.object(transport, "_once", side_effect=failure if isinstance(failure, Exception) else failure(clock)):
            ask(client)
        return clock.now, clock.pauses

    def failing(self, patience, failure):
        return self.asking(patience, failure, lambda client: self.refused(failure.code, lambda: client.runs.get("a")))

    def test_patience_lasts_while_nobody_is_there_and_for_no_refusal(self):
        for code, fewest, most in (("UNREACHABLE", 10, 40), ("STORE_IO", 10, 40), ("QUOTA_PENDING", 3, 3)):
            seconds, pauses = self.failing(60, PaddockError("no", code=code, retryable=True))
            self.assertTrue(fewest <= pauses <= most, (code, pauses))
            self.assertLess(seconds, 66)

    def test_no_pause_outlasts_the_patience_that_is_left(self):
        for code in ("STORE_IO", "QUOTA_PENDING"):
            seconds, pauses = self.failing(5, PaddockError("no", code=code, retryable=True, retry_after=30.0))
            self.assertLess(seconds, 5 + 1.4, "and the pauses of the few tries")
            self.assertGreaterEqual(pauses, 3, "a few times in any case")
        seconds, _ = self.failing(0, PaddockError("no", code="QUOTA_PENDING", retryable=True, retry_after=30.0))
        self.assertGreaterEqual(seconds, 90, "who has no patience of his own waits as he is asked to")

    def test_a_server_that_says_nothing_is_asked_for_as_long_as_patience_is_left(self):
        def silent(clock):
            def once(method, target, body, headers, timeout):
                clock.now += timeout
                raise PaddockError("no", code="TIMEOUT", retryable=True)
            return once
        for patience, most in ((5, 5 + 3 + 1), (0, 4 * 30 + 2)):
            seconds, _ = self.asking(patience, silent, lambda client: self.refused("TIMEOUT", lambda: client.runs.get("a")))
            self.assertLess(seconds, most)
            self.assertGreaterEqual(seconds, patience)

    def test_no_pause_outlasts_the_time_that_a_run_is_waited_for(self):
        def ask(client):
            with self.assertRaises(TimeoutError):
                client.runs.wait("a", timeout=5)
        for patience in (0, 60):
            seconds, _ = self.asking(patience, PaddockError("no", code="STORE_BUSY", retryable=True, retry_after=30.0), ask)
            self.assertEqual(seconds, 5)

    def test_patience_is_not_used_up_by_a_standstill(self):
        with mock.patch.object(_backoff, "time") as clock:
            clock.monotonic.return_value = 100.0
            waited = _backoff.Waited()
            clock.monotonic.return_value = 110.0
            self.assertEqual(waited.seconds(), 10.0)
            clock.monotonic.return_value = 100_000.0  # a lid was closed
            self.assertEqual(waited.seconds(), 10.0 + waited.LONGEST_TRY_S)
            waited.again()
            self.assertEqual(waited.seconds(), 0.0)


class AsyncWaiting(OfAsyncio, Waiting):
    pass


if __name__ == "__main__":
    main()
