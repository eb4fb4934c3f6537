"""Another folder in the place of a controller's own while it runs, as where a mount goes away over an older one: nothing of that is
served, nothing is written there, and what was there before goes on once it is back."""
import http.client
import shutil

from bare_controller import BareController
from harness import main


class LostFolder(BareController):
    def ready(self):
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=60)
        self.addCleanup(connection.close)
        connection.request("GET", "/readyz")
        return connection.getresponse().status

    def paddock_as_admin(self, *words):
        return self.paddock(*words, "--server", self.url, "--token-file", self.folder / "token", "--patience", "0s")

    def swap(self, away, comes):
        self.data.rename(self.folder / away)
        (self.folder / comes).rename(self.data)

    def test_an_older_one_is_not_taken_for_it(self):
        self.start(PADDOCK_CONTROLLER_PLAIN_HTTP_ON_LOOPBACK="true")()
        shutil.copytree(self.data, self.folder / "older")
        self.start(PADDOCK_CONTROLLER_PLAIN_HTTP_ON_LOOPBACK="true")
        shutil.copy(self.data / "tokens/admin", self.folder / "token")
        project = self.folder / "project"
        project.mkdir()
        (project / "a.py").write_text("print(1)\n")
        before = {path: path.read_bytes() for path in (self.folder / "older").rglob("*") if path.is_file()}
        self.assertEqual(self.ready(), 200)
        self.swap("own", "older")
        self.assertEqual(self.ready(), 503)
        for reason, *words in (["STORE_IO", "get", "runs"], ["STORE_IO", "admin", "token", "create", "lost", "--scope", "runs:read"],
                               ["CONTROLLER_NOT_READY", "compute", project, "python3 a.py", "--detach"]):
            refused = self.paddock_as_admin(*words)
            self.assertNotEqual(refused.returncode, 0, refused)
            self.assertIn(reason, refused.stderr)
        self.swap("older", "own")
        self.assertEqual(self.ready(), 200)
        self.assertEqual(self.paddock_as_admin("get", "runs").returncode, 0)
        self.assertEqual({path: path.read_bytes() for path in (self.folder / "older").rglob("*") if path.is_file()}, before)


if __name__ == "__main__":
    main()
