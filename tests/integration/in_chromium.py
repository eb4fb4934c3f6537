"""Pages of an origin of their own in headless Chromium, which say by themselves what came out."""
import contextlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading

from harness import PATIENCE_S

ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--ignore-certificate-errors",
        "--disable-background-networking", "--disable-component-update", "--disable-sync"]


class Pages:
    """Serves a folder at 127.0.0.1 and localhost, which are two origins, and takes what its pages POST."""

    def __init__(self):
        pages = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript", ".mjs": "text/javascript"}

            def __init__(self, *given):
                super().__init__(*given, directory=str(pages.folder))

            def do_POST(self):
                pages.found = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(204)
                self.end_headers()
                pages.came.set()

            def log_message(self, *_):
                pass
        self.folder = pathlib.Path()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def open(self, folder, path, host="127.0.0.1"):
        """What the page there says."""
        self.folder, self.found, self.came = folder, None, threading.Event()
        with tempfile.TemporaryDirectory(prefix="paddock-chromium-", ignore_cleanup_errors=True) as home:
            command = [shutil.which("chromium"), *ARGS, f"--user-data-dir={home}", "--remote-debugging-port=0", f"http://{host}:{self.port}/{path}"]
            browser = subprocess.Popen(command, env={**os.environ, "HOME": home}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                if not self.came.wait(PATIENCE_S):
                    raise AssertionError("the page said nothing")
                return self.found
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(browser.pid, signal.SIGKILL)
                browser.communicate()
