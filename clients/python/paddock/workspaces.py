# Made by scripts/generate from _aio/workspaces.py: change that, not this.
"""Workspaces: the files that runs read. What the namespace has there already is not sent again."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, Union

from . import types
from ._codec import decode, encode
from ._http import in_thread
from ._transport import Transport
from ._files import File, UploadedWorkspace, bytes_of, entries_of, files_of, may_be_requirements
from ._objects import new_object, part
from ._folder import Contents, contents_of
from .errors import PaddockError

OFFERS = 3  # a blob may be removed between two offers, but not for ever
MOST_TRIED = 2 << 20  # of more names a dry run is not told


class Workspaces:
    def __init__(self, transport: Transport, base: str) -> None:
        self._transport, self._base = transport, f"{base}/workspaces"

    def upload(self, name: str, files: Union[str, "os.PathLike[str]", Mapping[str, File]], *,
               for_run: Union[types.RunSpec, Mapping[str, Any], None] = None) -> UploadedWorkspace:
        """A folder with its links and empty folders, or contents by relative path: bytes, text or the Path of a file.

        Afterwards these are all its files. What of a folder stayed behind, and why, is the answer's `left_out`, secrets first, and
        before anything is sent `contents_of(folder).left_out`. `for_run`: a run that these files are for; what it would be refused
        for is raised before they are sent."""
        whole = Contents({}, [], [], []) if isinstance(files, Mapping) else in_thread(contents_of, files)
        found: Mapping[str, File] = files if isinstance(files, Mapping) else whole.files
        path = f"{self._base}/{part(name)}"
        self._ensure(name)
        entries = in_thread(entries_of, found)
        tree: Dict[str, Any] = {"entries": [encode(entry) for entry in entries]}
        if whole.links:
            tree["links"] = [{"path": each, "target": target} for each, target in whole.links]
        if whole.folders:
            tree["folders"] = [{"path": each} for each in whole.folders]
        for _ in range(OFFERS):
            answer = decode(types.TreeAnswer, self._transport.json("POST", f"{path}/tree", tree, safe=True, timeout=120))
            if answer.stored and not answer.missing:
                stored = decode(UploadedWorkspace, self._transport.json("GET", path))
                stored.left_out = whole.left_out
                return stored
            by_digest = {entry.digest: entry for entry in entries}
            missing = [by_digest[digest] for digest in answer.missing]
            wanted = "" if for_run is None else encode(for_run).get("requirements") or ""
            first = [each for each in missing if may_be_requirements(each, wanted)]
            rest = [each for each in missing if each not in first]
            for each in first:
                self._send(path, each.digest, in_thread(bytes_of, found[each.path], each.size))
            if for_run is not None and rest:
                self._try(for_run, tree)
            for_run = None
            for each in rest:
                self._send(path, each.digest, in_thread(bytes_of, found[each.path], each.size))
        raise PaddockError("the server keeps missing files that were sent", code="UPLOAD_INCOMPLETE", retryable=True)

    def _try(self, spec: Union[types.RunSpec, Mapping[str, Any]], tree: Mapping[str, Any]) -> None:
        """What a run of these files would be refused for, if anything. A server of an earlier release cannot be asked."""
        body = new_object("Run", "", "run-", spec, None)
        runs = self._base[:-len("workspaces")] + "runs"
        few = len(json.dumps(tree)) <= MOST_TRIED
        try:
            self._transport.request("POST", f"{runs}?dryRun=All", {**body, "tree": tree if few else None}, safe=True)
        except PaddockError as error:
            if not any(cause.field == "tree" for cause in error.causes):
                raise

    def _ensure(self, name: str) -> None:
        body = {"apiVersion": "paddock.dev/v1alpha1", "kind": "Workspace", "metadata": {"name": name}}
        try:
            self._transport.request("POST", self._base, body, safe=True)
        except PaddockError as error:
            if error.reason != "AlreadyExists":
                raise

    def _send(self, path: str, digest: str, data: bytes) -> None:
        self._transport.request("PUT", f"{path}/blobs/{part(digest)}", data,
                                headers={"Content-Type": "application/octet-stream"}, timeout=600)

    def get(self, name: str) -> types.Workspace:
        return decode(types.Workspace, self._transport.json("GET", f"{self._base}/{part(name)}"))

    def files(self, name: str) -> List[types.TreeEntry]:
        return decode(types.Tree, self._transport.json("GET", f"{self._base}/{part(name)}/tree")).entries

    def delete(self, name: str) -> None:
        self._transport.request("DELETE", f"{self._base}/{part(name)}")


__all__ = ["Workspaces", "UploadedWorkspace", "contents_of", "files_of"]
