"""A project's folder as `paddock compute` sends it: files, links that stay inside, empty folders, and what stays behind and why."""
from __future__ import annotations

import os
import pathlib
from typing import Dict, List, NamedTuple, Optional, Set, Tuple, Union

from ._ignore import BUILT_IN, RULE_FILES, SECRETS, Rules
from ._private_key import is_private_key

HOPS = 40  # as many links as a kernel follows
OWN_DATA = ("paddock.db", "agent.lock")  # of a controller and an agent: keys and tokens lie beside them


class Reason(NamedTuple):
    """Why something stays behind."""
    why: str
    of_secret: bool = False

    @property
    def text(self) -> str:
        return ("a secret, " if self.of_secret else "") + self.why


KEY = Reason("built-in: a private key, by its content; a line !NAME in .paddockignore sends it", of_secret=True)


class Contents(NamedTuple):
    files: Dict[str, pathlib.Path]
    links: List[Tuple[str, str]]     # path and target, sorted
    folders: List[str]               # with nothing in them, sorted
    left_out: List[Tuple[str, str]]  # and why; secrets first


def contents_of(folder: Union[str, "os.PathLike[str]"]) -> Contents:
    found = _Found(pathlib.Path(folder))
    found.enter(b"")
    return found.finish()


class _Found:
    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.rules, self.built_in, self.secrets = Rules(), Rules(), Rules()
        self.built_in.add(b"", BUILT_IN + SECRETS)
        self.secrets.add(b"", SECRETS)
        self.files: Dict[str, pathlib.Path] = {}
        self.links: Dict[str, str] = {}
        self.folders: Set[str] = set()
        self.left_out: List[Tuple[str, Reason]] = []

    def enter(self, folder: bytes) -> None:
        with os.scandir(self.root / os.fsdecode(folder)) as listing:
            entries = sorted(listing, key=lambda entry: os.fsencode(entry.name))
        for entry in entries:
            if entry.name in RULE_FILES and entry.is_file(follow_symlinks=False):
                text = pathlib.Path(entry.path).read_bytes()
                self.rules.add(folder, text)
                if entry.name == ".paddockignore":  # a run never brings this one back, so that it alone may ask for secrets or .git
                    self.built_in.add(folder, text)
        for entry in entries:
            self.look(entry, (folder + b"/" if folder else b"") + os.fsencode(entry.name))

    def look(self, entry: os.DirEntry[str], path: bytes) -> None:
        name, is_folder = os.fsdecode(path), entry.is_dir(follow_symlinks=False)
        why = self.why_not(path, is_folder)
        if why:
            self.left_out.append((name + "/" if is_folder else name, why))
        elif is_folder:
            self.folders.add(name)
            self.enter(path)
        elif entry.is_symlink():
            self.links[name] = os.readlink(entry.path)
        elif entry.is_file(follow_symlinks=False):
            if not self.named(path) and is_private_key(entry.path):
                self.left_out.append((name, KEY))
            else:
                self.files[name] = self.root / name
        else:
            self.left_out.append((name, Reason("a device, a FIFO or a socket")))

    def named(self, path: bytes) -> bool:
        """Whether a rule takes this file in though it is a secret."""
        rule = self.built_in.decide(path, False)
        return rule is not None and rule.negated

    def why_not(self, path: bytes, is_folder: bool) -> Optional[Reason]:
        by_a_rule = self.rules.leave_out(path, is_folder)
        if by_a_rule or self.built_in.leave_out(path, is_folder):
            why = "by a rule" if by_a_rule else "built-in; a line !NAME in .paddockignore sends it"
            return Reason(why, of_secret=self.secrets.leave_out(path, is_folder))
        if not is_folder:
            return None
        inside = self.root / os.fsdecode(path)
        if (inside / "pyvenv.cfg").is_file() and self.rules.decide(path, True) is None:
            return Reason("a Python environment (pyvenv.cfg)")
        own = any((inside / name).is_file() for name in OWN_DATA) and self.built_in.decide(path, True) is None
        return Reason("built-in: Paddock's own data; a line !NAME/ in .paddockignore sends it", of_secret=True) if own else None

    def finish(self) -> Contents:
        plain = {path: _plain(target) for path, target in self.links.items()}
        inside = {path: target for path, target in plain.items() if not link_fault(path, target)}
        kept = []
        for path, target in plain.items():
            end = resolve(path, inside) if path in inside else None
            if end is not None and (end == "" or end in self.folders or end in self.files):
                kept.append((path, target))
            else:
                self.left_out.append((path, Reason("a link that " + (link_fault(path, target) or "leads to nothing that is sent"))))
        filled = {each.rpartition("/")[0] for each in (*self.files, *(path for path, _ in kept), *self.folders)}
        return Contents(self.files, sorted(kept, key=lambda link: os.fsencode(link[0])), sorted(self.folders - filled, key=os.fsencode),
                        [(path, why.text) for path, why in sorted(self.left_out, key=lambda each: not each[1].of_secret)])


def _plain(target: str) -> str:
    return target if target.startswith("/") else "/".join(part for part in target.split("/") if part not in ("", "."))


def link_fault(path: str, target: str) -> str:
    """Why a link there cannot lead to `target`: up comes first only, and not above the folder."""
    if not target or target.startswith("/"):
        return "is absolute" if target else "is empty"
    parts = target.split("/")
    up = next((at for at, part in enumerate(parts) if part != ".."), len(parts))
    if up > path.count("/"):
        return "leads out of the folder"
    return "goes up behind a name" if ".." in parts[up:] else ""


def resolve(path: str, links: Dict[str, str]) -> Optional[str]:
    """Where a path ends, links followed; the folder itself is empty. None: links that lead in a circle."""
    done: List[str] = []
    rest, hops = path.split("/")[::-1], 0
    while rest:
        part = rest.pop()
        if part == "..":
            done.pop()
            continue
        target = links.get("/".join((*done, part)))
        if target is None:
            done.append(part)
            continue
        hops += 1
        if hops > HOPS:
            return None
        rest.extend(target.split("/")[::-1])
    return "/".join(done)
