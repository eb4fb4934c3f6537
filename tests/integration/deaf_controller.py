"""A controller that begins a command, keeps its stream open, and refuses all input to it."""
import http.server
import json
import threading


class DeafController:
    def __init__(self, code="TOKEN_EXPIRED", status=401):
        self.begun, self.left = [], threading.Event()  # requests for commands; a caller has gone
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if "?stream=true" in self.path:
                    outer.begun.append(body)
                    self.answer(200, "text/event-stream", b"event: started\ndata: {}\n\n")
                    self.rfile.read(1)
                    outer.left.set()
                else:
                    self.answer(status, "application/json", json.dumps({"error": {"code": code, "message": "no"}}).encode())

            def answer(self, status, kind, body):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.env = {"PADDOCK_SERVER": f"http://127.0.0.1:{self._server.server_address[1]}", "PADDOCK_TOKEN": "token"}

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
