"""A controller that misbehaves as it is told: it answers each connection with the next of some scripted answers."""
import json
import socket
import threading

# What a controller that works would say.
RUN = json.dumps({"apiVersion": "paddock.dev/v1alpha1", "kind": "Run", "metadata": {"name": "a", "resourceVersion": "7"},
                  "spec": {"type": "compute", "command": "python3 a.py"}, "status": {"phase": "Succeeded"}})
SANDBOX = json.dumps({"metadata": {"name": "s"}, "spec": {"security": {"limits": {"timeoutMs": 1000}}}})


class BrokenServer:
    """`answers`: bytes to send, None to hang up without a word, or who talks to the connection; the last one is repeated. `requests` is
    what came."""

    def __init__(self, *answers, port=0):
        self._answers, self.requests = list(answers), []
        self._listener = socket.create_server(("127.0.0.1", port))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=30)

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self.requests.append(self._read(connection))
                answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
                if callable(answer):
                    answer(connection)
                elif answer is not None:
                    connection.sendall(answer)

    @staticmethod
    def _read(connection):
        data = b""
        while b"\r\n\r\n" not in data:
            if not (piece := connection.recv(65536)):
                return data.decode()
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
        while len(body) < length:
            body += connection.recv(65536)
        return (head + b"\r\n\r\n" + body).decode()


def answer(status, body, kind="application/json", *headers):
    data = body if isinstance(body, bytes) else body.encode()
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(data)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def stream(*events):
    """An event stream that ends after these; each is (id, type, JSON)."""
    text = "".join(f"id: {number}\nevent: {kind}\ndata: {data}\n\n" for number, kind, data in events)
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n: ok\n\n" + text.encode()
