# asyncio: children, a server for lines on localhost in both families, threads.
# run: python3 coroutines.py
# loopback
import asyncio
import socket
import sys


async def echo(reader, writer):
    writer.write(await reader.readline())
    await writer.drain()
    writer.close()


async def ask(host):
    server = await asyncio.start_server(echo, host, 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
    writer.write(b"hi\n")
    answer = await reader.readline()
    server.close()
    return answer


async def main():
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(6 * 7)", stdout=asyncio.subprocess.PIPE)
    out, _ = await child.communicate()
    assert out == b"42\n", out
    assert await asyncio.gather(ask("127.0.0.1"), ask("::1"), ask("localhost")) == [b"hi\n"] * 3
    assert await asyncio.to_thread(sum, range(5)) == 10
    names = {each[4][0] for each in socket.getaddrinfo("localhost", 80, type=socket.SOCK_STREAM)}
    assert "127.0.0.1" in names, names
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        one.bind(("127.0.0.1", 0))
        other.sendto(b"datagram", one.getsockname())
        assert one.recv(100) == b"datagram"
    print("ok")


asyncio.run(main())
