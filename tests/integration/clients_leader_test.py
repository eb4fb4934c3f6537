"""Both Python clients of several controllers, of which one leads: who waits in silence for one that stands still is told when another leads."""
import http.server
import json
import os
import sys
import threading
import types
from unittest import mock

from broken_server import RUN
from clients_broken_test import Broken, OfAsyncio
from harness import PATIENCE_S, SOURCE, main

sys.path.insert(0, str(SOURCE / "clients" / "python"))
from paddock import PaddockError  # noqa: E402
from paddock._wire import Servers  # noqa: E402

DONE = json.dumps({"success": True, "stdout": "1\n", "stderr": "", "exit_code": 0, "execution_time_ms": 1, "error": None, "validation_errors": None})


class Controller:
    """`answer(path)`: the text of 200, bytes for the begin of an answer, None for none: no more comes as long as this lives. `asked` is what came."""

    def __init__(self, answer):
        asked, over = [], threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                asked.append((self.path, self.headers.get("Authorization")))
                text = answer(self.path)
                if text is None or isinstance(text, bytes):
                    self.wfile.write(text or b"")
                    over.wait(PATIENCE_S)
                    return
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())
            do_POST = do_GET

            def log_message(self, *_):
                pass
        self.asked, self._over = asked, over
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def paths(self, *, besides=("/livez", "/readyz")):
        return [path for path, _ in self.asked if path not in besides]

    def close(self):
        self._over.set()
        self._server.shutdown()
        self._server.server_close()


def leader(path):
    return DONE if path == "/execute" else RUN if "/runs/" in path else "ok"


class Several(Broken):
    def setUp(self):
        super().setUp()
        for name, seconds in (("_silence.ASKS_S", 0.1), ("_silence.ANSWERS_S", 0.5), (f"{self.package.removeprefix('paddock')}._http.ANSWERS_S", 0.5),
                              (f"{self.package.removeprefix('paddock')}._http.JOINS_S", 0.05)):
            self.enterContext(mock.patch(f"paddock.{name.lstrip('.')}", seconds))

    def controllers(self, *answers):
        found = [Controller(answer) for answer in answers]
        for each in found:
            self.addCleanup(each.close)
        client = self.client_of(",".join(each.url for each in found), "secret", timeout=10 * PATIENCE_S)
        self.addCleanup(client.close)
        return client, found


class Leaders(Several):
    def test_one_that_stands_still_is_left_for_the_one_that_leads(self):
        client, (still, other) = self.controllers(lambda _: None, leader)
        self.assertEqual(client.runs.get("a").metadata.name, "a")
        self.assertEqual((len(still.paths()), len(other.paths())), (1, 1))
        self.assertEqual({token for path, token in still.asked + other.asked if path in ("/livez", "/readyz")}, {None})

    def test_code_that_may_have_run_is_not_sent_again_and_the_next_goes_to_the_leader(self):
        client, (still, other) = self.controllers(lambda _: None, leader)
        with self.assertRaises(PaddockError) as caught:
            client.execute("print(1)")
        self.assertEqual(caught.exception.code, "CONNECTION_LOST")
        self.assertEqual((still.paths(), other.paths()), (["/execute"], []))
        self.assertEqual(client.execute("print(1)").stdout, "1\n")
        self.assertEqual(other.paths(), ["/execute"])

    def test_what_it_had_said_by_then_is_not_taken_for_the_whole(self):
        begun = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nall"  # its end would be the connection's
        client, (still, other) = self.controllers(lambda path: None if path == "/livez" else begun, lambda path: "all of it" if "/log" in path else "ok")
        self.assertEqual(client.runs.logs("a"), "all of it")
        self.assertEqual((len(still.paths()), len(other.paths())), (1, 1))

    def test_one_that_is_only_slow_is_waited_for(self):
        lives = threading.Semaphore(0)

        def slow(path):
            if path == "/livez":
                lives.release()
                return "ok"
            for _ in range(3):
                lives.acquire(timeout=PATIENCE_S)
            return RUN
        client, (one, other) = self.controllers(slow, leader)
        self.assertEqual(client.runs.get("a").metadata.name, "a")
        self.assertEqual((len(one.paths()), other.asked), (1, []))

    def test_while_no_other_one_leads_it_is_waited_for(self):
        looks = threading.Semaphore(0)

        def still(path):
            if path == "/livez":
                return None
            for _ in range(3):
                looks.acquire(timeout=PATIENCE_S)
            return RUN

        def standby(path):
            looks.release()
            return None
        client, (one, other) = self.controllers(still, standby)
        self.assertEqual(client.runs.get("a").metadata.name, "a")
        self.assertEqual((len(one.paths()), other.paths()), (1, []))

    def test_a_single_one_is_asked_for_nothing_else(self):
        client, (one,) = self.controllers(leader)
        client.runs.get("a")
        self.assertEqual(len(one.asked), 1)


class Watchers(Several):
    """The threads of the blocking client that watch over a request."""

    def starting(self, error, also=lambda _: None):
        """Two controllers, whose client's threads fail so as they start; these threads."""
        begun = []

        class Thread(threading.Thread):
            def start(self):
                begun.append(self)
                also(super())
                raise error
        client, controllers = self.controllers(leader, leader)
        self.enterContext(mock.patch("paddock._http.threading", types.SimpleNamespace(**{**vars(threading), "Thread": Thread})))
        return client, controllers, begun

    def test_where_no_thread_is_to_be_had_a_request_goes_on_unwatched(self):
        client, (one, other), begun = self.starting(RuntimeError("can't start new thread"))
        self.assertEqual(client.runs.get("a").metadata.name, "a")
        self.assertEqual((len(begun), len(one.paths()), other.asked), (1, 1, []))

    def test_a_child_of_this_process_looks_itself(self):
        servers = Servers("http://127.0.0.1:1,http://127.0.0.1:2", "", None)
        asking = servers.silence_of(servers.now()).asking
        with asking:  # as a watcher has it that the child does not have
            child = os.fork()
            if child == 0:
                os._exit(0 if servers.silence_of(servers.now()).asking.acquire(blocking=False) else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertIs(servers.silence_of(servers.now()).asking, asking)

    def test_who_is_interrupted_as_it_starts_leaves_none_behind(self):
        client, _, begun = self.starting(KeyboardInterrupt, lambda thread: thread.start())
        with self.assertRaises(KeyboardInterrupt):
            client.runs.get("a")
        begun[0].join(PATIENCE_S)
        self.assertFalse(begun[0].is_alive())


class AsyncLeaders(OfAsyncio, Leaders):
    pass


if __name__ == "__main__":
    main()
