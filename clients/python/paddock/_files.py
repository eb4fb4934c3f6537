"""The files of a workspace: paths, contents and what the server is told of them."""
from __future__ import annotations

import dataclasses
import hashlib
import os
import pathlib
import stat
from typing import Dict, List, Mapping, Tuple, Union

from . import types
from ._objects import content_bytes
from ._folder import contents_of

File = Union[bytes, str, pathlib.Path]


class UploadedWorkspace(types.Workspace):
    """A workspace as it is stored, with what of the folder stayed behind, and why; secrets first."""
    left_out: List[Tuple[str, str]]
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, types.Workspace) and dataclasses.asdict(self) == dataclasses.asdict(other)


def files_of(folder: Union[str, "os.PathLike[str]"]) -> Dict[str, pathlib.Path]:
    """Every regular file below it but what `.gitignore` and `.paddockignore` files and the built-in rules leave out."""
    return contents_of(folder).files


def bytes_of(file: File, size: int = -1) -> bytes:
    """`size`: of a file that may have grown since, as much as it had."""
    if isinstance(file, pathlib.Path):
        with file.open("rb") as opened:
            return opened.read(size)
    return content_bytes(file)


def _entry(path: str, file: File) -> types.TreeEntry:
    data = bytes_of(file)
    executable = isinstance(file, pathlib.Path) and bool(file.stat().st_mode & stat.S_IXUSR)
    return types.TreeEntry(path, hashlib.sha256(data).hexdigest(), len(data), executable)


def entries_of(found: Mapping[str, File]) -> List[types.TreeEntry]:
    return sorted((_entry(each, file) for each, file in found.items()), key=lambda entry: entry.path.encode())


BESIDE = ("package.json", "package-lock.json", "pyproject.toml", "uv.lock")
MOST_READ = 1 << 20  # the server reads no larger one


def may_be_requirements(entry: types.TreeEntry, requirements: str) -> bool:
    """Whether a run's requirements are read from it, by its path: then it is sent first. The CLI has the same rule."""
    if not requirements or entry.size > MOST_READ:
        return False
    folder, _, name = entry.path.rpartition("/")
    if entry.path == requirements or (name in BESIDE and folder == requirements.rpartition("/")[0]):
        return True
    return entry.path.endswith((".txt", ".in")) and ("requirements" in entry.path or "constraints" in entry.path)
