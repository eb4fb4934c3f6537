"""A connection that is lost before the answer to a creation came: what was asked for is there once, with what only the answer has."""
from bare_controller import BareController
from harness import main
from losing_proxy import LosingProxy


class LostAnswers(BareController):
    def setUp(self):
        super().setUp()
        self.start(PADDOCK_CONTROLLER_PLAIN_HTTP_ON_LOOPBACK="true")
        self.proxy = LosingProxy(int(self.url.rpartition(":")[2]))
        self.addCleanup(self.proxy.close)

    def ask(self, *words, by=None):
        done = self.paddock(*words, "--server", by or self.url, "--token-file", self.data / "tokens/admin")
        self.assertEqual(done.returncode, 0, done)
        return done

    def ask_and_lose(self, *words):
        self.proxy.lose_the_next_answer(len(self.proxy.connections))
        done = self.ask(*words, by=f"http://127.0.0.1:{self.proxy.port}")
        self.assertTrue(self.proxy.lost.is_set())
        return done

    def listed(self, *words, name):
        return [line for line in self.ask(*words).stdout.splitlines() if name in line]

    def test_a_token_for_a_person(self):
        made = self.ask_and_lose("admin", "token", "create", "unlucky", "--scope", "runs:read")
        left = self.listed("admin", "token", "list", name="unlucky")
        self.assertEqual(len(left), 1, left)
        self.assertTrue(left[0].startswith(made.stderr.split("token ")[1].split()[0]), "the one whose secret was shown")
        (self.folder / "secret").write_text(made.stdout)
        seen = self.paddock("get", "runs", "--server", self.url, "--token-file", self.folder / "secret")
        self.assertEqual(seen.returncode, 0, seen)

    def test_a_secret(self):
        (self.folder / "value").write_text("hunter2")
        self.ask_and_lose("secret", "create", "key", "--from-file", f"value={self.folder / 'value'}")
        self.assertEqual(len(self.listed("get", "secrets", name="key")), 1)


if __name__ == "__main__":
    main()
