"""A program that uses the Python client as its users do, once blocking and once in an event loop: `mypy --strict` finds nothing in it."""
import asyncio
import sys
from typing import List

from paddock import AsyncClient, Client, Event, PaddockError, Reason, RunSpec, SandboxResultV2, types


def blocking(names: List[str]) -> None:
    unknown: Reason = "RUN_NOT_FOUND"
    with Client() as client:
        for name in names:
            for event in client.runs.stream_events(name):
                if event.type == "stdout":
                    print("blocking", event.data, end="")
        try:
            client.runs.get("none")
        except PaddockError as error:
            print(error.code == unknown, error.status_code)


async def asynchronous() -> List[str]:
    async with AsyncClient() as client:
        await client.workspaces.upload("using", {"job.py": "import sys\nprint(sys.argv[1])\nopen('out/a.txt', 'w').write(sys.argv[1])\n"})

        async def one(number: int) -> str:
            spec = RunSpec("compute", ["python3", "job.py", str(number)], workspace="using", artifacts=types.ArtifactRequest(["out/"]))
            created = await client.runs.create(spec, labels={"by": "using"})
            events: List[Event] = [event async for event in client.runs.stream_events(created.metadata.name)]
            run = await client.runs.wait(created.metadata.name, timeout=300)
            (artifact,) = await client.runs.artifacts(created.metadata.name)
            data = await client.runs.read_artifact(created.metadata.name, artifact)
            print(run.status.phase, events[-1].type, [event.data for event in events if event.type == "stdout"], data)
            return created.metadata.name
        names = await asyncio.gather(*(one(number) for number in range(3)))
        print(sorted([run.metadata.name async for run in client.runs.list(label_selector="by=using", page=1)]) == sorted(names))
        await in_a_session(client)
        answer = await client.execute("print(6 * 7)")
        print(answer.success, answer.stdout, end="")
        return list(names)


async def in_a_session(client: AsyncClient) -> None:
    async with await client.sandboxes.create({"limits": {"timeoutMs": 60_000}}) as session:
        await session.files.write("a.txt", "1\n2\n")
        print((await session.run("wc -l a.txt")).stdout, end="")
        async with await session.stream("echo one; echo two >&2; sleep 0.1; exit 3") as command:
            async for output in command:
                print(output.type, output.text, end="")
        print((await command.result).exitCode)
        waiting = asyncio.ensure_future(session.run("touch begun; sleep 600", command_id="left"))
        while not any(file.name == "begun" for file in await session.files.list()):
            await asyncio.sleep(0.05)
        waiting.cancel()
        print(isinstance((await asyncio.gather(waiting, return_exceptions=True))[0], asyncio.CancelledError))
    try:
        await session.run("true")
    except PaddockError as error:
        print(error.code)


def reading(result: SandboxResultV2) -> str:
    return f"{result.status} {result['status']}"


if __name__ == "__main__":
    blocking(asyncio.run(asynchronous()))
    print(reading(SandboxResultV2(status="OK")), file=sys.stderr)
