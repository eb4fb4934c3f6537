"""Stands before a server that speaks S3, and answers no question for what is in the bucket while it is told to hold."""
import contextlib
import http.client
import http.server
import threading


class HeldBucket:
    def __init__(self, port):
        self.let_go, self.held = threading.Event(), threading.Event()
        self.let_go.set()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(handler):
                if handler.command == "GET" and "list-type" in handler.path and "blobs" in handler.path and not self.let_go.is_set():
                    self.held.set()
                    self.let_go.wait()
                length = int(handler.headers.get("Content-Length", 0))
                behind = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                with contextlib.closing(behind):
                    behind.request(handler.command, handler.path, handler.rfile.read(length), dict(handler.headers))
                    answer = behind.getresponse()
                    body = answer.read()
                handler.send_response_only(answer.status)
                for name, value in answer.headers.items():
                    if name.lower() not in ("connection", "content-length", "transfer-encoding"):
                        handler.send_header(name, value)
                handler.send_header("Content-Length", answer.headers["Content-Length"] if handler.command == "HEAD" else str(len(body)))
                handler.end_headers()
                handler.wfile.write(body)

            do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = pass_on

            def log_message(handler, *words):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def hold(self):
        self.held.clear()
        self.let_go.clear()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.let_go.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
