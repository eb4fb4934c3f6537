"""A page that people preview connects to nothing else, WebRTC included: under the headers that the controller sends with it,
in the browser of this host. The page is served by the test with those headers, so that it can say when it is done."""
import contextlib
import hashlib
import http.client
import http.server
import json
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import unittest

from harness import PATIENCE_S, Instance, find_file, main

WORKSPACES = "/apis/paddock.dev/v1alpha1/namespaces/default/workspaces"

# The page says when it, or its frame, has begun to look for ways out: packets go at once then, if they go.
LISTEN = "<script>onmessage = () => { new Image().src = BASE + 'begun'; };</script>"
# Packets to a "STUN server" of the page's choice: from the page itself, or from a frame that it makes.
CALL = """
  const call = new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:PORT"}]});
  call.createDataChannel("x");
  call.onicegatheringstatechange = () => window.top.postMessage("begun", "*");
  call.createOffer().then((offer) => call.setLocalDescription(offer));
"""
PAGES = {
    "page": "<script>CALL</script>",
    "srcdoc": "<script>const f = document.createElement('iframe'); f.srcdoc = INNER; document.body.append(f);</script>",
    "blob": "<script>const f = document.createElement('iframe');"
            "f.src = URL.createObjectURL(new Blob([INNER], {type: 'text/html'})); document.body.append(f);</script>",
    "data": "<script>const f = document.createElement('iframe');"
            "f.src = 'data:text/html,' + encodeURIComponent(INNER); document.body.append(f);</script>",
}


def page_of(kind, stun_port, base):
    call = CALL.replace("PORT", str(stun_port))
    inner = json.dumps(f"<script>{call}</script>").replace("</", "<\\/")
    return ("<!doctype html><body>" + LISTEN.replace("BASE", json.dumps(base)) + PAGES[kind].replace("CALL", call).replace("INNER", inner)).encode()


class Stage:
    """Serves one page with these headers, and hears where it connects."""

    def __init__(self, kind, headers):
        self.begun = threading.Event()
        self.stun = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.stun.bind(("127.0.0.1", 0))
        stage = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path == "/begun":
                    stage.begun.set()
                self.send_response(200)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(stage.page if self.path == "/" else b"")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.page = page_of(kind, self.stun.getsockname()[1], f"http://127.0.0.1:{self.server.server_port}/")
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="paddock-chromium-", ignore_cleanup_errors=True)
        # Without mDNS names for local addresses: Chromium 156 ends a frame of its own that asks for one ("No binder found
        # for interface network.mojom.MdnsResponder"), before or after that frame has told of itself.
        self.browser = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-features=WebRtcHideLocalIpsWithMdns",
             "--allow-loopback-in-peer-connection", f"--user-data-dir={self.folder.name}",
             f"http://127.0.0.1:{self.server.server_port}/"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"HOME": self.folder.name, "PATH": "/usr/bin:/bin"})
        return self

    def __exit__(self, *_):
        self.browser.kill()
        self.browser.wait()
        self.server.shutdown()
        self.server.server_close()
        self.stun.close()
        self.folder.cleanup()

    def packets(self, patience_s):
        """Whether one arrives."""
        self.stun.settimeout(patience_s)
        try:
            return len(self.stun.recv(2048)) > 0
        except (BlockingIOError, TimeoutError):
            return False


@unittest.skipUnless(shutil.which("chromium"), "this host has no chromium: scripts/install-deps dashboard")
class PreviewedPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with Instance("preview") as instance:
            cls.headers = cls.headers_of_a_preview(instance)

    @classmethod
    def headers_of_a_preview(cls, instance):
        home = instance.home
        port = json.loads(find_file(home, "controller.json").read_text())["port"]
        token = find_file(home, "tokens/admin").read_text().strip()
        tls = ssl.create_default_context(cafile=str(find_file(home, "tls/ca.pem")))
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=tls, timeout=60)

        def ask(method, path, body=None):
            connection.request(method, path, body, {"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status < 300, text
            return answer, text

        page = b"<p>hi"
        digest = hashlib.sha256(page).hexdigest()
        ask("POST", WORKSPACES, json.dumps({"apiVersion": "paddock.dev/v1alpha1", "kind": "Workspace", "metadata": {"name": "w"}}))
        ask("PUT", f"{WORKSPACES}/w/blobs/{digest}", page)
        ask("POST", f"{WORKSPACES}/w/tree", json.dumps({"entries": [
            {"path": "index.html", "digest": digest, "size": len(page), "executable": False}]}))
        url = json.loads(ask("GET", f"{WORKSPACES}/w/preview-url")[1])["url"]
        answer, _ = ask("GET", url)
        connection.close()
        return {name: answer.getheader(name) for name in ("Content-Security-Policy", "Connection-Allowlist", "Referrer-Policy")}

    def test_no_packet_leaves_a_page_or_a_frame_of_its_own(self):
        with contextlib.ExitStack() as open_pages:
            stages = {kind: open_pages.enter_context(Stage(kind, self.headers)) for kind in PAGES}
            for kind, stage in stages.items():
                self.assertTrue(stage.begun.wait(PATIENCE_S), f"{kind} never looked for a way out")
            # One that may, and begins after all of them, has sent its packet: the others would have, too.
            allowed = Stage("page", {"Content-Security-Policy": self.headers["Content-Security-Policy"]})
            self.assertTrue(open_pages.enter_context(allowed).packets(PATIENCE_S), "WebRTC sends no packet here anyway")
            self.assertEqual([kind for kind, stage in stages.items() if stage.packets(0)], [])


if __name__ == "__main__":
    main()
