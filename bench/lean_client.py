"""One kept HTTP connection that costs the bench little: requests made beforehand, sent in one piece."""
import json
import re
import socket

LENGTH = re.compile(rb"(?i)content-length: (\d+)")


def request_of(method, path, body=None, **headers):
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(content)}",
             "Content-Type: application/json", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


class LeanClient:
    def __init__(self, port, tls=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=90)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="127.0.0.1")

    def exchange(self, request):
        """Status and body of the answer."""
        self.socket.sendall(request)
        got = b""
        while True:
            piece = self.socket.recv(65536)
            assert piece, "the server closed the connection"
            got += piece
            head, found, body = got.partition(b"\r\n\r\n")
            if found and len(body) == int(LENGTH.search(head).group(1)):
                return int(head.split(None, 2)[1]), body
