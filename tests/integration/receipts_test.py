"""Receipts: signed by a controller, verified by its public keys where no controller is."""
import base64
import json
import pathlib
import subprocess
import tempfile
import unittest

from harness import BIN, Instance, find_file, main

CODE = "import pathlib; pathlib.Path('out/a.json').write_text('[1]'); print('tell nobody')"
CONNECT = "import socket; socket.create_connection(('192.0.2.1', 443), 2)"


class Receipts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.instance = cls.enterClassContext(Instance())
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.receipt, cls.keys = cls.folder / "receipt", cls.folder / "keys"
        work = cls.folder / "work"
        work.mkdir()
        (work / "job.py").write_text(CODE)
        cls.instance.run("compute", work, "python3 job.py", "--name", "train", "--artifact-dir", "out", "--output", cls.folder / "results")
        cls.receipt.write_text(cls.instance.run("receipt", "run/train").stdout)
        cls.keys.write_text(cls.instance.run("receipt-keys").stdout)

    def verify(self, receipt=None, keys=None, *options):
        """By a program that knows of no instance."""
        return subprocess.run([str(BIN / "paddock"), "verify", str(receipt or self.receipt), "--keys", str(keys or self.keys), *map(str, options)],
                              env={"HOME": str(self.folder), "PATH": "/nowhere"}, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=60)

    def refused(self, code, *args):
        done = self.verify(*args)
        codes = {"FILE_NOT_FOUND": 127, "RECEIPT_MALFORMED": 2, "SIGNING_KEY_INVALID": 2, "ROOT_NOT_FOUND": 2}
        self.assertEqual(done.returncode, codes.get(code, 1), done)
        self.assertIn(code, done.stderr)
        self.assertEqual(done.stdout, "")

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def statement(self):
        return json.loads(base64.b64decode(json.loads(self.receipt.read_text())["payload"]))

    def test_a_receipt_is_verified_without_a_controller(self):
        done = self.verify(None, None, "--artifacts", self.folder / "results")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("default/train", "Succeeded, OK rc 0", "enforced  all", "denied    nothing", "artifacts 1 here", 'command   ["python3","-u","job.py"]'):
            self.assertIn(word, done.stdout)

    def test_it_says_what_went_in_and_came_out_and_no_text_of_the_program(self):
        said = self.statement()
        self.assertIn("artifacts/out/a.json", [each["name"] for each in said["subject"]])
        self.assertEqual(said["predicate"]["inputs"][0]["digest"]["sha256"], self.instance.run_object("train")["status"]["workspaceRoot"])
        self.assertTrue(said["predicate"]["result"]["enforced"]["syscalls"]["applied"])
        self.assertNotIn("tell nobody", json.dumps(said))

    def test_openssl_agrees(self):
        envelope = json.loads(self.receipt.read_text())
        payload, kind = base64.b64decode(envelope["payload"]), envelope["payloadType"].encode()
        message = self.folder / "message"
        message.write_bytes(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload))
        signature = self.folder / "signature"
        signature.write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
        subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", self.keys, "-rawin", "-in", message, "-sigfile", signature],
                       check=True, stdout=subprocess.DEVNULL)

    def test_one_changed_byte_is_found(self):
        envelope = json.loads(self.receipt.read_text())
        said = base64.b64decode(envelope["payload"])
        for old, new in ((b'"Succeeded"', b'"Succeedee"'), (b'"applied":true', b'"applied":frue')):
            self.assertIn(old, said)
            changed = dict(envelope, payload=base64.b64encode(said.replace(old, new, 1)).decode())
            self.refused("RECEIPT_CHANGED", self.file("changed", json.dumps(changed)))
        self.refused("RECEIPT_MALFORMED", self.file("cut", self.receipt.read_text()[:-40]))
        self.refused("RECEIPT_MALFORMED", self.file("other", '{"payload": 1}'))
        self.refused("SIGNING_KEY_INVALID", None, self.file("empty", ""))

    # 1 is said of what was changed, and of nothing else.
    def test_what_cannot_be_read_was_not_changed(self):
        for unreadable in (self.folder / "nowhere", self.folder, self.file("large", " " * (9 << 20))):
            self.refused("RECEIPT_MALFORMED" if unreadable.exists() else "FILE_NOT_FOUND", unreadable)
            self.refused("SIGNING_KEY_INVALID", None, unreadable)
        self.refused("ROOT_NOT_FOUND", None, None, "--artifacts", self.folder / "nowhere")
        self.assertIn(f"there is no file `{self.folder}/nowhere`", self.verify(self.folder / "nowhere").stderr)
        self.assertIn("--keys", self.verify(None, self.folder / "nowhere").stderr)

    def test_another_controllers_keys_prove_nothing(self):
        with Instance("other") as other:
            self.refused("RECEIPT_KEY_UNKNOWN", None, self.file("others", other.run("receipt-keys").stdout))

    def test_a_changed_or_missing_artifact_is_found(self):
        wrong = self.folder / "wrong/out"
        wrong.mkdir(parents=True)
        (wrong / "a.json").write_text("[2]")
        self.refused("ARTIFACT_DIFFERS", None, None, "--artifacts", wrong.parent)
        (wrong / "a.json").unlink()
        (wrong / "a.json").symlink_to(self.folder / "results/out/a.json")
        self.refused("ARTIFACT_DIFFERS", None, None, "--artifacts", wrong.parent)
        (wrong / "a.json").unlink()
        self.refused("ARTIFACT_DIFFERS", None, None, "--artifacts", wrong.parent)

    def test_former_receipts_outlive_a_rotation_of_the_key(self):
        keys = self.file("rotated", self.instance.run("receipt-keys", "--rotate").stdout)
        done = self.verify(None, keys)
        self.assertEqual(done.returncode, 0, done)
        self.assertRegex(done.stdout, r"^signed by \S+ \(a former key\)\n")
        newer = self.file("newer", self.instance.run("receipt", "train").stdout)
        done = self.verify(newer, keys)
        self.assertEqual(done.returncode, 0, done)
        self.assertNotIn("former", done.stdout)
        self.refused("RECEIPT_KEY_UNKNOWN", newer)

    def test_a_key_that_is_named_wrongly_rotates_nothing(self):
        file = find_file(self.instance.home, "receipt-keys.pem")
        before, published = file.read_text(), self.instance.run("receipt-keys").stdout
        for words, code in ((("--rotate", "--to", "nope"), "PARAMETER_INVALID"), (("--to", "nope"), "USAGE")):
            done = self.instance.run("receipt-keys", *words, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertIn(code, done.stderr)
        self.assertEqual(file.read_text(), before)
        self.assertEqual(self.instance.run("receipt-keys").stdout, published)

    def test_a_rotation_that_was_not_recorded_is_taken_back_at_the_next_start(self):
        keys = find_file(self.instance.home, "receipt-keys.pem")
        before = keys.read_text()
        self.instance.run("down")
        half = keys.with_name("next-receipt-keys.pem")  # as a controller leaves it that was killed before the record
        half.write_text(subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519"], capture_output=True, text=True, check=True).stdout)
        self.instance.run("up")
        self.assertFalse(half.exists())
        self.assertEqual(keys.read_text(), before)

    def test_what_was_denied_stands_in_it(self):
        status, answer = self.instance.post_run("denied", {"type": "code", "code": CONNECT})
        self.assertEqual(status, 201, answer)
        self.instance.wait_phase("denied", "Failed")
        done = self.verify(self.file("denied", self.instance.run("receipt", "denied").stdout), self.file("now", self.instance.run("receipt-keys").stdout))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("192.0.2.1", done.stdout)


if __name__ == "__main__":
    main()
