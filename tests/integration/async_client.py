"""The asyncio client behind the blocking one's face, so that both pass the same tests."""
import asyncio
import inspect

from paddock import AsyncClient

PLAIN = (str, bytes, int, float, bool, type(None), list, tuple, dict)


class Blocking:
    """Whatever it gives is waited for in a loop of its own; what that gives in turn is treated alike."""

    def __init__(self, meant, loop):
        self.meant, self._loop = meant, loop

    def _wait(self, found):
        return self._given(self._loop.run_until_complete(found)) if inspect.isawaitable(found) else self._given(found)

    def _given(self, found):
        if inspect.isasyncgen(found):
            return self._pieces(found)
        if callable(found):
            return lambda *given, **named: self._wait(found(*given, **named))
        return Blocking(found, self._loop) if type(found).__name__.startswith("Async") else found

    def _pieces(self, stream):
        try:
            while True:
                try:
                    yield self._wait(stream.__anext__())
                except StopAsyncIteration:
                    return
        finally:
            if inspect.isasyncgen(stream):  # a command is not left with a loop over its output
                self._loop.run_until_complete(stream.aclose())

    def __getattr__(self, name):
        return self._wait(getattr(self.meant, "aclose" if name == "close" else name))

    def __iter__(self):
        return self._pieces(self.meant.__aiter__())

    def __enter__(self):
        return self._wait(self.meant.__aenter__())

    def __exit__(self, *_):
        self._wait(self.meant.__aexit__(None, None, None))


class BlockingClients:
    """Makes such clients for one test, and closes their loop."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()

    def __call__(self, *given, **named):
        return Blocking(AsyncClient(*given, **named), self._loop)

    def close(self):
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()
