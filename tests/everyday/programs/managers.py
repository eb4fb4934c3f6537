# Python: processes of each start method, managers, shared memory, asyncio's children and sockets.
# run: python3 managers.py
# loopback
# limits: {memory: 1Gi, cpuTime: 60s, pids: 64}
import asyncio
import multiprocessing as mp
import os
from multiprocessing import connection, managers, shared_memory


def square(x):
    return x * x


def answer(address, ready):
    with connection.Listener(address) as listener:
        ready.put(listener.address)
        with listener.accept() as peer:
            peer.send(peer.recv() + 1)


def ask(context, address):
    ready = context.Queue()
    server = context.Process(target=answer, args=(address, ready))
    server.start()
    with connection.Client(ready.get()) as peer:
        peer.send(41)
        assert peer.recv() == 42
    server.join()


async def sockets_and_children():
    child = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    assert (await child.communicate(b"hi"))[0] == b"hi"
    assert await (await asyncio.create_subprocess_shell("exit 3")).wait() == 3

    async def serve(reader, writer):
        writer.write(await reader.readline())
        writer.close()

    for server, client in (
            (await asyncio.start_server(serve, "localhost", 0), asyncio.open_connection),
            (await asyncio.start_unix_server(serve, "/tmp/socket"), asyncio.open_unix_connection)):
        name = server.sockets[0].getsockname()
        reader, writer = await (client(name) if isinstance(name, str) else client(*name[:2]))
        writer.write(b"line\n")
        assert await reader.read() == b"line\n"
        writer.close()
        server.close()


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with mp.get_context(method).Pool(2) as pool:
            assert pool.map(square, range(4)) == [0, 1, 4, 9], method
    with mp.Manager() as manager:
        shared = manager.dict(a=1)
        shared["b"] = manager.list([2])
        assert shared["b"][0] == 2
    memory = shared_memory.SharedMemory(create=True, size=1 << 24)
    memory.buf[:3] = b"abc"
    memory.close()
    memory.unlink()
    with managers.SharedMemoryManager() as manager:
        assert list(manager.ShareableList([1, "x"])) == [1, "x"]
    ask(mp.get_context("fork"), ("localhost", 0))
    ask(mp.get_context("fork"), f"/tmp/{os.getpid()}")
    asyncio.run(sockets_and_children())
    print("ok")
