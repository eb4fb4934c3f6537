"""One instance for every suite of the clients, and where the clients are."""
import contextlib
import os
import re
import subprocess
import sys

from executing import Executing
from harness import SOURCE, find_file
from in_chromium import Pages
from node_environment_test import SEARCH

PYTHON = SOURCE / "clients" / "python"
EXAMPLES = SOURCE / "examples" / "clients"
USING = SOURCE / "tests" / "integration" / "using_paddock.py"
sys.path.insert(0, str(PYTHON))
from paddock import PaddockError  # noqa: E402


@contextlib.contextmanager
def variables(**wanted):
    """These variables, and none of ours but them."""
    before = dict(os.environ)
    for name in [name for name in before if name.startswith(("PADDOCK_", "CODE_EXECUTION_"))]:
        del os.environ[name]
    os.environ.update(wanted)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def failed_in(tap):
    """What a runner of tests says of those that failed, and not of the many before and after."""
    return "\n".join(re.findall(r"(?ms)^not ok .*?^  \.\.\.$", tap))[-6000:]


class WithInstance(Executing):
    pages = Pages()
    settings = {"PADDOCK_CONTROLLER_ALLOWED_ORIGINS": f"[http://127.0.0.1:{pages.port}]"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        port = cls.instance.port()
        cls.server = f"https://127.0.0.1:{port}"
        cls.token = cls.instance.admin_token()
        cls.ca = str(find_file(cls.instance.home, "tls/ca.pem"))

    def run_program(self, *command, **settings):
        env = {**self.instance.env, "PATH": SEARCH, "PADDOCK_SERVER": self.server, "PADDOCK_TOKEN": self.token,
               "PADDOCK_CA_FILE": self.ca, "NODE_EXTRA_CA_CERTS": self.ca, "PYTHONPATH": str(PYTHON), **settings.pop("env", {})}
        done = subprocess.run([str(word) for word in command], env=env, text=True, capture_output=True, timeout=300, **settings)
        self.assertEqual(done.returncode, 0, f"{command}\n{failed_in(done.stdout) or done.stdout[-6000:]}\n{done.stderr[-3000:]}")
        return done.stdout

    def refused(self, code, call):
        with self.assertRaises(PaddockError) as caught:
            call()
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception
