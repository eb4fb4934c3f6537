"""What the Python client leaves out of a folder, decided by it, by git and by `paddock compute`'s own table."""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import SOURCE, main

sys.path.insert(0, str(SOURCE / "clients" / "python"))
from paddock._folder import contents_of  # noqa: E402
from paddock._ignore import BUILT_IN, SECRETS, Rules, wildmatch  # noqa: E402
from paddock._private_key import begins_with_private_key  # noqa: E402

PIECES = ["a", "b", "c", "*", "**", "?", "/", "/", "!", "\\", "[ab]", "[!a]", "**/", "/**", " ", "a/", "#", "-", "[a-c]", "\\*",
          "[", "]", "[[:alpha:]]", "***", "[[:nonsense:]]", "[b-]", "[^-a]"]


def table_rows():
    """The command line's own table: pattern, text, whether it matches."""
    source = (SOURCE / "common/cas/ignore_test.cc").read_text()
    table = source[source.index("FollowsTheTable"):source.index("StaysFast")]
    rows = re.findall(r'\{"((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)", (true|false)\}', table)
    plain = lambda text: text.encode().decode("unicode_escape").encode()
    return [(plain(pattern), plain(text), matches == "true") for pattern, text, matches in rows]


def key_rows():
    """The same of private keys: how a file begins, whether it is one."""
    source = (SOURCE / "common/cas/private_key_test.cc").read_text()
    rows = re.findall(r'\{"((?:[^"\\]|\\.)*)", (true|false)\},', source)
    return [(text.encode().decode("unicode_escape").encode(), key == "true") for text, key in rows]


class Ignoring(unittest.TestCase):
    def test_every_row_of_the_command_lines_own_table(self):
        rows = table_rows()
        self.assertGreater(len(rows), 35)
        for pattern, text, matches in rows:
            self.assertEqual(wildmatch(pattern, text), matches, (pattern, text))

    def test_a_pattern_made_to_be_slow_is_not(self):
        self.assertFalse(wildmatch(b"*a" * 200 + b"b", b"a" * 600))
        self.assertFalse(wildmatch(b"**/" + b"/".join([b"**/a"] * 60) + b"/b", b"/".join([b"a"] * 300)))

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_random_rules_as_git_decides_them(self):
        chosen = random.Random(7)
        text = lambda pieces, most: "".join(chosen.choice(pieces) for _ in range(chosen.randint(1, most)))
        with tempfile.TemporaryDirectory() as home:
            env = {"HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}
            git = lambda *words, **more: subprocess.run(["git", "-C", home, *words], env=env, capture_output=True, **more)
            git("init", "-q")
            for _ in range(80):
                given = "".join(text(PIECES, 5) + "\n" for _ in range(4))
                (pathlib.Path(home) / ".gitignore").write_text(given)
                asked = ["/".join(text(["a", "b", "c", "ab", "*", "-"], 2) for _ in range(chosen.randint(1, 4))) for _ in range(60)]
                answer = git("check-ignore", "--no-index", "-z", "--stdin", input="\0".join(asked).encode()).stdout
                theirs = set(answer.decode().split("\0"))
                rules = Rules()
                rules.add(b"", given.encode())
                for path in asked:
                    parts = path.encode().split(b"/")
                    ours = any(rules.leave_out(b"/".join(parts[:end]), end < len(parts)) for end in range(1, len(parts) + 1))
                    self.assertEqual(ours, path in theirs, f"{path} under\n{given}")

    def test_a_folder_is_read_as_its_rule_files_say(self):
        with tempfile.TemporaryDirectory() as home:
            root = pathlib.Path(home)
            files = {".gitignore": "*.log\n.env\n/build/\n", ".paddockignore": "!kept.log\n", "a.log": "", "kept.log": "", ".env": "secret",
                     "build/x": "", "sub/build/x": "", "sub/.gitignore": "*\n!.gitignore\n!in.txt\n", "sub/in.txt": "", "sub/out.txt": "",
                     "node_modules/m/index.js": "", ".git/config": "", "sub/__pycache__/x.pyc": "", "ä/b.txt": ""}
            for name, content in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content)
            found = contents_of(root).files
            self.assertEqual(list(found), [".gitignore", ".paddockignore", "kept.log", "sub/.gitignore", "sub/in.txt", "ä/b.txt"])
            for path, file in found.items():
                self.assertEqual(file.read_text(), files[path])

    def test_the_built_in_rules_are_the_command_lines(self):
        source = (SOURCE / "common/cas/ignore.cc").read_text()
        for name, ours in (("built_in_folder_rules", BUILT_IN), ("built_in_secret_rules", SECRETS)):
            body = source[source.index(f"> {name}("):]
            call = body[body.index("parse_ignore_rules("):body.index(");")]
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call))
            self.assertEqual(text.encode().decode("unicode_escape").encode(), ours)

    def test_links_folders_and_secrets_are_treated_as_the_command_line_does(self):
        with tempfile.TemporaryDirectory() as home:
            root = pathlib.Path(home, "in")
            for folder in ("runs/3", "out/cache", "venv", "home/controller/tokens"):
                (root / folder).mkdir(parents=True)
            (root / ".git").mkdir()
            for name in ("runs/3/model.bin", ".git/config", ".env", ".env.example", "venv/pyvenv.cfg", "home/controller/paddock.db", "home/controller/tokens/admin", ".gitignore"):
                (root / name).write_text("!.env\n!.git/\n!controller/\n")
            for path, target in {"latest": "runs/3", "best": "./latest//model.bin", "runs/up": "..", "away": "../x", "absolute": "/etc",
                                 "dangling": "nothing", "loop": "loop", "round": "runs/../runs", "config": ".env"}.items():
                os.symlink(target, root / path)
            os.mkfifo(root / "fifo")
            found = contents_of(root)
            self.assertEqual(list(found.files), [".env.example", ".gitignore", "runs/3/model.bin"])
            self.assertEqual(found.links, [("best", "latest/model.bin"), ("latest", "runs/3"), ("runs/up", "..")])
            self.assertEqual(found.folders, ["home", "out/cache"])
            self.assertEqual({path for path, _ in found.left_out},
                             {".env", ".git/", "venv/", "home/controller/", "away", "absolute", "dangling", "loop", "round", "config", "fifo"})
            self.assertEqual([path for path, why in found.left_out if "secret" in why], [path for path, _ in found.left_out[:2]])
            self.assertEqual({path for path, _ in found.left_out[:2]}, {".env", "home/controller/"})
            (root / ".paddockignore").write_text("!.env\n!venv/\n")
            self.assertLessEqual({".env", "venv/pyvenv.cfg"}, set(contents_of(root).files))

    def test_a_private_key_is_known_as_the_command_line_knows_it(self):
        rows = key_rows()
        self.assertGreater(len(rows), 25)
        for text, key in rows:
            self.assertEqual(begins_with_private_key(text), key, text)
            self.assertEqual(begins_with_private_key(b"\xef\xbb\xbf" + text), key, text)

    def test_a_private_key_stays_behind_under_any_name_unless_it_is_named(self):
        with tempfile.TemporaryDirectory() as home:
            root, key = pathlib.Path(home), "-----BEGIN PRIVATE KEY-----\nMIIE\n"
            for name, text in {"deploy": key, "large": key + "x" * (1 << 20), "cert.pem": "-----BEGIN CERTIFICATE-----\n", ".gitignore": "!deploy\n"}.items():
                (root / name).write_text(text)
            os.symlink("deploy", root / "current")
            found = contents_of(root)
            self.assertEqual((list(found.files), found.links), ([".gitignore", "cert.pem", "large"], []))
            self.assertEqual([path for path, _ in found.left_out], ["deploy", "current"])
            self.assertTrue(found.left_out[0][1].startswith("a secret"))
            (root / ".paddockignore").write_text("!deploy\n")
            found = contents_of(root)
            self.assertIn("deploy", found.files)
            self.assertEqual((found.links, found.left_out), ([("current", "deploy")], []))


if __name__ == "__main__":
    main()
