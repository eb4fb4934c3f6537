"""The dashboard in headless Chromium, on a real instance: see browser_test.mjs, which this starts. Screenshots are left
in build/artifacts/dashboard-screenshots, or below $CI_ARTIFACTS."""
import contextlib
import hashlib
import json
import os
import pathlib
import secrets
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "integration"))
from harness import BIN, Instance, SOURCE, find_file, held_port, main  # noqa: E402
from node_environment_test import SEARCH, npm_install, npm_setting, why_no_registry  # noqa: E402

HERE = SOURCE / "tests" / "dashboard"
SCREENSHOTS = pathlib.Path(os.environ.get("CI_ARTIFACTS") or SOURCE / "build/artifacts").resolve() / "dashboard-screenshots"
GONE = "/dev/paddock-not-there"
ACCELERATORS = [{"kind": "nvidia", "id": "there", "model": "a card that is there", "nodes": ["/dev/zero"]},
                {"kind": "nvidia", "id": "gone", "model": "a card that is gone", "nodes": [GONE]}]


def why_not():
    if not shutil.which("npm", path=SEARCH) or not shutil.which("node", path=SEARCH):
        return "this host has no node and npm"
    if not shutil.which("chromium"):
        return "this host has no chromium: scripts/install-deps dashboard"
    return why_no_registry(npm_setting("registry"), "playwright-core")


def add_token(instance, name, scopes, name_space=""):
    """A token with fewer rights, put beside the instance's own; returns its secret."""
    secret = "pdk_" + secrets.token_urlsafe(32)
    with contextlib.closing(sqlite3.connect(find_file(instance.home, "paddock.db"))) as store, store:
        store.execute("INSERT INTO tokens (id, hash, subject, scopes, namespace, revoked) VALUES (?, ?, ?, ?, ?, 0)",
                      ("pdk-" + name, hashlib.sha256(secret.encode()).hexdigest(), name, scopes, name_space))
    return secret


class Dashboard(unittest.TestCase):
    def test_in_headless_chromium(self):
        if problem := why_not():
            self.skipTest(problem)
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-dashboard-")))
        for path in HERE.iterdir():
            if path.suffix in (".mjs", ".json"):
                shutil.copy(path, folder)
        npm_install(folder, "playwright-core", "ci")
        shutil.rmtree(SCREENSHOTS, ignore_errors=True)
        SCREENSHOTS.mkdir(parents=True)
        port = self.enterContext(held_port())  # fixed, so that the page finds the controller again after a restart
        instance = Instance()
        instance.env["PADDOCK_NODE_AGENT_ACCELERATORS"] = json.dumps(ACCELERATORS)
        instance.up = lambda *options: instance.run("up", "--port", str(port), *options)
        with instance:
            settings = {"url": f"https://127.0.0.1:{port}", "port": port, "paddock": str(BIN / "paddock"),
                        "token": instance.admin_token(),
                        "viewer": add_token(instance, "viewer", "runs:read"), "team": add_token(instance, "team", "*", "team"),
                        "node": instance.get("nodes")["items"][0]["metadata"]["name"],
                        "gone": GONE, "chromium": shutil.which("chromium"), "screenshots": str(SCREENSHOTS)}
            ca = find_file(instance.home, "tls/ca.pem")
            done = subprocess.run(["node", "--test", "--test-reporter=spec", "browser_test.mjs"], cwd=folder, text=True, timeout=1500,
                                  env={**instance.env, "PATH": SEARCH, "NODE_EXTRA_CA_CERTS": str(ca), "DASHBOARD_TEST": json.dumps(settings)},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(done.stdout)
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    main()
