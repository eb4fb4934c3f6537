"""Both Python clients, the blocking one and the one of asyncio, against a server that breaks off, repeats, leaves out, lies and refuses."""
import functools
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from broken_server import RUN, SANDBOX, BrokenServer, answer, stream
from harness import SOURCE, main

sys.path.insert(0, str(SOURCE / "clients" / "python"))
from async_client import BlockingClients  # noqa: E402
from paddock import Client, PaddockError, RunSpec, types  # noqa: E402
from paddock import _backoff  # noqa: E402
from paddock._codec import decode, encode  # noqa: E402

BUSY = answer(503, json.dumps({"kind": "Status", "message": "later", "reason": "ServiceUnavailable", "code": 503,
                               "error": {"code": "BUSY", "message": "later", "retryable": True, "details": {}}}))
END = (3, "end", '{"phase":"Succeeded","rc":0,"status":"OK","message":""}')


def chunks(body, size=7):
    pieces = [body[at:at + size] for at in range(0, len(body), size)]
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + \
        b"".join(b"%x;of=it\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def line(number, text):
    return number, "stdout", json.dumps({"time": "2026-01-02T03:04:05Z", "data": text})


class Broken(unittest.TestCase):
    package = "paddock"  # where what is tested has its modules

    def setUp(self):
        self.client_of = functools.partial(Client, patience=0)
        for pause in ("_transport.pause", "events.pause"):  # tests do not wait
            self.enterContext(mock.patch(f"{self.package}.{pause}", lambda *_: 0))

    def serve(self, *answers):
        server = BrokenServer(*answers)
        self.addCleanup(server.__exit__)
        client = self.client_of(server.url, "secret")
        self.addCleanup(client.close)
        return server, client

    def refused(self, code, call):
        with self.assertRaises(PaddockError) as caught:
            call()
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception


class Streams(Broken):
    def test_a_stream_that_breaks_goes_on_behind_the_last_event(self):
        server, client = self.serve(stream(line(1, "a")), None, BUSY, stream(line(1, "a"), line(2, "b")), stream(END))
        self.assertEqual([event.data for event in client.runs.stream_events("a")], ["a", "b", ""])
        resumed = [request.partition("Last-Event-ID: ")[2][:1] for request in server.requests]
        self.assertEqual(resumed, ["", "1", "1", "1", "2"])

    def test_an_event_that_is_left_out_is_asked_for_again(self):
        server, client = self.serve(stream(line(1, "a"), END), stream(line(2, "b"), END))
        self.assertEqual([event.id for event in client.runs.stream_events("a")], [1, 2, 3])
        self.assertIn("Last-Event-ID: 1", server.requests[1])

    def test_a_torn_event_is_none(self):
        _, client = self.serve(stream(line(1, "a")) + b"id: 2\nevent: stdout\ndata: {\"da", stream(line(2, "whole")), stream(END))
        self.assertEqual([event.data for event in client.runs.stream_events("a")], ["a", "whole", ""])

    def test_a_server_that_never_comes_back_is_given_up(self):
        _, client = self.serve(stream(line(1, "a")), None)
        events = client.runs.stream_events("a", patience=0.2)
        self.assertEqual(next(events).data, "a")
        self.assertTrue(self.refused("STREAM_LOST", lambda: list(events)).retryable)

    def test_that_it_waits_for_one_is_told_once(self):
        _, client = self.serve(*[None] * 7, stream(END))
        with self.assertLogs("paddock", "WARNING") as told:
            self.assertEqual([event.id for event in client.runs.stream_events("a", after=2, patience=1000)], [3])
        self.assertEqual(len(told.output), 1)
        self.assertIn("CONNECTION_LOST", told.output[0])

    def test_a_server_that_always_leaves_one_out_is_given_up(self):
        server, client = self.serve(stream(line(2, "b")))
        self.refused("STREAM_LOST", lambda: list(client.runs.stream_events("a", patience=1000)))
        self.assertLess(len(server.requests), 30)

    def test_what_is_no_event_is_refused(self):
        for bad in (stream(("x", "stdout", "{}")), stream((1, "stdout", "[]")), stream((1, "stdout", "{")), answer(200, RUN)):
            _, client = self.serve(bad)
            self.refused("UNEXPECTED_ANSWER", lambda: list(client.runs.stream_events("a")))  # noqa: B023

    def test_an_endless_event_is_refused(self):
        _, client = self.serve(stream((1, "stdout", "x" * (5 << 20))))
        self.refused("EVENT_TOO_LARGE", lambda: list(client.runs.stream_events("a")))

    def test_a_refusal_ends_it(self):
        missing = answer(404, json.dumps({"message": "gone", "reason": "NotFound", "error": {"code": "RUN_NOT_FOUND", "retryable": False}}))
        _, client = self.serve(stream(line(1, "a")), missing)
        self.refused("RUN_NOT_FOUND", lambda: list(client.runs.stream_events("a")))


class Commands(Broken):
    """Streamed commands of a session: one connection, one command."""

    def stream(self, *events):
        server, client = self.serve(answer(201, SANDBOX), stream(*events))
        return server, client.sandboxes.create().stream("echo")

    def test_its_output_and_its_result(self):
        result = '{"commandId":"1","exitCode":3,"stdout":"","stderr":"","executionTimeMs":5}'
        _, command = self.stream((0, "started", "{}"), (0, "stdout", '{"base64":"AP8="}'), (0, "new", "{}"), (0, "result", result))
        self.assertEqual([(piece.type, piece.data, piece.text) for piece in command], [("stdout", b"\0\xff", "\0\ufffd")])
        self.assertEqual(command.result.exitCode, 3)
        self.assertEqual(command.result.exitCode, 3)

    def test_a_command_whose_connection_broke_is_lost_and_never_sent_again(self):
        server, command = self.stream((0, "started", "{}"), (0, "stdout", '{"base64":"AA=="}'))
        self.assertFalse(self.refused("STREAM_LOST", lambda: list(command)).retryable)
        self.assertEqual(len(server.requests), 2)
        server, client = self.serve(answer(201, SANDBOX), None)
        self.refused("CONNECTION_LOST", lambda: client.sandboxes.create().stream("echo"))
        self.assertEqual(len(server.requests), 2)

    def test_it_is_sent_before_anybody_looks_at_its_output(self):
        server, _ = self.stream((0, "started", "{}"))
        self.assertIn('"command": "echo"', server.requests[1])

    def test_what_the_server_says_is_wrong_is_raised(self):
        _, command = self.stream((0, "error", '{"code":"SESSION_ENDED","message":"gone","retryable":false}'))
        self.assertEqual(self.refused("SESSION_ENDED", lambda: command.result).message, "gone")

    def test_what_is_no_event_is_refused(self):
        for kind, data in (("stdout", "{}"), ("stdout", '{"base64":"*"}'), ("stdout", '{"base64":7}'), ("result", "[]"), ("stderr", "{")):
            _, command = self.stream((0, kind, data))
            self.refused("UNEXPECTED_ANSWER", lambda: list(command))  # noqa: B023

    def test_a_command_is_not_sent_twice_and_a_lost_destroy_is_done(self):
        server, client = self.serve(answer(201, SANDBOX), BUSY, answer(404, "{}"))
        session = client.sandboxes.create()
        self.refused("BUSY", lambda: session.run("echo"))
        session.destroy()
        self.assertEqual(len(server.requests), 3)

    def test_words_are_none_of_the_shells_own(self):
        server, client = self.serve(answer(201, SANDBOX), answer(200, '{"exitCode": 0}'))
        client.sandboxes.create().run(["A=b", "if", "it's", ""])
        self.assertEqual(json.loads(server.requests[1].partition("\r\n\r\n")[2])["command"], "'A=b' 'if' 'it'\\''s' ''")

    def test_a_command_is_awaited_for_longer_than_the_server_awaits_its_node(self):
        _, client = self.serve(answer(201, SANDBOX))
        handlers = SOURCE / "controller/api/handlers/sessions"
        times = re.findall(r"k(?:OpenTime|CommandAnswerTime)\{([\d']+)\}", "".join(each.read_text() for each in sorted(handlers.glob("*.cc"))))
        self.assertEqual(len(times), 2)
        needed = sum(int(each.replace("'", "")) for each in times) / 1000
        self.assertGreater(client.sandboxes.create()._patience, 1 + needed)


class Repeats(Broken):
    def test_a_create_is_sent_again_with_the_same_key(self):
        server, client = self.serve(BUSY, None, answer(201, RUN))
        self.assertEqual(client.runs.create(RunSpec("compute", "python3 a.py")).metadata.name, "a")
        keys = {request.partition("Idempotency-Key: ")[2].split("\r\n")[0] for request in server.requests}
        self.assertEqual((len(server.requests), len(keys)), (3, 1))
        self.assertTrue(keys.pop())

    def test_code_that_may_have_run_is_never_sent_again(self):
        for broken in (None, BUSY):
            server, client = self.serve(broken)
            with self.assertRaises(PaddockError):
                client.execute("print(1)")
            self.assertEqual(len(server.requests), 1)

    def test_code_that_no_node_took_is_sent_again(self):
        none = answer(503, json.dumps({"message": "no node", "error": {"code": "NO_NODE", "retryable": True}}))
        done = answer(200, json.dumps({"success": True, "stdout": "1\n", "stderr": "", "exit_code": 0, "execution_time_ms": 1,
                                       "error": None, "validation_errors": None}))
        server, client = self.serve(none, done)
        self.assertEqual(client.execute("print(1)").stdout, "1\n")
        self.assertEqual(len(server.requests), 2)

    def test_it_gives_up_after_four_tries(self):
        server, client = self.serve(BUSY)
        error = self.refused("BUSY", lambda: client.runs.get("a"))
        self.assertEqual((len(server.requests), error.status_code, error.reason), (4, 503, "ServiceUnavailable"))

    def test_a_torn_answer_is_a_lost_connection(self):
        for torn in (answer(200, RUN)[:-5], chunks(RUN.encode())[:-5], chunks(RUN.encode()[:40]).removesuffix(b"0\r\n\r\n"),
                     b"HTT"):
            _, client = self.serve(torn)
            self.refused("CONNECTION_LOST", lambda: client.runs.get("a"))  # noqa: B023

    def test_an_answer_comes_in_pieces_of_any_size_and_behind_others_that_announce_it(self):
        run = json.dumps({**json.loads(RUN), "metadata": {"name": "ä" * 100_000}}, ensure_ascii=False).encode()
        for whole in (chunks(run), chunks(run, 1000), chunks(run, 65_537), b"HTTP/1.1 100 Continue\r\n\r\n" + chunks(run)):
            _, client = self.serve(whole)
            self.assertEqual(client.runs.get("a").metadata.name, "ä" * 100_000)


class Lies(Broken):
    def test_answers_that_are_no_answers(self):
        for body in ("", "[]", "{", '{"metadata":{}}', '{"metadata":{"name":1},"spec":{"type":"compute","command":"a"}}',
                     '{"metadata":{},"spec":{"command":"a"}}'):
            _, client = self.serve(answer(200, body))
            self.refused("UNEXPECTED_ANSWER", lambda: client.runs.get("a"))  # noqa: B023

    def test_errors_that_are_no_errors(self):
        for body in ("", "[]", '{"error": 1, "message": 2}', '{"error": {"details": {"causes": [1, {"field": 2}]}}}', "<html>"):
            _, client = self.serve(answer(400, body))
            error = self.refused("UNEXPECTED_ANSWER", lambda: client.runs.get("a"))  # noqa: B023
            self.assertEqual((error.status_code, error.retryable), (400, False))

    def test_a_redirect_takes_the_token_nowhere(self):
        other, _ = self.serve(answer(200, RUN))
        _, client = self.serve(answer(302, "", "text/plain", f"Location: {other.url}/"))
        self.assertEqual(self.refused("UNEXPECTED_ANSWER", lambda: client.runs.get("a")).status_code, 302)
        self.assertEqual(other.requests, [])

    def test_artifacts_stay_in_their_folder_and_are_what_they_say(self):
        with tempfile.TemporaryDirectory() as home:
            folder = pathlib.Path(home, "in")
            folder.mkdir()
            os.symlink(home, folder / "link")
            for path, code in (("../x", "UNEXPECTED_ANSWER"), (f"{home}/x", "UNEXPECTED_ANSWER"), ("link/x", "UNEXPECTED_ANSWER"),
                               ("x", "DIGEST_MISMATCH")):
                items = json.dumps({"items": [{"path": path, "size": 1, "digest": "0" * 64}]})
                _, client = self.serve(answer(200, items), answer(200, "y"))
                self.refused(code, lambda: client.runs.download("a", folder))  # noqa: B023
            self.assertEqual(sorted(each.name for each in pathlib.Path(home).rglob("*")), ["in", "link"])


class Asking(Broken):
    def test_names_lead_nowhere_else(self):
        server, client = self.serve(answer(200, RUN))
        client.runs.get("a/../b?c#d")
        self.assertIn("GET /apis/paddock.dev/v1alpha1/namespaces/default/runs/a%2F..%2Fb%3Fc%23d HTTP/1.1", server.requests[0])
        for name in ("", ".", ".."):
            self.refused("INVALID_NAME", lambda: client.runs.get(name))  # noqa: B023

    def test_a_file_is_text_or_bytes_and_nothing_that_could_be_made_to_bytes(self):
        server, client = self.serve(answer(200, SANDBOX))
        files = client.sandboxes.attach("s").files
        for data in (5, [1, 2], None, {"a": 1}, 1.5):
            with self.assertRaises(TypeError):
                files.write("a", data)
            with self.assertRaises(TypeError):
                client.workspaces.upload("a", {"a": data})
        self.assertEqual([request for request in server.requests if request.startswith("PUT") and "/files/" in request], [])
        for data in ("ä", "ä".encode(), bytearray("ä".encode()), memoryview("ä".encode())):
            files.write("a", data)
            self.assertTrue(server.requests[-1].endswith("\r\n\r\nä"))

    def test_an_error_tells_of_every_field_that_is_wrong(self):
        causes = [{"field": "spec.a", "message": "unknown field"}, {"field": "spec.b", "message": "unknown field"}]
        _, client = self.serve(answer(400, json.dumps({"message": "spec.a: unknown field (and 1 more)", "error": {
            "code": "UNKNOWN_FIELD", "retryable": False, "details": {"causes": causes}}})))
        error = self.refused("UNKNOWN_FIELD", lambda: client.runs.get("a"))
        self.assertEqual(str(error), "UNKNOWN_FIELD: spec.a: unknown field (and 1 more) (spec.b: unknown field)")

    def test_paths_of_a_session_are_taken_as_programs_there_have_them(self):
        for path in ("a b/c.txt", "./a b/c.txt", "/workspace/a b/c.txt", "/workspace//a b/c.txt", "a b/c.txt/"):
            server, client = self.serve(answer(201, SANDBOX), answer(200, "x"))
            client.sandboxes.create().files.remove(path)
            self.assertIn("/files/a%20b/c.txt HTTP/1.1", server.requests[1], path)
        for path in ("", ".", "./", "/workspace", "/workspace/"):
            server, client = self.serve(answer(201, SANDBOX), answer(200, '{"files": []}', "application/json"))
            self.assertEqual(client.sandboxes.create().files.list(path), [])
            self.assertIn("/files HTTP/1.1", server.requests[1], path)
        for path in ("/etc/passwd", "../a", "a//b", "a/./b", "/", "//workspace/a"):
            _, client = self.serve(answer(201, SANDBOX))
            self.assertIn("below /workspace", str(self.refused("INVALID_NAME", lambda: client.sandboxes.create().files.write(path, "x"))))  # noqa: B023
        for path in ("", ".", "/workspace/"):
            _, client = self.serve(answer(201, SANDBOX))
            self.refused("INVALID_NAME", lambda: client.sandboxes.create().files.remove(path))  # noqa: B023

    def test_addresses_and_tokens_that_make_no_sense(self):
        for url in ("https://a..b", "https://exa mple", "https://" + 64 * "a" + ".example", "", "host", "ftp://host", "https://", "https://user:pw@host", "https://host:99999", "https://host/?a=1", "http://example.org"):
            self.refused("INVALID_SERVER", lambda: self.client_of(url, "token"))  # noqa: B023
        for token in ("a b", "a\r\nX: y", "ä"):
            self.refused("INVALID_TOKEN", lambda: self.client_of("https://host", token))  # noqa: B023
        self.refused("CA_FILE_UNREADABLE", lambda: self.client_of("https://host", "t", "/none"))

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

    def test_a_client_that_is_closed_asks_for_nothing_any_more(self):
        kept = answer(200, RUN).replace(b"Connection: close\r\n", b"")
        with BrokenServer(kept) as server:
            client = self.client_of(server.url, patience=600)
            client.runs.get("a")
            events = client.runs.stream_events("a")
            for _ in range(2):
                client.close()  # again is the same
            for call in (lambda: client.runs.get("a"), lambda: client.execute("1"), lambda: list(events), lambda: client.runs.exec_stream("a", "b")):
                self.assertFalse(self.refused("CLIENT_CLOSED", call).retryable)
        self.assertEqual(len(server.requests), 1)

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

    def test_what_holds_anyway_is_not_sent(self):
        spec = RunSpec("compute", ["python3", "a.py"], sandbox=types.SandboxPolicy(limits=types.SandboxLimits(pids=3)))
        self.assertEqual(encode(spec), {"type": "compute", "command": ["python3", "a.py"], "sandbox": {"limits": {"pids": 3}}})
        self.assertEqual(decode(RunSpec, encode(spec)), spec)
        self.assertEqual(encode(types.MediaExecution("enabled", allowedModels=[])), {"mode": "enabled", "allowedModels": []})

    def test_words_of_a_newer_server_are_read_over(self):
        run = decode(types.Run, {**json.loads(RUN), "status": {"phase": "Sleeping", "new": 1}})
        self.assertEqual(run.status.phase, "Sleeping")


class OfAsyncio:
    """The same, of the client of asyncio."""
    package = "paddock._aio"

    def setUp(self):
        super().setUp()
        clients = BlockingClients()
        self.client_of = functools.partial(clients, patience=0)
        self.addCleanup(clients.close)


class AsyncStreams(OfAsyncio, Streams):
    pass


class AsyncCommands(OfAsyncio, Commands):
    pass


class AsyncRepeats(OfAsyncio, Repeats):
    pass


class AsyncLies(OfAsyncio, Lies):
    def test_an_answer_without_end_or_size_is_refused(self):
        for given in (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
                      b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", b"HTTP/1.1 102 P\r\n\r\n" * 100):
            _, client = self.serve(given)
            self.refused("UNEXPECTED_ANSWER", lambda: client.runs.get("a"))  # noqa: B023
        for given in (b"HTTP/1.1 200 OK\r\nContent-Le", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 50_000, b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200 + b"\r\n"):
            _, client = self.serve(given)
            self.refused("CONNECTION_LOST", lambda: client.runs.get("a"))  # noqa: B023


class AsyncAsking(OfAsyncio, Asking):
    pass


if __name__ == "__main__":
    main()
