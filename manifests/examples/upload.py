#!/usr/bin/env python3
"""Uploads a folder to the Workspace `example` of the instance on this host, or of the controller that PADDOCK_SERVER, PADDOCK_TOKEN and
PADDOCK_CA_FILE name; by the Python client, which sends what the controller lacks.

    upload.py FOLDER [NAMESPACE]
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients" / "python"))
from paddock import Client, PaddockError  # noqa: E402

if len(sys.argv) not in (2, 3):
    sys.exit("usage: upload.py FOLDER [NAMESPACE]")
try:
    with Client(namespace=sys.argv[2] if len(sys.argv) == 3 else "default") as client:
        print(f"{client.workspaces.upload('example', sys.argv[1]).status.files} files")
except (OSError, PaddockError) as error:
    sys.exit(str(error))
