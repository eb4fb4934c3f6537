"""The Python client's commands whose input comes while they run, in a run of a live instance."""
import asyncio
import re
import threading

from clients_instance import PYTHON, WithInstance
from exec_runs import sleepers
from harness import wait_until
from losing_proxy import LosingProxy
from paddock import AsyncClient, Client, PaddockError, RunSpec, types


class Reader:
    """The pieces of what a command prints."""

    def __init__(self, command):
        self._output, self.seen = iter(command), ""

    def until(self, pattern):
        """Forgets it and all before it."""
        while not (found := re.search(pattern, self.seen)):
            self.seen += next(self._output).text
        self.seen = self.seen[found.end():]
        return found


class PythonAttached(WithInstance):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with Client(cls.server, cls.token, cls.ca) as client:
            cls.run_name = client.runs.create(RunSpec("command", ["sh", "-c", "echo begun; sleep 600"])).metadata.name
            assert next(iter(client.runs.follow_logs(cls.run_name))) == "begun\n"

    def setUp(self):
        self.client = Client(self.server, self.token, self.ca)
        self.addCleanup(self.client.close)

    def begin(self, command, **how):
        command = (how.pop("client", None) or self.client).runs.exec_stream(self.run_name, command, **how)
        self.addCleanup(command.close)
        return command

    def test_what_is_written_is_read_at_once_and_the_end_of_it_too(self):
        with self.begin("cat; echo over >&2; exit 3") as command:
            seen = Reader(command)
            for word in ("one\n", b"two\n", "ä\n"):
                command.write(word)
                seen.until(word if isinstance(word, str) else word.decode())
            command.end_input()
            seen.until("over\n")
            self.assertEqual(command.result.exitCode, 3)
            error = self.refused("COMMAND_NOT_FOUND", lambda: command.write("late"))
            self.assertFalse(error.retryable)

    def test_its_input_may_be_given_whole_and_then_none_comes(self):
        with self.begin(["cat"], stdin="all of it") as command:
            self.assertEqual("".join(each.text for each in command), "all of it")
            self.assertEqual(command.result.exitCode, 0)
        with self.begin("cat; sleep 600", stdin=b"") as command:
            self.refused("COMMAND_TAKES_NO_INPUT", lambda: command.write("x"))

    def test_much_is_written_while_another_thread_reads(self):
        given = bytes(range(256)) * 4096  # 1 MiB, more than waits anywhere
        with self.begin(["cat"]) as command:
            def write():
                command.write(given)
                command.end_input()
            writer = threading.Thread(target=write)
            writer.start()
            self.assertEqual(b"".join(each.data for each in command), given)
            writer.join()
            self.assertEqual(command.result.exitCode, 0)

    def test_a_python_at_a_terminal_has_keys_a_size_and_an_end(self):
        with self.begin(["python3", "-q"], terminal=types.TerminalSize(30, 100)) as command:
            seen = Reader(command)
            seen.until(">>> ")
            command.write("import os, time; tuple(os.get_terminal_size())\r")
            seen.until(r"\(100, 30\)[\s\S]*>>> ")
            command.resize(11, 77)
            command.write("tuple(os.get_terminal_size())\r")
            seen.until(r"\(77, 11\)[\s\S]*>>> ")
            command.write("print('as' + 'leep'); time.sleep(600)\r")
            seen.until("asleep")
            command.write(b"\x03")
            seen.until(r"KeyboardInterrupt[\s\S]*>>> ")
            command.write("6 * 7\r")
            seen.until(r"42[\s\S]*>>> ")
            self.refused("COMMAND_TAKES_NO_INPUT", command.end_input)  # a terminal has no end but a key
            command.write(b"\x04")
            self.assertEqual(command.result.exitCode, 0)

    def test_the_example_of_its_readme(self):
        name, client, printed = self.run_name, self.client, []
        text = (PYTHON / "README.md").read_text().partition("## A command that reads what you send")[2]
        exec(text.partition("```python\n")[2].partition("```")[0],
             {"client": client, "name": name, "types": types, "print": lambda *words: printed.append(words)})
        self.assertEqual(printed, [(0,), ("a\nb\n",)])

    def through_a_proxy(self):
        proxy = LosingProxy(self.instance.port())
        self.addCleanup(proxy.close)
        client = Client(f"https://127.0.0.1:{proxy.port}", self.token, self.ca)
        self.addCleanup(client.close)
        return proxy, client

    def test_a_piece_whose_answer_is_lost_is_read_once(self):
        proxy, client = self.through_a_proxy()
        command = self.begin(["cat"], client=client)
        seen = Reader(command)
        command.write("first\n")
        seen.until("first\n")
        self.assertEqual(len(proxy.connections), 2)  # the stream, and what the input went by
        for number, word in ((1, "second\n"), (2, "third\n")):
            proxy.lose_the_next_answer(number)
            command.write(word)
            self.assertTrue(proxy.lost.is_set())
            self.assertEqual(len(proxy.connections), number + 2)
        command.end_input()
        self.assertEqual(seen.seen + "".join(each.text for each in command), "second\nthird\n")
        self.assertEqual(command.result.exitCode, 0)

    def test_a_command_whose_connection_is_lost_is_hung_up(self):
        for terminal in (None, types.TerminalSize()):
            with self.subTest(terminal):
                proxy, client = self.through_a_proxy()
                command = self.begin("echo begun; sleep 48171", client=client, terminal=terminal)
                Reader(command).until("begun")
                wait_until("the sleep", lambda: sleepers(48171))
                proxy.drop(0)
                with self.assertRaises(PaddockError) as caught:
                    list(command)
                self.assertIn(caught.exception.code, ("CONNECTION_LOST", "STREAM_LOST"))
                wait_until("the command to be gone", lambda: not sleepers(48171))
                self.refused("COMMAND_NOT_FOUND", lambda: command.write("x" * (1 << 20)))

    def test_another_ends_it_by_its_name_and_leaving_it_does(self):
        with self.begin("echo begun; sleep 48172", command_id="mine") as command:
            seen = Reader(command)
            seen.until("begun")
            self.client.runs.cancel_exec(self.run_name, "mine")
            self.assertEqual(command.result.errorClass, "CANCELLED")
        with self.begin("echo begun; sleep 48172") as command:
            Reader(command).until("begun")
            wait_until("the sleep", lambda: sleepers(48172))
        wait_until("the command to be gone", lambda: not sleepers(48172))

    def test_another_thread_or_task_closes_it_while_somebody_reads(self):
        command = self.begin("echo begun; sleep 48174", terminal=types.TerminalSize())
        Reader(command).until("begun")
        wait_until("the sleep", lambda: sleepers(48174))
        reader = threading.Thread(target=lambda: self.refused("STREAM_LEFT", lambda: command.result))
        reader.start()
        wait_until("it to read", command._reading.locked)
        command.close()
        reader.join()
        wait_until("the command to be gone", lambda: not sleepers(48174))

        async def close():
            async with AsyncClient(self.server, self.token, self.ca) as client:
                command = await client.runs.exec_stream(self.run_name, "sleep 48174")
                reader = asyncio.ensure_future(command.__aiter__().__anext__())
                await asyncio.to_thread(wait_until, "the sleep", lambda: sleepers(48174))
                await command.aclose()
                with self.assertRaises(PaddockError) as caught:
                    await reader
                self.assertEqual(caught.exception.code, "STREAM_LEFT")
                await asyncio.to_thread(wait_until, "the command to be gone", lambda: not sleepers(48174))
        asyncio.run(close())

    def test_what_is_refused_is_said_when_it_begins_or_by_its_field(self):
        self.assertEqual(self.refused("INVALID_FIELD", lambda: self.begin([])).field, "command")
        self.assertEqual(self.refused("INVALID_FIELD", lambda: self.begin(["cat"], terminal=types.TerminalSize(0, 1))).field, "terminal.rows")
        self.refused("INVALID_FIELD", lambda: self.begin(["cat"], stdin="x", terminal=types.TerminalSize()))
        self.refused("RUN_NOT_FOUND", lambda: self.client.runs.exec_stream("none", ["cat"]))

    def test_in_an_event_loop_many_write_and_read_at_once_and_who_is_interrupted_doubles_nothing(self):
        async def echo(client, word):
            async with await client.runs.exec_stream(self.run_name, ["cat"]) as command:
                async def write():
                    for number in range(200):
                        await command.write(f"{word}{number}\n")
                    await command.end_input()
                writer = asyncio.ensure_future(write())
                read = "".join([output.text async for output in command])
                await writer
                return read, (await command.result).exitCode

        async def interrupted(client):
            async with await client.runs.exec_stream(self.run_name, "mkfifo gate; read go < gate; cat") as command:
                given = b"x" * (1 << 20)  # more than anybody takes before somebody reads
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(command.write(given), 0.3)
                await client.runs.exec(self.run_name, "until [ -p gate ]; do :; done; echo > gate")
                writer = asyncio.ensure_future(command.write("END"))
                seen = ""
                async for output in command:
                    seen += output.text
                    if seen.endswith("END"):
                        break
                await writer
                self.assertRegex(seen, r"\Ax*END\Z")
                self.assertEqual((len(seen) - 3) % (32 << 10), 0)

        async def all_of_it():
            async with AsyncClient(self.server, self.token, self.ca) as client:
                await interrupted(client)
                return await asyncio.gather(*(echo(client, word) for word in "abc"))
        for word, (read, code) in zip("abc", asyncio.run(all_of_it())):
            self.assertEqual((read, code), ("".join(f"{word}{number}\n" for number in range(200)), 0))
