"""The Python client of asyncio against a server that is silent: who stops waiting leaves nothing open and asks for nothing."""
import asyncio
import contextlib
import json
import sys
import unittest
from unittest import mock

from broken_server import RUN, SANDBOX, BrokenServer, answer
from harness import SOURCE, main

sys.path.insert(0, str(SOURCE / "clients" / "python"))
from paddock import AsyncClient, PaddockError  # noqa: E402


class Canceling(unittest.IsolatedAsyncioTestCase):
    """A server that takes requests and keeps silent, but for some answers: who stops waiting leaves nothing open and asks for nothing."""

    async def asyncSetUp(self):
        self.requests, self.gone, self.came = [], asyncio.Event(), asyncio.Event()

        async def serve(reader, writer):
            with contextlib.suppress(asyncio.IncompleteReadError):
                await talk(reader, writer)
            self.gone.set()
            writer.close()

        async def talk(reader, writer):
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next((int(each[15:]) for each in head.split(b"\r\n") if each.startswith(b"Content-Length:")), 0)
                self.requests.append((head + await reader.readexactly(length)).decode())
                if found := next((given for start, given in self.answers if self.requests[-1].startswith(start)), None):
                    writer.write(found.replace(b"Connection: close\r\n", b""))
                    continue
                self.came.set()
                await reader.read()
                return
        self.answers = []
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.addAsyncCleanup(server.wait_closed)
        self.addCleanup(server.close)
        self.client = AsyncClient(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", "secret")
        self.addAsyncCleanup(self.client.aclose)

    async def canceled(self, call):
        task = asyncio.create_task(call)
        await self.came.wait()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        await self.gone.wait()

    async def test_a_run_that_is_waited_for_goes_on(self):
        running = {**json.loads(RUN), "status": {"phase": "Running"}}
        self.answers = [("GET /apis/paddock.dev/v1alpha1/namespaces/default/runs/a ", answer(200, json.dumps(running)))]
        await self.canceled(self.client.runs.wait("a"))
        self.assertEqual([request.split(" ")[0] for request in self.requests], ["GET", "GET"])

    async def test_who_waits_no_longer_for_a_command_hangs_up_and_its_session_is_destroyed(self):
        self.answers = [("POST /apis/paddock.dev/v1alpha1/namespaces/default/sandboxes ", answer(201, SANDBOX)), ("DELETE", answer(200, "{}"))]

        async def work():
            async with await self.client.sandboxes.create() as session:
                await session.run("sleep 600")
        await self.canceled(work())
        self.assertEqual([request.split(" ")[0] for request in self.requests], ["POST", "POST", "DELETE"])

    async def test_a_silent_server_is_given_up_and_a_slow_reader_is_not_silence(self):
        server = self.client._transport._servers.now()
        client = AsyncClient(f"http://{server.host}:{server.port}", timeout=0.2)
        with mock.patch("paddock._aio._transport.backoff", lambda failed: 0), self.assertRaises(PaddockError) as caught:
            await client.runs.get("a")
        self.assertEqual((caught.exception.code, len(self.requests)), ("TIMEOUT", 4))
        self.answers = [("GET", b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + RUN.encode())]  # its end would be the connection's
        with mock.patch("paddock._aio._transport.backoff", lambda failed: 0), self.assertRaises(PaddockError) as caught:
            await client.runs.get("a")
        self.assertEqual(caught.exception.code, "TIMEOUT")
        begun = answer(200, RUN).replace(b"Content-Length: ", b"Content-Length: 9")
        self.answers = [("GET", begun)]
        async with client._transport.open("GET", "/") as response:
            await response.read(5)
            await asyncio.sleep(0.4)  # longer than silence may last
            self.assertEqual(await response.read(5), RUN.encode()[5:10])

    async def test_many_wait_at_once_over_connections_of_their_own(self):
        self.answers = [("GET", answer(200, RUN))]
        runs = await asyncio.gather(*(self.client.runs.get(str(number)) for number in range(200)))
        self.assertEqual({run.metadata.name for run in runs}, {"a"})
        self.assertLessEqual(len(self.client._transport._kept), 8)


class Loops(unittest.TestCase):
    def test_a_client_is_used_by_one_loop_after_another(self):
        with BrokenServer(answer(200, RUN).replace(b"Connection: close\r\n", b"")) as server:
            client = AsyncClient(server.url)
            for _ in range(2):
                self.assertEqual(asyncio.run(client.runs.get("a")).metadata.name, "a")
            asyncio.run(client.aclose())


if __name__ == "__main__":
    main()
