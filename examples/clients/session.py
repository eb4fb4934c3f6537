"""A session: commands one after the other on the same files, and nothing of it left at the end.

    paddock up && PYTHONPATH=clients/python python3 examples/clients/session.py
"""
from paddock import Client, types

with Client() as client:
    security = types.SecurityOptions(limits=types.SessionLimits(timeoutMs=60_000, memoryBytes=128 << 20))
    with client.sandboxes.create(security) as session:
        session.files.write("answer.py", "print('6 x 7 =', 6 * 7)")
        print(session.run("python3 answer.py | tee result.txt").stdout, end="")
        with session.stream("for i in 1 2 3; do echo $i; done; cat result.txt") as command:
            for output in command:
                print(output.type, output.text, end="")
        print("exit code", command.result.exitCode)
        refused = session.run("python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 443), 1)'")
        print(refused.errorClass, [denial.what for denial in refused.denials])
