"""Two controllers on one database, and the keys in their data folders: what one sealed or signed, and the other does not have."""
import json
import shutil

from controller_pair import RUNS, ControllerPair
from harness import main, wait_until

SECRETS = "/apis/paddock.dev/v1alpha1/namespaces/default/secrets"


def secret(name):
    return {"apiVersion": "paddock.dev/v1alpha1", "kind": "Secret", "metadata": {"name": name}, "stringData": {"p": f"value-of-{name}"}}


class Keys(ControllerPair):
    def make(self, controller, name):
        """The status, and the code of a refusal."""
        status, _, text = controller.ask(SECRETS, "POST", secret(name), patience=30)
        return status, json.loads(text).get("error", {}).get("code")

    def lead(self, controller, other):
        self.lose(other)
        wait_until("the other one to lead", controller.is_ready)

    def said(self, controller, reason):
        return any(each.get("reason") == reason for each in controller.records())

    def test_a_secret_is_sealed_with_the_key_of_the_store_alone(self):
        self.assertEqual(self.make(self.one, "one"), (201, None))
        (self.two.folder / "secrets.key").write_text("paddock secret keys 1\n0011223344556677 " + "5a" * 32 + "\n")
        own = (self.two.folder / "secrets.key").read_text()
        self.begin_standby()
        wait_until("the standby to say so", lambda: self.said(self.two, "SECRET_KEY_MISSING"))
        self.lead(self.two, self.one)
        self.assertEqual(self.make(self.two, "two"), (422, "SECRET_KEY_MISSING"))
        self.assertEqual(self.two.ask("/admin/secret-key/rotate", "POST", {}, 30)[0], 422)
        self.assertEqual((self.two.folder / "secrets.key").read_text(), own, "no key was made")
        self.assertEqual(json.loads(self.two.ask("/status")[2])["secrets"]["reason"], "SECRET_KEY_MISSING")
        # As the refusal says: appended, and nothing taken out.
        (self.two.folder / "secrets.key").write_text(own + (self.one.folder / "secrets.key").read_text())
        self.assertEqual(self.make(self.two, "two"), (201, None))
        self.begin(self.one)
        wait_until("the first to wait", self.one.refuses)
        self.lead(self.one, self.two)
        self.assertNotIn("secrets", json.loads(self.one.ask("/status")[2]), "the first one opens what the second sealed")

    def rotate(self, key=""):
        status, _, text = self.one.ask(f"/admin/secret-key/rotate{key and '?key='}{key}", "POST", {}, 30)
        return status, json.loads(text)

    def test_a_key_that_standbys_lack_seals_nothing(self):
        """Else all Secrets would be lost with the leader's host."""
        self.assertEqual(self.make(self.one, "one"), (201, None))
        file = self.one.folder / "secrets.key"
        (self.two.folder / "secrets.key").write_text(file.read_text())
        self.begin_standby()
        wait_until("the standby to read", lambda: (self.two.ask(RUNS) or [0])[0] == 200)
        self.assertTrue(self.one.post("heard"))  # a transaction, which finds that somebody follows
        old = file.read_text().split()[-2]
        status, answer = self.rotate()
        self.assertEqual((status, answer["error"]["code"]), (422, "STANDBY_FILES_DIFFER"), answer)
        new = file.read_text().split()[-2]
        self.assertNotEqual(new, old)
        self.assertIn(f"--to {new}`", answer["error"]["message"])
        sealed_with = "SELECT string_agg(DISTINCT key_id, ' ') FROM secret_values"
        self.assertEqual(self.server.query(sealed_with), old)
        for wrong in (old, "0011223344556677"):
            status, answer = self.rotate(wrong)
            self.assertEqual((status, answer["error"]["code"]), (400, "PARAMETER_INVALID"), answer)
        with open(self.two.folder / "secrets.key", "a") as copy:
            copy.write(file.read_text())
        status, answer = self.rotate(new)
        self.assertEqual((status, answer.get("keyId")), (200, new), answer)
        self.assertEqual(self.server.query(sealed_with), new)
        self.assertNotIn(old, file.read_text())
        self.lead(self.two, self.one)
        self.assertNotIn("secrets", json.loads(self.two.ask("/status")[2]), "it opens what the first one sealed")

    def receipt_keys(self, controller):
        return {each["keyId"]: each["current"] for each in json.loads(controller.ask("/receipt-keys")[2])["items"]}

    def checkpoint(self, controller):
        """Something that is signed: the status, and the key that signed or the code of the refusal."""
        status, _, text = controller.ask("/audit/checkpoint", patience=30)
        answer = json.loads(text)
        return status, answer["signatures"][0]["keyid"] if status == 200 else answer["error"]["code"]

    def rotate_receipts(self, key=""):
        status, _, text = self.one.ask(f"/admin/receipt-key/rotate{key and '?key='}{key}", "POST", {}, 30)
        return status, json.loads(text)

    def waiting_key(self):
        status, answer = self.rotate_receipts()
        self.assertEqual((status, answer["error"]["code"]), (422, "STANDBY_FILES_DIFFER"), answer)
        return answer["error"]["message"].split("--to ")[1].rstrip("`")

    def test_a_key_of_receipts_that_standbys_lack_signs_nothing(self):
        """Else no receipt is signed once another one leads, until somebody has copied the key."""
        _, old = self.checkpoint(self.one)
        file = self.one.folder / "receipt-keys.pem"
        (self.two.folder / "receipt-keys.pem").write_text(file.read_text())
        self.begin_standby()
        wait_until("the standby to read", lambda: (self.two.ask(RUNS) or [0])[0] == 200)
        self.assertTrue(self.one.post("heard"))  # a transaction, which finds that somebody follows
        new = self.waiting_key()
        self.assertEqual(self.checkpoint(self.one), (200, old), "it goes on as before")
        status, answer = self.rotate_receipts(old)
        self.assertEqual((status, answer["error"]["code"]), (400, "PARAMETER_INVALID"), answer)
        (self.two.folder / "receipt-keys.pem").write_text(file.read_text())
        self.assertEqual(self.rotate_receipts(new)[0], 200)
        self.assertEqual(self.checkpoint(self.one), (200, new))
        self.lead(self.two, self.one)
        self.assertEqual(self.checkpoint(self.two), (200, new), "nobody had to copy anything")
        self.assertEqual(self.receipt_keys(self.two), {new: True, old: False})

    def test_keys_that_come_into_the_shared_folder_later_are_taken(self):
        shared = self.folder / "shared"
        shared.mkdir()
        for name, source in {"ca.pem": "tls/ca.pem", "ca-key.pem": "tls/ca-key.pem", "admin-token": "tokens/admin",
                             "enroll-token": "tokens/enroll"}.items():
            shutil.copy(self.one.folder / source, shared / name)
        (self.two.folder / "secrets.key").write_text("paddock secret keys 1\n0011223344556677 " + "5a" * 32 + "\n")
        (shared / "secrets.key").write_text((self.two.folder / "secrets.key").read_text())
        self.checkpoint(self.one)
        shutil.copy(self.one.folder / "receipt-keys.pem", shared)
        self.env["PADDOCK_CONTROLLER_STORE_POSTGRES_SHARED_DIR"] = str(shared)
        self.begin_standby()
        wait_until("the standby to read", lambda: (self.two.ask(RUNS) or [0])[0] == 200)
        self.assertEqual(self.make(self.one, "one"), (201, None))
        shutil.copy(self.one.folder / "secrets.key", shared)
        self.assertEqual(self.rotate_receipts(self.waiting_key())[0], 200)
        _, signer = self.checkpoint(self.one)
        shutil.copy(self.one.folder / "receipt-keys.pem", shared)
        self.lead(self.two, self.one)
        self.assertNotIn("secrets", json.loads(self.two.ask("/status")[2]))
        self.assertEqual(self.make(self.two, "two"), (201, None))
        self.assertEqual(self.checkpoint(self.two), (200, signer))

    def test_keys_of_receipts_are_published_by_whoever_leads(self):
        _, first = self.checkpoint(self.one)
        (self.two.folder / "receipt-keys.pem").write_text((self.one.folder / "receipt-keys.pem").read_text())
        self.assertEqual(self.one.ask("/admin/receipt-key/rotate", "POST", {}, 30)[0], 200)
        status, second = self.checkpoint(self.one)
        self.assertEqual(status, 200)
        self.assertNotEqual(second, first)
        self.begin_standby()
        self.lead(self.two, self.one)
        self.assertEqual(self.receipt_keys(self.two), {second: True, first: False})
        self.assertEqual(self.checkpoint(self.two), (422, "STANDBY_FILES_DIFFER"), "a key that was replaced signs nothing")
        (self.two.folder / "receipt-keys.pem").write_text((self.one.folder / "receipt-keys.pem").read_text())
        self.assertEqual(self.checkpoint(self.two), (200, second))
        self.assertEqual(self.receipt_keys(self.two), {second: True, first: False})


if __name__ == "__main__":
    main()
