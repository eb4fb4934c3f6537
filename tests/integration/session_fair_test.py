"""Two callers of sandbox sessions on one node: neither takes all of its places, and who waits in vain is told what to do."""
import concurrent.futures
import contextlib
import unittest

from harness import PATIENCE_S, Instance, main, wait_until
from session_client import SessionApi

PLACES = 4
SHARE = 2  # of the three that all callers of the namespace have


class FairSessions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        instance = Instance()
        instance.env.update(PADDOCK_NODE_AGENT_SESSIONS_MAX_PARALLEL=str(PLACES))
        cls.instance = unittest.enterModuleContext(instance)
        cls.api = SessionApi(cls.instance)
        cls.addClassCleanup(cls.api.close)
        wait_until("a node to take sessions", lambda: cls.api.create({"limits": {"timeoutMs": 3_600_000}}, name="many")[0] == 201)
        assert cls.api.create({"limits": {"timeoutMs": 600_000}}, name="one")[0] == 201

    def token(self, name):
        status, made = self.api.ask("POST", "/admin/tokens", {"subject": name, "namespace": "default", "scopes": ["runs:read", "runs:write"]})
        self.assertEqual(status, 201, made)
        return made["token"]

    def command(self, session, command, token):
        return self.api.ask("POST", self.api.sandboxes(session, "/commands"), {"command": command}, token=token)

    def test_one_caller_leaves_places_to_others(self):
        greedy, other = self.token("greedy"), self.token("other")
        with contextlib.ExitStack() as ended:
            pool = ended.enter_context(concurrent.futures.ThreadPoolExecutor(PLACES))
            ended.callback(self.api.destroy, "many")  # with all that sleeps there
            asked = [pool.submit(self.command, "many", "sleep 3600", greedy) for _ in range(SHARE + 1)]
            refused = next(concurrent.futures.as_completed(asked, timeout=PATIENCE_S)).result()
            self.assertEqual((refused[0], refused[1]["error"]["code"]), (429, "NODES_BUSY"), refused)
            self.assertIn(f"you hold {SHARE} of the {PLACES} places", refused[1]["error"]["message"])
            status, answer = self.command("one", "echo there", other)
            self.assertEqual((status, answer["stdout"]), (200, "there\n"), answer)
            status, answer = self.api.ask("PUT", self.api.sandboxes("one", "/files/a"), "a", {"Content-Type": "text/plain"}, token=other)
            self.assertIn(status, (200, 201, 204), answer)
            self.assertEqual(sum(each.done() for each in asked), 1, "the others sleep")


if __name__ == "__main__":
    main()
