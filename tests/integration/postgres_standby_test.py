"""What a standby on the leader's PostgreSQL database answers: reads and watches, and whose they are when it leads."""
import json

from controller_pair import RUNS, ControllerPair, Watch
from harness import PATIENCE_S, main, wait_until
from postgres_server import Cable


class Standby(ControllerPair):
    def test_a_standby_is_alive_and_says_who_leads(self):
        self.begin_standby()
        self.assertEqual(self.two.ask("/livez")[0], 200)
        self.assertEqual(self.two.ask("/healthz")[0], 200)
        status, headers, text = self.two.ask(RUNS, "POST", {})
        refusal = json.loads(text)["error"]
        self.assertEqual((status, refusal["code"], refusal["details"]["leader"]), (503, "NOT_LEADER", self.one.url))
        self.assertEqual(headers["retry-after"], "1")

    def test_a_standby_of_an_older_program_says_so_before_it_is_to_lead(self):
        self.begin_standby()
        self.server.query("UPDATE paddock_leader SET schema_version = 99")
        wait_until("the standby to say so", lambda: any(each.get("reason") == "STORE_SCHEMA_TOO_NEW" for each in self.two.records()))
        epoch = self.server.query("SELECT epoch FROM paddock_leader")
        self.one.end()
        self.assertTrue(self.two.refuses(), "it goes on as a standby")
        self.assertEqual(self.server.query("SELECT epoch FROM paddock_leader"), epoch, "and leads nothing")
        self.begin(self.one)
        self.assertEqual(self.one.process.wait(PATIENCE_S), 1)
        self.assertEqual(self.one.records()[-1]["reason"], "STORE_SCHEMA_TOO_NEW")

    def version(self, controller):
        return int(json.loads(controller.ask(RUNS)[2])["metadata"]["resourceVersion"])

    def check_told(self, watch, changes):
        """Those and no others, as far as they go: a run may change meanwhile."""
        wait_until("the watch to tell the last change", lambda: max(watch.versions(), default=0) >= changes[-1])
        self.assertEqual([each for each in watch.versions() if each <= changes[-1]], changes)

    def answers(self):
        answer = self.two.ask(RUNS)
        return answer and answer[0] == 200

    def test_a_standby_answers_reads_and_watches(self):
        self.begin_standby()
        wait_until("the standby to answer reads", self.answers)
        self.assertTrue(self.one.post("before"))
        before = self.version(self.two)
        watch = Watch(self.two, before)
        self.addCleanup(watch.close)
        self.assertTrue(self.one.post("first"))
        self.assertEqual(self.two.ask(f"{RUNS}/first")[0], 200, "what was acknowledged is there at once")
        self.assertGreater(self.version(self.two), before)
        wait_until("the watch to tell it", lambda: watch.has("first"))
        self.assertEqual(self.one.ask(f"{RUNS}/first", "DELETE")[0], 200)
        self.assertEqual(self.two.ask(f"{RUNS}/first")[0], 404)
        wait_until("the watch to tell that it is gone", lambda: watch.events[-1]["type"] == "DELETED")
        self.assertEqual([each["type"] for each in watch.events if each["object"]["metadata"]["name"] == "first"][0], "ADDED")
        # Each change, also of what came and went between two looks.
        runs = "SELECT coalesce(string_agg(resource_version::text, ' ' ORDER BY resource_version), '') FROM changes WHERE kind = 'Run' AND op <> 'delete'"
        self.check_told(watch, [int(each) for each in self.server.query(f"{runs} AND resource_version > {before}").split()])
        self.assertEqual(self.two.refuses(), self.one.url, "/readyz still says who leads")

    def test_a_token_that_is_revoked_reads_nothing_from_a_standby(self):
        self.begin_standby()
        wait_until("the standby to answer reads", self.answers)
        admin = self.token
        made = json.loads(self.one.ask("/admin/tokens", "POST", {"subject": "reader", "scopes": ["runs:read"]})[2])
        self.token = made["token"]
        self.assertEqual(self.two.ask(RUNS)[0], 200)
        self.token = admin
        self.assertEqual(self.one.ask(f"/admin/tokens/{made['id']}", "DELETE")[0], 200)
        self.token = made["token"]
        self.assertEqual(self.two.ask(RUNS)[0], 503, "the leader is to say why not")
        self.assertEqual(self.one.ask(RUNS)[0], 401)

    def test_a_watch_misses_and_repeats_nothing_across_a_change_of_leader(self):
        self.begin_standby()
        wait_until("the standby to answer reads", self.answers)
        self.assertTrue(self.one.post("before"))  # 0 would ask for what is there, too
        begun = self.version(self.two)
        held = Watch(self.two, begun)
        self.addCleanup(held.close)
        names = [f"run-{number}" for number in range(12)]
        for name in names[:6]:
            self.assertTrue(self.one.post(name))
        self.lose(self.one)
        for name in names[6:]:
            wait_until("the second to take it", lambda name=name: self.two.post(name))
        wait_until("the watch to tell the last", lambda: held.has(names[-1]))
        self.assertFalse(held.over.is_set(), "it was never cut")
        asked_again = Watch(self.two, begun)
        self.addCleanup(asked_again.close)
        wait_until("another one to tell the last", lambda: asked_again.has(names[-1]))
        runs = "SELECT string_agg(resource_version::text, ' ' ORDER BY resource_version) FROM changes WHERE kind = 'Run'"
        changes = [int(each) for each in self.server.query(f"{runs} AND resource_version > {begun}").split()]
        for watch in (held, asked_again):
            self.check_told(watch, changes)
            self.assertEqual([each["object"]["metadata"]["name"] for each in watch.events if each["type"] == "ADDED"], names)

    def test_a_standby_that_lost_the_database_tells_nothing_old(self):
        cable = self.enterContext(Cable(self.server))
        self.two.store_url = self.server.url(cable.folder)
        self.begin_standby()
        wait_until("the standby to answer reads", self.answers)
        self.assertTrue(self.one.post("before"))
        watch = Watch(self.two, self.version(self.two))
        self.addCleanup(watch.close)
        cable.cut()
        self.assertTrue(self.one.post("unseen"))
        self.assertTrue(watch.over.wait(PATIENCE_S), "it is told to begin anew")
        self.assertEqual(watch.events[-1]["object"]["code"], 410)
        cable.mend()
        wait_until("the standby to answer reads again", self.answers)
        self.assertEqual(self.two.ask(f"{RUNS}/unseen")[0], 200)


if __name__ == "__main__":
    main()
