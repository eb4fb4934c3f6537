"""Workspaces: the files that runs read. What the namespace has there already is not sent again."""
from __future__ import annotations

import hashlib
import os
import pathlib
import stat
from typing import Any, Dict, Iterable, List, Mapping, Tuple, Union

from . import types
from ._codec import decode, encode
from ._http import Transport
from ._folder import Contents, contents_of
from .errors import PaddockError
from .runs import part

File = Union[bytes, str, pathlib.Path]
OFFERS = 3  # a blob may be removed between two offers, but not for ever


def files_of(folder: Union[str, "os.PathLike[str]"]) -> Dict[str, pathlib.Path]:
    """Every regular file below it but what `.gitignore` and `.paddockignore` files and the built-in rules leave out."""
    return contents_of(folder).files


def _bytes_of(file: File, size: int = -1) -> bytes:
    """`size`: of a file that may have grown since, as much as it had."""
    if isinstance(file, pathlib.Path):
        with file.open("rb") as opened:
            return opened.read(size)
    return file.encode() if isinstance(file, str) else file


def _entry(path: str, file: File) -> types.TreeEntry:
    data = _bytes_of(file)
    executable = isinstance(file, pathlib.Path) and bool(file.stat().st_mode & stat.S_IXUSR)
    return types.TreeEntry(path, hashlib.sha256(data).hexdigest(), len(data), executable)


class Workspaces:
    def __init__(self, transport: Transport, base: str) -> None:
        self._transport, self._base = transport, f"{base}/workspaces"

    def upload(self, name: str, files: Union[str, "os.PathLike[str]", Mapping[str, File]]) -> types.Workspace:
        """A folder with its links and empty folders, or contents by relative path: bytes, text or the Path of a file.

        Afterwards these are all its files. What of a folder stays behind, and why: `contents_of(folder).left_out`."""
        whole = Contents({}, [], [], []) if isinstance(files, Mapping) else contents_of(files)
        found: Mapping[str, File] = files if isinstance(files, Mapping) else whole.files
        path = f"{self._base}/{part(name)}"
        self._ensure(name)
        entries = sorted((_entry(each, file) for each, file in found.items()), key=lambda entry: entry.path.encode())
        tree: Dict[str, Any] = {"entries": [encode(entry) for entry in entries]}
        if whole.links:
            tree["links"] = [{"path": each, "target": target} for each, target in whole.links]
        if whole.folders:
            tree["folders"] = [{"path": each} for each in whole.folders]
        for _ in range(OFFERS):
            answer = decode(types.TreeAnswer, self._transport.request("POST", f"{path}/tree", tree, safe=True, timeout=120).json())
            if answer.stored and not answer.missing:
                return self.get(name)
            by_digest = {entry.digest: entry for entry in entries}
            self._send(path, ((digest, _bytes_of(found[by_digest[digest].path], by_digest[digest].size)) for digest in answer.missing))
        raise PaddockError("the server keeps missing files that were sent", code="UPLOAD_INCOMPLETE", retryable=True)

    def _ensure(self, name: str) -> None:
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Workspace", "metadata": {"name": name}}
        try:
            self._transport.request("POST", self._base, body, safe=True)
        except PaddockError as error:
            if error.reason != "AlreadyExists":
                raise

    def _send(self, path: str, missing: Iterable[Tuple[str, bytes]]) -> None:
        for digest, data in missing:
            self._transport.request("PUT", f"{path}/blobs/{part(digest)}", data,
                                    headers={"Content-Type": "application/octet-stream"}, timeout=600)

    def get(self, name: str) -> types.Workspace:
        return decode(types.Workspace, self._transport.request("GET", f"{self._base}/{part(name)}").json())

    def files(self, name: str) -> List[types.TreeEntry]:
        return decode(types.Tree, self._transport.request("GET", f"{self._base}/{part(name)}/tree").json()).entries

    def delete(self, name: str) -> None:
        self._transport.request("DELETE", f"{self._base}/{part(name)}")
