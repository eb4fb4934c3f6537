"""A run: files up, a command in a sandbox, its output while it comes, and what it left behind.

    paddock up && PYTHONPATH=clients/python python3 examples/clients/run.py
"""
from paddock import Client, RunSpec, types

JOB = """
import pathlib
print("counting")
pathlib.Path("out/sum.txt").write_text(str(sum(range(1_000_001))))
"""

with Client() as client:
    client.workspaces.upload("counting", {"job.py": JOB})
    run = client.runs.create(RunSpec("compute", ["python3", "job.py"], workspace="counting",
                                     artifacts=types.ArtifactRequest(dirs=["out/"])))
    for text in client.runs.follow_logs(run.metadata.name):
        print(text, end="")
    run = client.runs.wait(run.metadata.name)
    result = run.status.result
    assert result is not None
    print(run.status.phase, result.status, f"network: {result.enforced['network'].mechanism}")
    for artifact in client.runs.artifacts(run.metadata.name):
        print(artifact.path, client.runs.read_artifact(run.metadata.name, artifact).decode())
