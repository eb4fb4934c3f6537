"""A PostgreSQL server in a folder of its own, and a pgbouncer before it, both as an ordinary user: they refuse root."""
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile

from harness import wait_until

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
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="paddock-pg-"))
        self.process = None
        self.bouncer = None
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
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        where = ["-c", "listen_addresses="]
        if self.port:
            where = ["-c", "listen_addresses=127.0.0.1", "-p", str(self.port), "-c", "ssl=on"] + [
                word for name in ("cert", "key") for word in ("-c", f"ssl_{name}_file={self.folder}/server-{name}.pem")]
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen([PROGRAMS / "postgres", "-D", self.folder / "data", "-k", self.folder, *where],
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
            self.process.wait(120)
            self.process = None

    def url(self, folder=None):
        return f"postgresql:///paddock?user=paddock&host={folder or self.folder}"

    def query(self, sql, database="paddock"):
        return subprocess.run([PROGRAMS / "psql", "-h", self.folder, *self.at_port(), "-U", "paddock", "-d", database, "-qtAc", sql], check=True, text=True,
                              stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout.strip()

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
