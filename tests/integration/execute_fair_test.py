"""Two callers of POST /execute on one node: neither can take all of it, who waits in vain is told so, and every request is
recorded and counted."""
import concurrent.futures
import hashlib
import http.client
import json
import re
import socket
import threading

from executing import Executing
from harness import main, wait_until
from session_client import SessionApi

PLACES = 4
SHARE = 3
ENDLESS = "import time\nwhile True: time.sleep(0.01)"


class Caller:
    """Requests of one caller, each on a connection of its own, to be hung up on."""

    def __init__(self, connect, headers):
        self.connect, self.headers = connect, headers
        self.pool = concurrent.futures.ThreadPoolExecutor(4 * PLACES)
        self.connections, self.lock = [], threading.Lock()

    def post(self, code, **fields):
        """Status, headers and answer; None once it was hung up on."""
        connection = self.connect()
        try:
            connection.request("POST", "/execute", json.dumps({"code": code, **fields}), self.headers)
            with self.lock:
                self.connections.append(connection.sock)
            answer = connection.getresponse()
            return answer.status, answer.headers, json.loads(answer.read())
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def begin(self, count):
        """So many that never end."""
        return [self.pool.submit(self.post, ENDLESS, timeout_seconds=60) for _ in range(count)]

    def hang_up(self):
        with self.lock:
            for each in self.connections:
                try:
                    each.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            self.connections.clear()


class Fair(Executing):
    settings = {"PADDOCK_NODE_AGENT_SNIPPETS_MAX_PARALLEL": str(PLACES)}

    def setUp(self):
        self.api = SessionApi(self.instance)
        self.addCleanup(self.api.close)
        self.admin = self.caller(lambda: http.client.HTTPSConnection("127.0.0.1", self.api.port, context=self.api.tls,
                                                                     timeout=120),
                                 {"Authorization": f"Bearer {self.api.token}"})
        self.anonymous = self.caller(lambda: http.client.HTTPConnection("127.0.0.1", self.port, timeout=120), {})
        self.addCleanup(self.end_all)

    def caller(self, connect, headers):
        made = Caller(connect, headers)
        self.addCleanup(made.pool.shutdown)
        return made

    def end_all(self):
        self.admin.hang_up()
        self.anonymous.hang_up()
        wait_until("nothing to run", lambda: self.load()[:2] == (0, 0))

    def metric(self, name):
        status, text = self.api.ask("GET", "/metrics")
        self.assertEqual(status, 200)
        return int(re.search(rf"(?m)^{re.escape(name)} (\d+)$", text.decode()).group(1))

    def load(self):
        return tuple(self.metric(f"paddock_execute_{what}") for what in ("running", "waiting", "places"))

    def test_one_caller_leaves_room_for_the_other_and_is_told_what_it_holds(self):
        self.admin.begin(SHARE)
        wait_until("one caller to hold its share", lambda: self.load() == (SHARE, 0, PLACES))
        many = self.admin.begin(2)

        def wait_in_vain():  # each waits for seconds only, so on a busy machine nobody may have looked
            if all(each.done() for each in many):
                many.extend(self.admin.begin(2))
            return self.load() == (SHARE, 2, PLACES)
        wait_until("it to hold no more", wait_in_vain)
        _, _, answer = wait_until("the other to be served", lambda: (lambda got: got if got[0] == 200 else None)(
            self.anonymous.post("print(1)")))
        self.assertEqual(answer["stdout"], "1\n")
        wait_until("the other's share alone to be left", lambda: self.load()[0] == SHARE)
        concurrent.futures.wait(many[:1], timeout=60)
        status, headers, answer = many[0].result()
        self.assertEqual((status, answer["error"]["code"], headers["Retry-After"]), (429, "NODES_BUSY", "1"))
        self.assertIn(f"{SHARE} of {PLACES} places", answer["message"])
        self.assertTrue(answer["error"]["retryable"])

    def test_a_place_goes_to_whoever_holds_fewest(self):
        self.anonymous.begin(SHARE)
        wait_until("one caller to hold its share", lambda: self.load() == (SHARE, 0, PLACES))
        self.admin.begin(1)
        wait_until("all places to be taken", lambda: self.load() == (PLACES, 0, PLACES))
        status, _, answer = self.admin.post("print(1)")
        self.assertEqual((status, answer["error"]["code"]), (429, "NODES_BUSY"))
        self.assertIn("every place", answer["message"])
        first = self.anonymous.begin(2)  # they came first, and would keep the place for a minute
        wait_until("them to wait", lambda: self.load()[1] == 2 or all(each.done() for each in first))
        late = self.admin.pool.submit(self.admin.post, "print(3)")
        wait_until("all to wait", lambda: self.load()[1] == 3 or late.done())
        with self.anonymous.lock:
            self.anonymous.connections[0].shutdown(socket.SHUT_RDWR)
        served = late.result(timeout=120)
        if served[0] != 200:  # a slow machine: it gave up before there was a place, as did those before it
            served = wait_until("a place", lambda: (lambda got: got if got[0] == 200 else None)(self.admin.post("print(3)")), patience_s=40)
        self.assertEqual(served[2]["stdout"], "3\n")

    def events(self, request_id):
        status, page = self.api.ask("GET", "/audit?limit=5000")
        self.assertEqual(status, 200)
        return [event for event in page["items"] if event.get("request_id") == request_id]

    def recorded(self, caller, code, **fields):
        status, headers, answer = caller.post(code, **fields)
        self.assertEqual(status, 200, answer)
        events = wait_until("its record", lambda: self.events(headers["X-Request-Id"]))
        self.assertEqual(events[-1]["type"], "execute.request")
        self.assertEqual(events[-1]["details"]["codeSha256"], hashlib.sha256(code.encode()).hexdigest())
        self.assertNotIn("of-a-secret", json.dumps(events))
        return events

    def test_every_request_is_recorded_without_its_code(self):
        before = {outcome: self.metric(f'paddock_execute_total{{outcome="{outcome}"}}')
                  for outcome in ("ok", "failed", "timeout", "refused", "limit")}
        ran = self.recorded(self.admin, "print('of-a-secret')", input_data={"of-a-secret": 1})[-1]
        self.assertEqual((ran["subject"], ran["reason"], ran["details"]["rc"]), ("admin", "OK", "0"))
        self.assertIn(ran["details"]["start"], ("warm", "cold"))
        self.assertEqual(ran["details"]["node"], self.instance.get("nodes")["items"][0]["metadata"]["name"])
        failed = self.recorded(self.anonymous, "raise SystemExit('of-a-secret')")[-1]
        self.assertEqual((failed["subject"], failed["reason"]), ("anonymous", "FAILED"))
        late = self.recorded(self.admin, "while True: pass", timeout_seconds=1)[-1]
        self.assertEqual(late["reason"], "TIMEOUT")
        self.assertGreaterEqual(int(late["details"]["durationMs"]), 900)
        refused = self.recorded(self.admin, "import os\nof-a-secret")[-1]
        self.assertEqual(refused["reason"], "REFUSED")
        after = {outcome: self.metric(f'paddock_execute_total{{outcome="{outcome}"}}') for outcome in before}
        self.assertEqual({outcome: after[outcome] - before[outcome] for outcome in before},
                         {"ok": 1, "failed": 1, "timeout": 1, "refused": 1, "limit": 0})

    def test_records_are_not_lost_when_the_controller_stops(self):
        ids = []
        for i in range(20):
            _, headers, _ = self.admin.post(f"print({i})")
            ids.append(headers["X-Request-Id"])
        self.instance.run("down")
        self.instance.up()
        self.wait_healthy()
        self.api = SessionApi(self.instance)
        self.addCleanup(self.api.close)
        self.assertTrue(all(self.events(each) for each in ids))


if __name__ == "__main__":
    main()
