"""A PostgreSQL server in a folder of its own, and a pgbouncer before it, both as an ordinary user: they refuse root."""
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading

from harness import PATIENCE_S, wait_until

PROGRAMS = next((path.parent for path in sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))), None)
BOUNCER = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")


def _as():
    """Whom the server runs as, where we are root."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name for entry in pwd.getpwall()}
    name = "postgres" if "postgres" in names else "nobody"
    return {"user": name, "group": pwd.getpwnam(name).pw_gid, "extra_groups": []}


class PostgresServer:
    def __init__(self, fsync="off"):
        """In tests only programs end, never the machine, so nothing waits for its disk; who measures says "on"."""
        self.settings = ["-c", f"fsync={fsync}"]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-pg-"))
        self.process = None
        self.bouncer = None
        self.standby = None
        self.port = None  # of loopback, once it is served by TLS

    def __enter__(self):
        if "user" in _as():
            shutil.chown(self.folder, _as()["user"])
        subprocess.run([PROGRAMS / "initdb", "-D", self.folder / "data", "-U", "paddock", "-A", "trust", "-E", "UTF8", "--no-sync"],
                       check=True, stdout=subprocess.DEVNULL, cwd="/", **_as())
        self.start()
        self.query("CREATE DATABASE paddock", database="postgres")
        return self

    def __exit__(self, *exc):
        if self.bouncer:
            self.bouncer.kill()
            self.bouncer.wait()
        if self.standby:
            self.standby.send_signal(signal.SIGQUIT)
            self.standby.wait(PATIENCE_S)
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        where = ["-c", "listen_addresses="]
        if self.port:
            where = ["-c", "listen_addresses=127.0.0.1", "-p", str(self.port), "-c", "ssl=on"] + [
                word for name in ("cert", "key") for word in ("-c", f"ssl_{name}_file={self.folder}/server-{name}.pem")]
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen([PROGRAMS / "postgres", "-D", self.folder / "data", "-k", self.folder, *self.settings, *where],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", **_as())
        wait_until("the database to answer", lambda: subprocess.run(
            [PROGRAMS / "pg_isready", "-q", "-h", self.folder, *self.at_port()]).returncode == 0)

    def at_port(self):
        return ["-p", str(self.port)] if self.port else []

    def serve_tls(self, port, certificate, key):
        """Starts it anew, at this port of loopback besides, by this certificate for `localhost`."""
        self.stop()
        for name, source in ("cert", certificate), ("key", key):
            target = self.folder / f"server-{name}.pem"
            shutil.copy(source, target)
            target.chmod(0o600)
            if "user" in _as():
                shutil.chown(target, _as()["user"])
        self.port = port
        self.start()

    def tls_url(self, host, authority):
        return f"postgresql://paddock@{host}:{self.port}/paddock?sslmode=verify-full&sslrootcert={authority}"

    def stop(self, how=signal.SIGINT):
        """SIGINT: sessions are ended; SIGQUIT: at once, as in a crash."""
        if self.process:
            self.process.send_signal(how)
            self.process.wait(PATIENCE_S)
            self.process = None

    def url(self, folder=None, database="paddock"):
        """The server by itself is waited for: the usual 5 s may pass without a processor for it, and a first start ends then."""
        patience = "" if folder else f"&connect_timeout={PATIENCE_S}"
        return f"postgresql:///{database}?user=paddock&host={folder or self.folder}{patience}"

    def query(self, sql, database="paddock"):
        return subprocess.run([PROGRAMS / "psql", "-h", self.folder, *self.at_port(), "-U", "paddock", "-d", database, "-qtAc", sql], check=True, text=True,
                              stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout.strip()

    def tool(self, program, database, *options, given=None):
        """What one of PostgreSQL's own programs says of a database."""
        return subprocess.run([PROGRAMS / program, "-h", self.folder, *self.at_port(), "-U", "paddock", "-d", database, *options], check=True, text=True,
                              input=given or "", stdout=subprocess.PIPE).stdout

    def start_standby(self):
        """A replica on this machine, whose disk each commit waits for from then on; returns the folder of its socket."""
        folder = self.folder / "standby"
        folder.mkdir()
        if "user" in _as():
            shutil.chown(folder, _as()["user"])
        subprocess.run([PROGRAMS / "pg_basebackup", "-h", self.folder, *self.at_port(), "-U", "paddock", "-D", folder / "data", "-R", "-X", "stream",
                        "--checkpoint=fast"], check=True, stdin=subprocess.DEVNULL, cwd="/", **_as())
        with open(self.folder / "standby-log", "a") as log:
            self.standby = subprocess.Popen([PROGRAMS / "postgres", "-D", folder / "data", "-k", folder, *self.settings, "-c", "listen_addresses="],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", **_as())
        wait_until("the standby to follow", lambda: self.query("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == "1")
        self.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.query("SELECT pg_reload_conf()")
        wait_until("commits to wait for it", lambda: self.query("SELECT sync_state FROM pg_stat_replication") == "sync")
        return folder

    def promote_standby(self):
        """The replica takes writes from now on; nothing follows it."""
        subprocess.run([PROGRAMS / "pg_ctl", "promote", "-w", "-t", str(PATIENCE_S), "-D", self.folder / "standby/data"], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, cwd="/", **_as())

    def start_bouncer(self):
        """In transaction mode, with fewer connections than it has clients; returns the folder of its socket."""
        folder = self.folder / "bouncer"
        folder.mkdir()
        (folder / "ini").write_text(
            f"[databases]\npaddock = host={self.folder} dbname=paddock user=paddock\n"
            f"[pgbouncer]\nunix_socket_dir = {folder}\nlisten_addr =\nlisten_port = 5432\nauth_type = any\npool_mode = transaction\n"
            "default_pool_size = 3\nserver_reset_query_always = 0\n")
        if "user" in _as():
            shutil.chown(folder, _as()["user"])
        with open(self.folder / "bouncer-log", "a") as log:
            self.bouncer = subprocess.Popen([BOUNCER, folder / "ini"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", **_as())
        wait_until("the pooler to answer", lambda: subprocess.run([PROGRAMS / "pg_isready", "-q", "-h", folder]).returncode == 0)
        return folder


class Cable:
    """The way of one client to a server, as a socket in a folder of its own. Once it is cut, nothing passes and nobody is told."""

    def __init__(self, server):
        self.server = server
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-cable-"))
        self.whole = threading.Event()
        self.whole.set()
        self.listener = socket.socket(socket.AF_UNIX)

    def __enter__(self):
        self.listener.bind(str(self.folder / ".s.PGSQL.5432"))
        self.listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *exc):
        self.mend()
        self.listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def cut(self):
        self.whole.clear()

    def mend(self):
        self.whole.set()

    def _accept(self):
        with contextlib.suppress(OSError):  # closed
            while True:
                near, _ = self.listener.accept()
                threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _connect(self, near):
        self.whole.wait()
        with near, socket.socket(socket.AF_UNIX) as far, contextlib.suppress(OSError):
            far.connect(str(self.server.folder / ".s.PGSQL.5432"))
            back = threading.Thread(target=self._pass, args=(far, near), daemon=True)
            back.start()
            self._pass(near, far)
            back.join()

    def _pass(self, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self.whole.wait()
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
