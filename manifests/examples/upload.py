#!/usr/bin/env python3
"""Uploads a folder to the Workspace `example`, by the API alone: what the controller lacks, then the tree.

    PADDOCK_SERVER=https://… PADDOCK_TOKEN_FILE=… PADDOCK_CA_FILE=… upload.py FOLDER [NAMESPACE]
"""
import hashlib
import json
import os
import pathlib
import ssl
import sys
import urllib.request

folder = pathlib.Path(sys.argv[1])
namespace = sys.argv[2] if len(sys.argv) > 2 else "default"
base = f"{os.environ['PADDOCK_SERVER']}/apis/paddock.dev/v1alpha1/namespaces/{namespace}/workspaces/example"
token = pathlib.Path(os.environ["PADDOCK_TOKEN_FILE"]).read_text().strip()
tls = ssl.create_default_context(cafile=os.environ["PADDOCK_CA_FILE"])


def send(method, path, body, kind):
    request = urllib.request.Request(base + path, body, {"Authorization": f"Bearer {token}", "Content-Type": kind}, method=method)
    with urllib.request.urlopen(request, context=tls, timeout=60) as answer:
        return json.loads(answer.read() or b"{}")


files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
contents = {name: path.read_bytes() for name, path in files.items()}
digests = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
entries = [{"path": name, "digest": digests[name], "size": len(contents[name]), "executable": os.access(files[name], os.X_OK)}
           for name in sorted(files, key=str.encode)]
tree = json.dumps({"entries": entries}).encode()
missing = set(send("POST", "/tree", tree, "application/json").get("missing", []))
for digest, content in {digests[name]: contents[name] for name in files if digests[name] in missing}.items():
    send("PUT", f"/blobs/{digest}", content, "application/octet-stream")
if not send("POST", "/tree", tree, "application/json")["stored"]:
    sys.exit("the controller still lacks files")
print(f"{len(files)} files, {len(missing)} of them new")
