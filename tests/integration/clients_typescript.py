"""The TypeScript client against a live instance: under Node, packed and installed, and in a browser."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from client_ignore_test import PIECES, key_rows, table_rows
from clients_instance import EXAMPLES, USING, WithInstance
from harness import SOURCE
from node_environment_test import SEARCH, npm_install, npm_setting, why_no_registry
from paddock._folder import contents_of
from paddock._ignore import BUILT_IN, SECRETS, Rules

TYPESCRIPT = SOURCE / "clients" / "typescript"


def make_project(folder):
    """One of each that is treated in its own way."""
    for path in ("sub", "runs/3", "empty/within", "node_modules/m", "venv", "home/controller/tokens", "ä"):
        (folder / path).mkdir(parents=True)
    files = {"sub/run.sh": "#!/bin/sh\necho ran", "runs/3/model.txt": "the model\n", ".gitignore": "*.log\n!kept.log\n", "sub/.gitignore": "/only\n",
             "sub/only": "", "a.log": "", "kept.log": "", ".env": "secret", "node_modules/m/a.js": "", "venv/pyvenv.cfg": "", "ä/ö.txt": "",
             "deploy": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n", "home/controller/paddock.db": "", "home/controller/tokens/admin": "secret", "wide-\U0001f600.txt": "", "wide-\uffee.txt": ""}
    for path, text in files.items():
        (folder / path).write_text(text)
    (folder / "sub/run.sh").chmod(0o755)
    for path, target in {"latest": "./runs//3", "away": "../x", "absolute": "/etc", "loop": "loop", "up": "runs/..", "config": ".env", "key": "deploy"}.items():
        os.symlink(target, folder / path)
    os.mkfifo(folder / "fifo")


@unittest.skipUnless(shutil.which("npm", path=SEARCH) and shutil.which("node", path=SEARCH), "this host has no node and npm")
class TypeScriptClient(WithInstance):
    @classmethod
    def setUpClass(cls):
        if problem := why_no_registry(npm_setting("registry"), "typescript"):
            raise unittest.SkipTest(problem)
        super().setUpClass()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="paddock-ts-")), "paddock")
        shutil.copytree(TYPESCRIPT, cls.folder, ignore=shutil.ignore_patterns("node_modules", "dist", "build"))
        npm_install(cls.folder, "typescript", "ci")
        # Packing builds it, once for all of the suite.
        packed = subprocess.run(["npm", "pack", "--silent", "--pack-destination", cls.folder.parent], cwd=cls.folder, check=True,
                                env={**os.environ, "PATH": SEARCH}, stdout=subprocess.PIPE, text=True)
        cls.packed = cls.folder.parent / packed.stdout.strip().splitlines()[-1]

    def test_its_own_suites(self):
        found = self.run_program("npm", "test", cwd=self.folder)
        self.assertRegex(found, r"(?m)^# skipped 0$|^. skipped 0$")
        self.assertRegex(found, r"(?m)^# fail 0$|^. fail 0$")

    def test_it_is_built_without_a_dependency_and_its_example_runs(self):
        self.assertEqual(json.loads((self.folder / "package.json").read_text()).get("dependencies", {}), {})
        modules = self.folder.parent / "node_modules"
        modules.mkdir()
        (modules / "paddock").symlink_to(self.folder)
        shutil.copy(EXAMPLES / "run.mjs", self.folder.parent)
        self.assertIn("out/sum.txt 500000500000", self.run_program("node", "run.mjs", cwd=self.folder.parent))

    def test_packed_and_installed_into_an_empty_folder_it_serves_a_strict_program_of_node(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-packed-")))
        project = folder / "project"
        make_project(project)
        (folder / "package.json").write_text('{"type": "module", "private": true}')
        self.run_program("npm", "install", "--offline", "--no-audit", "--no-fund", self.packed, cwd=folder)
        shutil.copy(USING.with_suffix(".ts"), folder)
        for types_of_node in ("@types", "undici-types"):
            (folder / "node_modules" / types_of_node).symlink_to(self.folder / "node_modules" / types_of_node)
        self.run_program(self.folder / "node_modules/.bin/tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--types", "node",
                         "--lib", "es2022,esnext.disposable,dom", "using_paddock.ts", cwd=folder)
        given = json.dumps({"server": self.server, "token": self.token, "ca": self.ca, "project": str(project)})
        env = {**self.instance.env, "PATH": SEARCH}
        done = subprocess.run(["node", "using_paddock.js", given], cwd=folder, env=env, text=True, capture_output=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        printed = done.stdout.splitlines()
        self.assertEqual(printed[:5], ["SERVER_NOT_TRUSTED false true", "SERVER_NOT_TRUSTED", "CA_FILE_UNREADABLE", "TLS_REQUIRED", "RUN_NOT_FOUND"])
        ours, theirs = contents_of(project), json.loads(printed[5])
        self.assertEqual(theirs["files"], list(ours.files))
        self.assertEqual(list(theirs["links"].items()), ours.links)
        self.assertEqual(theirs["folders"], ours.folders)
        self.assertEqual(sorted((each["path"], each["why"]) for each in theirs["leftOut"]), sorted(ours.left_out))
        self.assertIn(["sub/run.sh", True], json.loads(printed[6]))
        self.assertEqual(printed[7:], ["ran the model end", "Error: enough"])

    def test_its_rules_of_what_is_left_out_are_those_of_python_and_the_command_line(self):
        chosen = random.Random(11)
        text = lambda pieces, most: "".join(chosen.choice(pieces) for _ in range(chosen.randint(1, most)))
        cases = [{"rules": "".join(text(PIECES, 5) + "\n" for _ in range(4)),
                  "paths": ["/".join(text(["a", "b", "c", "ab", "*", "-"], 2) for _ in range(chosen.randint(1, 4))) for _ in range(40)]}
                 for _ in range(150)]
        rows, keys = table_rows(), key_rows()
        program = ('import { BUILT_IN, SECRETS, Rules, wildmatch } from "./dist/ignore.js"; import { readFileSync } from "node:fs";'
                   'import { beginsWithPrivateKey } from "./dist/private_key.js";'
                   'const { cases, rows, keys } = JSON.parse(readFileSync(0, "latin1"));'
                   'const out = (rules, path) => path.split("/").some((_, at, all) => rules.leaveOut(all.slice(0, at + 1).join("/"), at + 1 < all.length));'
                   'console.log(JSON.stringify({ builtIn: BUILT_IN, secrets: SECRETS, rows: rows.map(([p, t]) => wildmatch(p, t)), keys: keys.map(beginsWithPrivateKey),'
                   'cases: cases.map(({ rules, paths }) => { const r = new Rules(); r.add("", rules); return paths.map((p) => out(r, p)); }) }));')
        asked = json.dumps({"cases": cases, "rows": [[pattern.decode("latin1"), text.decode("latin1")] for pattern, text, _ in rows],
                            "keys": [text.decode("latin1") for text, _ in keys]})
        found = json.loads(self.run_program("node", "--input-type=module", "-e", program, cwd=self.folder, input=asked))
        self.assertEqual((found["builtIn"].encode(), found["secrets"].encode()), (BUILT_IN, SECRETS))
        self.assertEqual(found["rows"], [matches for _, _, matches in rows])
        self.assertEqual(found["keys"], [key for _, key in keys])
        for case, theirs in zip(cases, found["cases"]):
            rules = Rules()
            rules.add(b"", case["rules"].encode())
            parts = [path.encode().split(b"/") for path in case["paths"]]
            ours = [any(rules.leave_out(b"/".join(each[:end]), end < len(each)) for end in range(1, len(each) + 1)) for each in parts]
            self.assertEqual(theirs, ours, case)

    @unittest.skipUnless(shutil.which("chromium"), "this host has no chromium: scripts/install-deps dashboard")
    def test_in_a_browser_on_a_page_of_an_origin_that_the_operator_named_and_on_no_other(self):
        shutil.copy(USING.with_suffix(".html"), self.folder)
        (self.folder / "server.json").write_text(json.dumps({"baseUrl": self.server, "token": self.token}))
        found = self.pages.open(self.folder, "using_paddock.html")
        self.assertEqual(found, {"output": "ran\n", "phase": "Succeeded", "artifact": "of a page", "lines": "2 a.txt\n", "code": "42\n",
                                 "missing": "RUN_NOT_FOUND", "unknown": "TOKEN_UNKNOWN"})
        elsewhere = self.pages.open(self.folder, "using_paddock.html", "localhost")
        self.assertEqual(elsewhere, {"error": "CONNECTION_LOST"})

    def test_its_lock_names_no_address(self):
        lock = json.loads((TYPESCRIPT / "package-lock.json").read_text())
        for name, package in lock["packages"].items():
            self.assertNotIn("resolved", package, name)
            self.assertTrue(not name or package["integrity"].startswith("sha512-"), name)
