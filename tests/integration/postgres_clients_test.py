"""Both Python clients of a pair of controllers on one database, of which the leader is stopped: what waits for it goes on at the next one."""
import asyncio
import signal
import sys
import threading

from controller_pair import ControllerPair
from harness import PATIENCE_S, SOURCE, main, wait_until

sys.path.insert(0, str(SOURCE / "clients" / "python"))
from paddock import AsyncClient, Client  # noqa: E402

CODE = {"type": "code", "code": "print(1)"}


class Followed(ControllerPair):
    def addresses(self):
        return f"{self.one.url},{self.two.url}", self.token, str(self.ca)

    def stopped(self):
        """The leader closes no connection, and is stopped until the end of the test."""
        self.begin_standby()
        self.lose(self.one, signal.SIGSTOP)

    def test_a_call_and_a_stream(self):
        with Client(*self.addresses(), timeout=10 * PATIENCE_S, patience=10 * PATIENCE_S) as client:
            client.runs.create(CODE, name="a")
            events, seen = client.runs.stream_events("a"), []

            def read():
                seen.extend(events)
            self.assertEqual(next(events).type, "phase")
            self.stopped()
            reader = threading.Thread(target=read)
            reader.start()
            self.assertEqual(client.runs.create(CODE, name="b").metadata.name, "b")
            wait_until("the second to lead", self.two.is_ready)
            client.runs.cancel("a")  # no agent takes it
            reader.join(PATIENCE_S)
            self.assertEqual(seen[-1].type, "end")

    def test_those_of_a_loop(self):
        async def work():
            async with AsyncClient(*self.addresses(), timeout=10 * PATIENCE_S, patience=10 * PATIENCE_S) as client:
                await client.runs.create(CODE, name="a")
                await asyncio.get_running_loop().run_in_executor(None, self.stopped)
                made = await asyncio.gather(*(client.runs.create(CODE, name=f"b{number}") for number in range(20)))
                self.assertEqual(len({run.metadata.uid for run in made}), 20)
                names = {run.metadata.name async for run in client.runs.list()}
                self.assertEqual(names, {"a", *(run.metadata.name for run in made)})
        asyncio.run(work())
        self.assertTrue(self.two.is_ready())


if __name__ == "__main__":
    main()
