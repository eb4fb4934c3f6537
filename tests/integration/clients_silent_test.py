"""Python clients against a server that is silent: who stops waiting leaves nothing open and asks for nothing."""
import asyncio
import contextlib
import json
import signal
import sys
import threading
import unittest
from unittest import mock

from broken_server import RUN, SANDBOX, BrokenServer, answer, stream
from harness import PATIENCE_S, SOURCE, main, wait_until

sys.path.insert(0, str(SOURCE / "clients" / "python"))
from paddock import AsyncClient, Client, PaddockError  # noqa: E402


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
        client = AsyncClient(f"http://{server.host}:{server.port}", timeout=0.2, patience=0)
        tried = mock.Mock(return_value=0)  # the server may hear of the last one after it was given up
        with mock.patch("paddock._aio._transport.pause", tried), self.assertRaises(PaddockError) as caught:
            await client.runs.get("a")
        self.assertEqual((caught.exception.code, tried.call_count), ("TIMEOUT", 3))
        self.answers = [("GET", b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + RUN.encode())]  # its end would be the connection's
        with mock.patch("paddock._aio._transport.pause", lambda *_: 0), self.assertRaises(PaddockError) as caught:
            await client.runs.get("a")
        self.assertEqual(caught.exception.code, "TIMEOUT")
        begun = answer(200, RUN).replace(b"Content-Length: ", b"Content-Length: 9")
        self.answers = [("GET", begun)]
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(50):
                with contextlib.suppress(PaddockError):  # on a busy machine its answer may be late
                    response = await stack.enter_async_context(client._transport.open("GET", "/"))
                    break
            else:
                self.fail("it never answered")
            await response.read(5)
            await asyncio.sleep(0.4)  # longer than silence may last
            self.assertEqual(await response.read(5), RUN.encode()[5:10])

    async def test_many_wait_at_once_over_connections_of_their_own(self):
        self.answers = [("GET", answer(200, RUN))]
        runs = await asyncio.gather(*(self.client.runs.get(str(number)) for number in range(200)))
        self.assertEqual({run.metadata.name for run in runs}, {"a"})
        self.assertLessEqual(len(self.client._transport._kept), 8)


BEGUN = stream((0, "started", "{}"), (0, "stdout", '{"base64":"YQ=="}'))


class Leaving(unittest.TestCase):
    """A command that is ended from elsewhere while somebody waits for what it prints."""

    def setUp(self):
        self.gone = threading.Event()

        def talk(connection):
            connection.sendall(BEGUN)
            with contextlib.suppress(OSError):
                if connection.recv(1) == b"":
                    self.gone.set()
        self.server = BrokenServer(talk)
        self.addCleanup(self.server.__exit__)

    def begin(self):
        client = Client(self.server.url)
        self.addCleanup(client.close)
        command = client.runs.exec_stream("a", "cat")
        output = iter(command)
        self.assertEqual(next(output).text, "a")
        return command, output

    def left(self, call):
        with self.assertRaises(PaddockError) as caught:
            call()
        self.assertEqual(caught.exception.code, "STREAM_LEFT")

    def test_by_another_thread(self):
        command, output = self.begin()
        ends = []

        def read():
            try:
                ends.extend(output)
            except Exception as error:  # noqa: BLE001
                ends.append(error)
        reader = threading.Thread(target=read)
        reader.start()
        wait_until("it to read", command._reading.locked)
        command.close()
        reader.join(PATIENCE_S)
        self.assertEqual([getattr(each, "code", each) for each in ends], ["STREAM_LEFT"])
        self.assertTrue(self.gone.wait(PATIENCE_S))
        command.close()
        self.left(lambda: list(command))
        self.left(lambda: command.result)

    def test_by_a_handler_of_the_thread_that_reads(self):
        command, output = self.begin()
        before = signal.signal(signal.SIGUSR1, lambda *_: command.close())
        self.addCleanup(signal.signal, signal.SIGUSR1, before)

        def interrupt():
            wait_until("it to read", command._reading.locked)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
        other = threading.Thread(target=interrupt)
        other.start()
        self.left(lambda: next(output))
        other.join()
        self.assertTrue(self.gone.wait(PATIENCE_S))

    def test_before_anybody_reads_on(self):
        command, output = self.begin()
        command.close()
        self.assertTrue(self.gone.wait(PATIENCE_S))
        self.left(lambda: next(output))

    def test_what_was_left_takes_no_input(self):
        command, _ = self.begin()
        command.close()
        for send in (lambda: command.write("a"), command.end_input, lambda: command.resize(24, 80)):
            self.left(send)
        self.assertEqual(len(self.server.requests), 1)

    def test_by_another_task_or_as_its_own_is_canceled(self):
        async def leave(how):
            self.gone.clear()
            async with AsyncClient(self.server.url) as client:
                command = await client.runs.exec_stream("a", "cat")
                output = command.__aiter__()
                self.assertEqual((await output.__anext__()).text, "a")
                reader = asyncio.ensure_future(output.__anext__())
                while not command._reading.locked():
                    await asyncio.sleep(0)
                await how(command, reader)
                await asyncio.get_running_loop().run_in_executor(None, self.gone.wait, PATIENCE_S)
                self.assertTrue(self.gone.is_set())
                for again in (output.__anext__(), command.__anext__()):  # nobody takes it for its end
                    with self.assertRaises(PaddockError) as caught:
                        await again
                    self.assertEqual(caught.exception.code, "STREAM_LEFT")
                with self.assertRaises(PaddockError) as caught:
                    await command.result
                self.assertEqual(caught.exception.code, "STREAM_LEFT")

        async def close(command, reader):
            await command.aclose()
            with self.assertRaises(PaddockError) as caught:
                await reader
            self.assertEqual(caught.exception.code, "STREAM_LEFT")

        async def cancel(command, reader):
            reader.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await reader

        async def cancel_and_close(command, reader):
            reader.cancel()
            await command.aclose()
            with self.assertRaises(asyncio.CancelledError):
                await reader
        for how in (close, cancel, cancel_and_close):
            with self.subTest(how.__name__):
                asyncio.run(leave(how))


class Loops(unittest.TestCase):
    def test_a_client_is_used_by_one_loop_after_another(self):
        with BrokenServer(answer(200, RUN).replace(b"Connection: close\r\n", b"")) as server:
            client = AsyncClient(server.url)
            for _ in range(2):
                self.assertEqual(asyncio.run(client.runs.get("a")).metadata.name, "a")
            asyncio.run(client.aclose())


if __name__ == "__main__":
    main()
