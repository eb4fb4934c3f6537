"""Both Python clients' commands whose input comes while they run, against a server that refuses, breaks off and says little."""
import base64
import json
from unittest import mock

from broken_server import answer, stream
from clients_broken_test import BUSY, Broken, OfAsyncio, chunks
from harness import main
from paddock import PaddockError, types

TAKEN = answer(200, '{"next":2}')
WAITS = answer(429, json.dumps({"message": "later", "error": {"code": "INPUT_WAITS", "retryable": True}}), "application/json", "Retry-After: 1")


def refusal(status, code, retryable=False):
    return answer(status, json.dumps({"message": "no", "error": {"code": code, "retryable": retryable}}))


class Attached(Broken):
    """Commands in a run whose input comes while they run."""

    def begin(self, *answers, patience=60.0, **how):
        server, client = self.serve(stream((0, "started", "{}")), *answers)
        return server, client.runs.exec_stream("a", ["cat"], command_id="c", patience=patience, **how)

    def pieces(self, server):
        found = [request for request in server.requests if request.startswith("POST /apis/paddock.dev/v1alpha1/namespaces/default/runs/a/commands/c/stdin ")]
        return [json.loads(request.partition("\r\n\r\n")[2]) for request in found]

    def test_a_piece_is_sent_again_by_its_number_until_it_is_taken(self):
        server, command = self.begin(None, WAITS, BUSY, chunks(b"{}")[:-9], WAITS, TAKEN)
        command.write(b"\xff")
        command.resize(3, 4)
        command.end_input()
        self.assertEqual(self.pieces(server), [{"seq": 1, "data": "/w=="}] * 6 + [{"seq": 2, "terminal": {"rows": 3, "columns": 4}}, {"seq": 3, "end": True}])

    def test_much_goes_in_pieces_and_nothing_in_none(self):
        server, command = self.begin(TAKEN)
        command.write("")
        command.write("x" * 70_000)
        self.assertEqual([(piece["seq"], len(piece["data"])) for piece in self.pieces(server)], [(1, 43692), (2, 43692), (3, 5952)])

    def test_what_is_refused_was_not_taken_and_is_not_sent_again(self):
        server, command = self.begin(refusal(412, "COMMAND_TAKES_NO_INPUT"), TAKEN, refusal(409, "INPUT_OUT_OF_ORDER", True))
        self.refused("COMMAND_TAKES_NO_INPUT", command.end_input)
        command.write("a")
        self.refused("INPUT_OUT_OF_ORDER", lambda: command.write("b"))
        self.assertEqual([piece["seq"] for piece in self.pieces(server)], [1, 1, 2])

    def test_what_may_have_been_taken_when_it_was_given_up_goes_first_the_next_time(self):
        server, command = self.begin(None, refusal(401, "TOKEN_EXPIRED"), TAKEN, patience=1000.0)
        self.refused("TOKEN_EXPIRED", lambda: command.write("a"))
        command.write("b")
        self.assertEqual([(piece["seq"], piece["data"]) for piece in self.pieces(server)], [(1, "YQ=="), (1, "YQ=="), (1, "YQ=="), (2, "Yg==")])
        server, command = self.begin(None, patience=-1.0)
        self.assertTrue(self.refused("CONNECTION_LOST", lambda: command.write("a")).retryable)
        self.assertEqual(len(self.pieces(server)), 1)

    def test_that_it_waits_for_a_server_is_told_once_and_that_it_waits_for_its_command_is_not(self):
        _, command = self.begin(*[WAITS] * 5, *[None] * 6, WAITS, None, TAKEN, patience=1000.0)
        with self.assertLogs("paddock", "WARNING") as told:
            command.write("a")
        self.assertEqual(len(told.output), 1)
        self.assertIn("CONNECTION_LOST", told.output[0])

    def test_a_write_that_is_sent_again_ends_as_its_command_is_closed(self):
        server, command = self.begin(None, patience=1000.0)
        pauses = []

        def sleep(_):
            pauses.append(_)
            if len(pauses) == 3:
                getattr(command, "meant", command)._hang_up()
            self.assertLess(len(pauses), 20)
        slept = mock.AsyncMock(side_effect=sleep) if hasattr(command, "meant") else sleep
        with mock.patch(f"{self.package}.attached.sleep", slept):
            self.refused("STREAM_LEFT", lambda: command.write("a"))
        self.assertEqual(len(self.pieces(server)), 3)
        command.close()

    def test_while_the_server_says_to_wait_there_is_no_end_of_patience(self):
        server, command = self.begin(*[WAITS] * 5, TAKEN, patience=0.01)
        command.write("a")
        self.assertEqual(len(self.pieces(server)), 6)

    def test_it_is_begun_once_and_asked_for_again_only_where_nobody_took_it(self):
        started = stream((0, "started", "{}"))
        for before, count in (((), 1), ((refusal(503, "NO_NODE", True), refusal(503, "NOT_LEADER", True)), 3)):
            server, client = self.serve(*before, started)
            command = client.runs.exec_stream("a", "cat", terminal=types.TerminalSize(40, 120), timeout=2)
            self.assertEqual(len(server.requests), count)
            self.assertEqual(json.loads(server.requests[-1].partition("\r\n\r\n")[2]),
                             {"command": ["sh", "-c", "cat"], "commandId": command.id, "timeoutMs": 2000, "stdinComes": True,
                              "terminal": {"rows": 40, "columns": 120}})
            self.refused("STREAM_LOST", lambda: command.result)  # noqa: B023
        for lost in (None, BUSY):
            server, client = self.serve(lost, started)
            with self.assertRaises(PaddockError):
                client.runs.exec_stream("a", "cat")
            self.assertEqual(len(server.requests), 1)
        _, client = self.serve(stream((0, "error", '{"code":"RUN_EXEC_UNSUPPORTED","message":"no","retryable":false}')))
        self.refused("RUN_EXEC_UNSUPPORTED", lambda: client.runs.exec_stream("a", "cat"))

    def test_what_was_refused_after_it_had_to_wait_does_not_stop_what_comes_later(self):
        server, command = self.begin(WAITS, refusal(429, "NODES_BUSY", True), refusal(412, "COMMAND_TAKES_NO_INPUT"), TAKEN)
        self.refused("COMMAND_TAKES_NO_INPUT", lambda: command.write("a"))
        command.write("b")
        self.assertEqual([(piece["seq"], piece["data"]) for piece in self.pieces(server)], [(1, "YQ==")] * 3 + [(1, "Yg==")])

    def test_what_may_have_been_taken_and_is_refused_for_what_it_says_was_not(self):
        for status, code in ((400, "BAD_DATA"), (412, "COMMAND_TAKES_NO_INPUT"), (413, "BODY_TOO_LARGE")):
            with self.subTest(code):
                server, command = self.begin(None, refusal(status, code), TAKEN, patience=1000.0)
                self.refused(code, lambda: command.write("a"))  # noqa: B023
                command.write("b")
                self.assertEqual([(piece["seq"], piece["data"]) for piece in self.pieces(server)], [(1, "YQ==")] * 2 + [(1, "Yg==")])
        # Whoever wrote it knows that it failed; that it is refused later is not said to somebody else.
        server, command = self.begin(None, refusal(412, "COMMAND_TAKES_NO_INPUT"), TAKEN, patience=-1.0)
        self.refused("CONNECTION_LOST", lambda: command.write("a"))
        command.write("b")
        self.assertEqual([(piece["seq"], piece["data"]) for piece in self.pieces(server)], [(1, "YQ==")] * 2 + [(1, "Yg==")])

    def test_a_character_that_comes_in_two_pieces_is_one(self):
        def piece(kind, data):
            return 0, kind, json.dumps({"base64": base64.b64encode(data).decode()})
        _, client = self.serve(stream((0, "started", "{}"), piece("stdout", b"a\xc3"), piece("stderr", b"\xe2\x82"), piece("stdout", b"\xa4b\xff"),
                                      piece("stderr", b"\xac"), (0, "result", '{"exitCode":3}')))
        found = list(client.runs.exec_stream("a", "cat"))
        self.assertEqual([each.text for each in found], ["a", "", "äb\ufffd", "€"])
        self.assertEqual(b"".join(each.data for each in found if each.type == "stdout"), b"a\xc3\xa4b\xff")

    def test_no_event_is_lost_whichever_comes_first(self):
        output, result = (0, "stdout", '{"base64":"YQ=="}'), (0, "result", '{"exitCode":3}')
        for events in ((output, result), ((0, "started", "{}"), output, result), (output, (0, "started", "{}"), result)):
            _, client = self.serve(stream(*events))
            command = client.runs.exec_stream("a", "cat")
            self.assertEqual([each.text for each in command], ["a"])
            self.assertEqual(command.result.exitCode, 3)
        _, client = self.serve(stream(result))
        self.assertEqual(client.runs.exec_stream("a", "cat").result.exitCode, 3)


class AsyncAttached(OfAsyncio, Attached):
    pass


if __name__ == "__main__":
    main()
