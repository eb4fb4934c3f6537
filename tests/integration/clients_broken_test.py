"""Both Python clients, the blocking one and the one of asyncio, against a server that breaks off, repeats, leaves out, lies and refuses."""
import functools
import json
import os
import pathlib
import re
import sys
import tempfile
import threading
import unittest
from unittest import mock

from broken_server import RUN, SANDBOX, BrokenServer, answer, stream
from harness import SOURCE, main

sys.path.insert(0, str(SOURCE / "clients" / "python"))
from async_client import BlockingClients  # noqa: E402
from paddock import Client, CommandTimedOut, PaddockError, RunSpec, types  # noqa: E402
from paddock._codec import decode, encode  # noqa: E402
from paddock._http import beside  # noqa: E402

BUSY = answer(503, json.dumps({"kind": "Status", "message": "later", "reason": "ServiceUnavailable", "code": 503,
                               "error": {"code": "BUSY", "message": "later", "retryable": True, "details": {}}}))
NOT_FOUND = answer(404, json.dumps({"message": "none", "error": {"code": "COMMAND_NOT_FOUND", "retryable": False}}))
CANCELED = {"commandId": "mine", "exitCode": 143, "stdout": "so far", "stderr": "", "errorClass": "CANCELLED", "reason": "canceled"}
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

    def late(self, result, *cancels, answered_first=True):
        """A command whose result comes only with the answer to the last of these cancels, before it or behind it. Until the command is
        there nobody knows it, nor once it has ended."""
        held, left = [], list(cancels)

        def finish():
            with held[0] as waits:
                waits.settimeout(60)
                waits.sendall(answer(200, json.dumps(result)))
                waits.recv(1)  # it has read that

        def cancel(connection):
            counts = bool(held and left)
            said = left.pop(0) if counts else NOT_FOUND
            steps = [lambda: said and connection.sendall(said)]
            if counts and not left:
                steps.insert(1 if answered_first else 0, finish)
            for step in steps:
                step()

        def by_path(connection):
            if server.requests[-1].split(" ")[1].endswith("/s/commands/mine/cancel"):
                cancel(connection)
            else:
                held.append(connection.dup())
        server, client = self.serve(answer(201, SANDBOX), by_path)
        session = client.sandboxes.create()
        try:
            return session.run("echo", timeout=0.01, command_id="mine")
        finally:
            self.assertEqual((len(held), left), (1, []))

    def test_a_command_that_is_not_known_yet_is_canceled_again_once_its_time_is_over(self):
        with self.assertRaises(CommandTimedOut) as caught:
            self.late(CANCELED, NOT_FOUND, None, BUSY, answer(202, "{}"))
        error = caught.exception
        self.assertEqual((error.code, error.timeout, error.result.stdout, error.retryable), ("COMMAND_TIMEOUT", 0.01, "so far", False))
        self.assertIn("0.01 s", str(error))

    def test_its_end_may_come_before_the_answer_to_what_ended_it(self):
        with self.assertRaises(CommandTimedOut):
            self.late(CANCELED, answer(202, "{}"), answered_first=False)

    def test_a_command_that_somebody_else_canceled_has_its_result(self):
        for said in (NOT_FOUND, answer(403, "{}")):
            self.assertEqual(self.late(CANCELED, said).stdout, "so far")

    def test_a_command_that_ended_by_itself_as_its_time_was_over_has_its_result(self):
        result = {"commandId": "mine", "exitCode": 3, "stdout": "all", "stderr": ""}
        for said in (answer(202, "{}"), answer(404, "{}")):
            done = self.late(result, said)
            self.assertEqual((done.exitCode, done.stdout), (3, "all"))

    def pause_of(self, pauses):
        """Remembers for how long; at last the command is left."""
        def pause(seconds):
            pauses.append(seconds)
            return len(pauses) == 20
        return pause

    def pauses(self, *cancels, begun=False):
        """Those before and between the cancels of a command, which are answered so."""
        server, client = self.serve(answer(201, SANDBOX), *cancels)
        limit = sys.modules[f"{self.package}.sandboxes"].TimeLimit(3)
        limit.begun = begun
        pauses = []
        client.sandboxes.create()._end("mine", limit, self.pause_of(pauses))
        self.assertEqual(pauses[0], 3)
        return pauses[1:]

    def test_a_cancel_is_repeated_only_where_that_may_help(self):
        for status in (401, 403, 404, 409):
            self.assertEqual(self.pauses(answer(status, "{}")), [])
        self.assertEqual(self.pauses(answer(202, "{}")), [])
        self.assertEqual(self.pauses(NOT_FOUND, begun=True), [])  # it has ended
        self.assertEqual(len(self.pauses(NOT_FOUND, BUSY, answer(202, "{}"))), 2)

    def test_a_cancel_is_repeated_ever_more_seldom_and_not_before_the_server_wants_it(self):
        pauses = self.pauses(NOT_FOUND)
        self.assertLessEqual(pauses[0], 0.2)
        self.assertTrue(all(2.5 <= each <= 5 for each in pauses[6:]), pauses)
        self.assertGreaterEqual(self.pauses(answer(429, "{}", "application/json", "Retry-After: 7"), answer(202, "{}"))[0], 7)

    def test_a_streamed_command_has_begun_once_its_server_says_so(self):
        server, client = self.serve(answer(201, SANDBOX), stream((0, "started", "{}"), (0, "stdout", '{"base64":"AA=="}')))
        limits = []
        module = sys.modules[f"{self.package}.sandboxes"]
        kind = module.TimeLimit
        with mock.patch.object(module, "TimeLimit", lambda seconds: limits.append(kind(seconds)) or limits[-1]):
            command = client.sandboxes.create().stream("echo", timeout=600)
        self.assertFalse(limits[0].begun)
        self.assertEqual(next(iter(command)).data, b"\0")
        self.assertTrue(limits[0].begun)
        command.close()

    def test_nobody_waits_for_the_end_of_what_is_done_beside(self):
        goes_on, ended = threading.Event(), threading.Event()

        def work(_):
            goes_on.wait(60)
            ended.set()
        with beside(work):
            pass
        self.assertFalse(ended.is_set())
        goes_on.set()

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
    def pause_of(self, pauses):
        blocking = super().pause_of(pauses)

        async def pause(seconds):
            return blocking(seconds)
        return pause


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
