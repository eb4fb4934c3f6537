"""Names, paths and objects as requests have them."""
from __future__ import annotations

import contextlib
import urllib.parse
from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, Union

from ._codec import encode
from .errors import PaddockError


def part(name: str) -> str:
    """A name as one part of a path: nothing in it leads elsewhere."""
    if name in ("", ".", ".."):
        raise PaddockError(f"{name!r} is no name", code="INVALID_NAME")
    return urllib.parse.quote(name, safe="")


def path_in(path: str) -> str:
    """A relative path in a tree, each part of it quoted."""
    return "/".join(part(each) for each in path.split("/"))


def path_inside(path: str) -> str:
    """The path of a session's file, as programs there name it: relative, or below /workspace; quoted. Empty: the folder itself."""
    inside = path
    if inside == "/workspace" or inside.startswith("/workspace/"):
        inside = inside[len("/workspace"):].lstrip("/")
    while inside.startswith("./"):
        inside = inside[2:].lstrip("/")
    inside = inside.rstrip("/") or inside[:1]
    if inside in ("", "."):
        return ""
    if any(each in ("", ".", "..") for each in inside.split("/")):
        raise PaddockError(f"{path!r} is no path below /workspace, such as src/a.py", code="INVALID_NAME")
    return path_in(inside)


ABOUT_A_FILE = ("FILE_NOT_FOUND", "FILE_EXISTS", "FILE_NOT_ALLOWED", "NOT_A_REGULAR_FILE", "LINK_IN_PATH")


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """The server does not repeat the path of a file that it refuses: this is the caller's own."""
    try:
        yield
    except PaddockError as error:
        if error.code in ABOUT_A_FILE:
            error.message = f"{path!r}: {error.message}"
            error.args = (error.message,)
        raise


def content_bytes(data: Union[bytes, bytearray, memoryview, str]) -> bytes:
    """What a file or an input gets: text as UTF-8, bytes as they are. Anything else, such as a number, is a TypeError: of what bytes()
    makes of it nobody would know."""
    if isinstance(data, bytes):
        return data
    return data.encode() if isinstance(data, str) else bytes(memoryview(data))


def shell_text(command: Union[str, Sequence[str]]) -> str:
    """Text as it is; of words, the text by which the shell inside gives each of them to the program as it is."""
    if isinstance(command, str):
        return command
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in command)  # quoted all: `A=b` or `if` would be the shell's own


def query(**given: object) -> str:
    """`?a=1&b=true` of those that are not None."""
    words = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items() if value is not None}
    return f"?{urllib.parse.urlencode(words)}" if words else ""


def new_object(kind: str, name: str, prefix: str, spec: Any, labels: Optional[Mapping[str, str]]) -> Dict[str, Any]:
    metadata: Dict[str, Any] = {"name": name} if name else {"generateName": prefix}
    if labels:
        metadata["labels"] = dict(labels)
    return {"apiVersion": "paddock.dev/v1alpha1", "kind": kind, "metadata": metadata, "spec": encode(spec)}
