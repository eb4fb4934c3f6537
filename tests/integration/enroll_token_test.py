"""The token that enrols any node: made unless `enrollToken: false`, which ends the one that was there."""
import os
import re
import shlex

from bare_controller import BareController
from harness import main


class EnrollToken(BareController):
    def setUp(self):
        super().setUp()
        self.token = self.data / "tokens/enroll"

    def join_by_file(self, name, secret):
        (self.folder / "secret").write_text(secret)
        return self.join(name, "--server", self.url, "--ca-file", self.data / "tls/ca.pem", "--token-file", self.folder / "secret")

    def test_one_that_was_made_is_refused_by_name_once_it_is_off(self):
        end = self.start()
        secret = self.token.read_text()
        self.assertEqual(self.join_by_file("first", secret).returncode, 0, "unless it is off")
        end()

        end = self.start(PADDOCK_CONTROLLER_ENROLL_TOKEN="false")
        self.assertFalse(self.token.exists())
        self.assertTrue((self.data / "tokens/admin").exists())
        refused = self.join_by_file("second", secret)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("[TOKEN_REVOKED]", refused.stderr)
        self.assertIn("paddock node token NAME", refused.stderr)
        self.assertFalse(self.has_joined("second"))

        made = self.paddock("node", "token", "third", "--server", self.url, "--ca-file", self.data / "tls/ca.pem",
                            "--token-file", self.data / "tokens/admin")
        line = shlex.split(re.search(r"(?m)^  (paddock node join .*)$", made.stderr).group(1))
        joined = self.paddock("node", "join", *self.host("third"), *line[3:])
        self.assertEqual(joined.returncode, 0, joined.stderr)
        end()

        self.start()  # on again: another one, and the first stays refused
        self.assertNotEqual(self.token.read_text(), secret)
        self.assertEqual(self.join_by_file("fourth", self.token.read_text()).returncode, 0)
        self.assertIn("[TOKEN_REVOKED]", self.join_by_file("fifth", secret).stderr)

    def test_a_controller_that_never_made_one_makes_none(self):
        self.start(PADDOCK_CONTROLLER_ENROLL_TOKEN="false")
        self.assertEqual(sorted(os.listdir(self.data / "tokens")), ["admin"])


if __name__ == "__main__":
    main()
