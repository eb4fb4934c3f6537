"""Hands connections on to a server, and loses what it is told to."""
import contextlib
import socket
import threading


class LosingProxy:
    """`connections` are pairs of sockets, client's and server's, in the order in which they came."""

    def __init__(self, port):
        self._to, self.connections, self._lossy, self.lost = port, [], set(), threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._serve)]
        self._threads[0].start()

    def lose_the_next_answer(self, number):
        """The server gets what is asked on this connection, and the client a connection that is closed. Then `lost` is set."""
        self.lost.clear()
        self._lossy.add(number)

    def drop(self, number):
        for end in self.connections[number]:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._to))
                number = len(self.connections)
                self.connections.append((client, server))
                for source, target in ((client, server), (server, client)):
                    self._threads.append(threading.Thread(target=self._pass_on, args=(source, target, number, source is server)))
                    self._threads[-1].start()

    def _pass_on(self, source, target, number, answers):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if answers and number in self._lossy:
                    self._lossy.discard(number)
                    self.lost.set()
                    break
                target.sendall(data)
        self.drop(number)

    def close(self):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        for number in range(len(self.connections)):
            self.drop(number)
        for thread in self._threads:
            thread.join()
        for end in (self._listener, *(end for pair in self.connections for end in pair)):
            end.close()
