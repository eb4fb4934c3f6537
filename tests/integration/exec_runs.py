"""Runs that commands are executed in (`paddock exec`), for the suites that do."""
import contextlib
import json
import pathlib
import subprocess
import urllib.parse

from harness import BIN, PATIENCE_S, ProjectTest, ended, wait_until

PATIENT = "echo READY; echo hi > note; while [ ! -e go ]; do sleep 0.05; done; echo DONE"


def sleepers(seconds):
    """Pids of the sleeps of this length, on whose behalf we wait."""
    wanted, found = f"sleep\0{seconds}\0".encode(), []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if (entry / "cmdline").read_bytes() == wanted and not ended(int(entry.name)):
                    found.append(int(entry.name))
    return found


class ExecTest(ProjectTest):
    def begin(self, name, script=PATIENT, *options):
        self.instance.run("run", "--detach", "--name", name, *options, "--", "sh", "-c", script)
        wait_until(f"{name} to be ready", lambda: "READY" in self.instance.run("logs", name).stdout)

    def exec(self, name, *words, options=(), **kwargs):
        return self.instance.run("exec", name, *options, "--", *words, check=False, **kwargs)

    def feeding(self, name, *words, options=("-i",), stdin=subprocess.PIPE):
        return subprocess.Popen([str(BIN / "paddock"), "exec", *options, name, "--", *words], env=self.instance.env,
                                stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def feed(self, name, given, *words, options=("-i",)):
        process = self.feeding(name, *words, options=options)
        out, err = process.communicate(given, timeout=2 * PATIENCE_S)
        return process.returncode, out, err.decode()

    def end(self, name, phase="Succeeded"):
        # The run may end, and its commands with it, before this one's own end is known.
        wait_until(f"{name} to be told to end", lambda: self.exec(name, "touch", "go").returncode == 0
                   or self.instance.run_object(name)["status"]["phase"] != "Running")
        return self.instance.wait_phase(name, phase)

    def connect(self):
        return self.instance.connect(PATIENCE_S)

    def admin(self):
        return self.instance.admin_token()

    def call(self, method, path, body=None, token=None):
        token = token or self.admin()
        connection = self.connect()
        try:
            connection.request(method, path if path.startswith(("/admin", "/audit")) else "/apis/paddock.dev/v1alpha1" + path, None if body is None else json.dumps(body),
                               {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def events(self, run, **query):
        _, log = self.call("GET", "/audit?" + urllib.parse.urlencode({"session": run["metadata"]["uid"], **query}))
        return [e for e in log["items"] if "/exec/" in e.get("command_id", "")]
