"""Starts real Paddock instances for tests, each in a temporary folder of its own."""
import contextlib
import functools
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import traceback
import unittest

BIN = pathlib.Path(os.environ.get("PADDOCK_BIN_DIR", "build/bin")).resolve()
SOURCE = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", ".")).resolve()
PATIENCE_S = 180  # the longest a test waits for anything; never how long something takes
# Of a controller whose agents are killed and started again: a busy machine may keep one away for longer than the default lease.
LONG_LEASE = {"PADDOCK_CONTROLLER_NODES_LEASE": "10m", "PADDOCK_CONTROLLER_NODES_LOST_AFTER": "11m"}
# Of every other: the usual 15 s are as long as a busy machine may give an agent no processor, whose runs are then given up, and rightly.
PATIENT_LEASE = {"PADDOCK_CONTROLLER_NODES_LEASE": "60s", "PADDOCK_CONTROLLER_NODES_LOST_AFTER": "70s"}


def wait_until(what, condition, patience_s=PATIENCE_S):
    """Returns condition()'s first true answer, or fails naming what never came. What is costly to ask is asked less often, and
    so is what does not come soon: whoever waits leaves the processors to what it waits for, and waits a tenth too long at most."""
    began = time.monotonic()
    while (asked := time.monotonic()) < began + patience_s:
        answer = condition()
        if answer:
            return answer
        now = time.monotonic()
        time.sleep(min(max(0.02, 2 * (now - asked), (now - began) / 10), 0.5))
    raise AssertionError(f"waited {patience_s} s in vain for: {what}")


def with_more_time(attempt, *limits):
    """The first true answer of attempt(limit): for what has to come so far within a limit that is the product's own, while on a busy
    machine nobody may have a processor for that long. The last limit is more than any machine needs."""
    for limit in limits:
        if answer := attempt(limit):
            return answer
        print(f"not done within {limit}", file=sys.stderr)
    raise AssertionError(f"not done within {limits[-1]} either")


def in_time(test):
    """For a test of silence: whoever has no processor for as long as one may be silent there is given up, and rightly. Then once more,
    with six times of it."""
    @functools.wraps(test)
    def tried(self):
        try:
            return test(self)
        except AssertionError:
            traceback.print_exc()
        self.doCleanups()
        self.times = 6
        self.setUp()
        return test(self)
    return tried


def ended(pid):
    """No such process, or nothing is left of it but a zombie without threads."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return True
    return fields[0] in "ZX" and int(fields[17]) <= 1


def parent_of(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


@contextlib.contextmanager
def held_port():
    """A free port of 127.0.0.1 for a program of ours. It stays taken, though our programs may listen there: no other
    test is given it, neither before they do nor between their end and their next start."""
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


def command_of(pid):
    """The words of its command line; none of a process that is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def send(how, pid):
    """A signal for a process that may end, or have ended, meanwhile."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, how)


def ancestors(pid):
    """Its parent, the parent's parent and so on."""
    found = []
    while (pid := parent_of(pid)) > 0:
        found.append(pid)
    return found


def pids_running(script):
    """Every process with this argument."""
    pids = (int(entry.name) for entry in pathlib.Path("/proc").glob("[0-9]*"))
    return [pid for pid in pids if script.encode() in command_of(pid)]


def find_file(home, tail):
    """The file below `home` whose path ends so; folders that go away meanwhile do not matter, as they would to rglob."""
    for folder, _, names in os.walk(home):
        for name in names:
            if f"{folder}/{name}".endswith("/" + tail):
                return pathlib.Path(folder, name)
    raise AssertionError(f"no {tail} in {home}")


def paths_below(home, pattern):
    """Files and folders whose path ends like this pattern, as rglob finds them; what goes away meanwhile does not matter."""
    for folder, folders, names in os.walk(home):
        yield from (path for path in (pathlib.Path(folder, name) for name in folders + names) if path.match(pattern))


def contents_below(home, within="", ending=""):
    """Path and bytes of each file whose path has `within` and ends so, but for those that go away meanwhile; a socket has none."""
    for folder, _, names in os.walk(home):
        for path in (pathlib.Path(folder, name) for name in names):
            if within in str(path) and path.name.endswith(ending) and path.is_file():
                with contextlib.suppress(FileNotFoundError):
                    yield path, path.read_bytes()


class Instance:
    """`with Instance() as instance:` is an instance that is up; it is down again afterwards."""

    def __init__(self, name="test", home=None):
        self.name = name
        self._own_home = home is None
        self.home = pathlib.Path(home or tempfile.mkdtemp(prefix="paddock-it-"))
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("PADDOCK_")}
        self.env.update(PATIENT_LEASE, PADDOCK_HOME=str(self.home / "state"), PADDOCK_INSTANCE=name, NO_COLOR="1")
        self._ports = contextlib.ExitStack()

    def __enter__(self):
        self.up()
        return self

    def __exit__(self, *exc):
        self.run("down", check=False)
        if exc[0] is not None:
            self.print_logs()
        for leftover in self.processes():
            send(signal.SIGKILL, leftover)
        self._ports.close()
        if self._own_home:
            shutil.rmtree(self.home, ignore_errors=True)

    def up(self, *options):
        """At a port of its own, another one each time unless the controller is up. Where it was it can start again: the
        port goes to nobody else meanwhile, not even to an agent that looks for its controller there."""
        return self.run("up", "--port", self._ports.enter_context(held_port()), *options)

    def run(self, *args, check=True, timeout=PATIENCE_S * 2, **kwargs):
        done = subprocess.run([str(BIN / "paddock"), *map(str, args)], env=self.env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              timeout=timeout, **kwargs)
        if check and done.returncode != 0:
            self.print_logs()  # of an instance that outlives its test's failure nobody else does
            raise AssertionError(f"paddock {' '.join(map(str, args))} ended with {done.returncode}\n"
                                 f"stdout: {done.stdout[-3000:]}\nstderr: {done.stderr[-3000:]}")
        return done

    def start(self, *args, **kwargs):
        kwargs.setdefault("stdout", subprocess.PIPE)
        kwargs.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen([str(BIN / "paddock"), *map(str, args)], env=self.env, text=True,
                                stdin=subprocess.DEVNULL, **kwargs)

    def get(self, kind, name=None, *options):
        args = ["get", kind] + ([name] if name else []) + [*options, "-o", "json"]
        return json.loads(self.run(*args).stdout)

    def port(self):
        return json.loads(find_file(self.home, "controller.json").read_text())["port"]

    def admin_token(self):
        return find_file(self.home, "tokens/admin").read_text().strip()

    def trust(self):
        """TLS that trusts this instance's controller and nobody else."""
        return ssl.create_default_context(cafile=str(find_file(self.home, "tls/ca.pem")))

    def connect(self, timeout=60):
        return http.client.HTTPSConnection("127.0.0.1", self.port(), context=self.trust(), timeout=timeout)

    def ask(self, method, path, body=None, token=None):
        """One request to the API, as its admin unless a token is given; the answer's status and body."""
        connection = self.connect()
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"Authorization": f"Bearer {token or self.admin_token()}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}")
        finally:
            connection.close()

    def run_object(self, name):
        return self.get("run", name)

    def post_run(self, name, spec):
        """Creates a run by the API, as its admin; returns the answer's status and body."""
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Run", "metadata": {"name": name}, "spec": spec}
        return self.ask("POST", "/apis/paddock.dev/v1alpha1/namespaces/default/runs", body)

    def wait_phase(self, name, *phases):
        """The run, once it is in one of these phases. Asked by one connection, and not by a program each time."""
        with contextlib.closing(Looking(self, f"runs/{name}")) as run:
            return wait_until(f"{name} to be {' or '.join(phases)}",
                              lambda: (lambda r: r if r["status"]["phase"] in phases else None)(run.look() or self.run_object(name)))

    def wait_log(self, name, line):
        wait_until(f"{name} to say {line}", lambda: line in self.run("logs", name).stdout)

    def processes(self):
        """Pids of our programs whose environment names this instance's folder."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                exe = os.readlink(entry / "exe")
                environ = (entry / "environ").read_bytes()
                cmdline = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            mine = str(self.home).encode()
            if exe.startswith(str(BIN)) and (mine in environ or mine in cmdline) and not ended(int(entry.name)):
                found.append(int(entry.name))
        return found

    def pid_of(self, program):
        for pid in self.processes():
            try:
                if os.readlink(f"/proc/{pid}/exe") == str(BIN / program):
                    return pid
            except OSError:
                pass
        return None

    def launcher_of(self, script):
        """The launcher of the run with this script: it started the init that started the command."""
        mine = self.processes()
        return next((pid for pid in (parent_of(parent_of(job)) for job in pids_running(script)) if pid in mine), None)

    def kill(self, program):
        """SIGKILL, and returns once the process is gone."""
        self.kill_pid(self.pid_of(program), program)

    def kill_pid(self, pid, program):
        if pid is None:
            self.print_logs()  # they say why it ended by itself
            raise AssertionError(f"{program} is not running")
        os.kill(pid, signal.SIGKILL)
        wait_until(f"{program} to be gone", lambda: ended(pid))

    def print_logs(self):
        logs = (path for path, _ in contents_below(self.home, ending=".log"))
        for log in sorted(path for path in logs if path.name in ("latest.log", "previous.log")):
            print(f"--- {log.relative_to(self.home)}\n" + log.read_text(errors="replace")[-4000:], file=sys.stderr)


class Looking:
    """An object of the namespace `default` that is looked at again and again, as the instance's admin."""

    def __init__(self, instance, path):
        self._instance, self._path = instance, f"/apis/paddock.dev/v1alpha1/namespaces/default/{path}"
        self._connection = None

    def look(self):
        """The object, or None if the controller does not show it: it may be away, and then the next look is at another one."""
        try:
            if self._connection is None:
                self._connection, self._token = self._instance.connect(), self._instance.admin_token()
            self._connection.request("GET", self._path, headers={"Authorization": f"Bearer {self._token}"})
            answer = self._connection.getresponse()
            text = answer.read()
            return json.loads(text) if answer.status == 200 else None
        except (AssertionError, OSError, http.client.HTTPException, ValueError):
            self.close()
            return None

    def close(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def put_programs(folder):
    """Our programs in a new folder of that name; without a second copy of their hundreds of megabytes where the file
    system allows it."""
    def link_or_copy(source, target):
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)
    shutil.copytree(BIN, folder, copy_function=link_or_copy)


def why_no_disk():
    """Why this host gives a test no disk of its own; None if it does."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode != 0:
        return "a disk of its own needs root and mounts"
    return None


def make_project(folder, **files):
    """Writes files (name=content; __ stands for a dot) and returns the folder."""
    folder = pathlib.Path(folder)
    for name, content in files.items():
        path = folder / name.replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


class ProjectTest(unittest.TestCase):
    """Tests of one instance, each with an empty project folder of its own."""

    @classmethod
    def setUpClass(cls):
        cls.instance = Instance()
        cls.enterClassContext(cls.instance)

    def setUp(self):
        self.project = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-project-")))

    def cli(self, *words, code=0):
        """What a command did that has to end with `code`."""
        done = self.instance.run(*words, check=False)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done


def main():
    program = unittest.main(module="__main__", exit=False, argv=[sys.argv[0], *sys.argv[1:]])
    result = program.result
    if result.skipped and len(result.skipped) >= result.testsRun:  # a skipped class runs no test
        print("ALL TESTS SKIPPED: " + "; ".join(sorted({reason for _, reason in result.skipped})))
    sys.exit(0 if result.wasSuccessful() else 1)
