"""What of a folder is left out: the rules of `.gitignore` files, as `paddock compute` reads them."""
from __future__ import annotations

import re
from functools import lru_cache
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Set, Tuple

RULE_FILES = (".gitignore", ".paddockignore")
BUILT_IN = b".git/\n__pycache__/\nnode_modules/\n.venv/\n.pytest_cache/\n.mypy_cache/\n.ruff_cache/\n"
SECRETS = (b"*.env\n!*.env/\n.env\n.envrc\n.env.*\n"
           b"!.env*.example\n!.env*.sample\n!.env*.template\n!.env*.dist\n!*example.env\n!*sample.env\n!*template.env\n"
           b"secrets.yaml\nsecrets.yml\nsecrets.json\nsecrets.toml\n!**/templates/**/secrets.yaml\n!**/templates/**/secrets.yml\n"
           b"credentials.json\napplication_default_credentials.json\nclient_secret*.json\n"
           b"service-account*.json\nservice_account*.json\n*firebase-adminsdk*.json\nkaggle.json\n"
           b".aws/\n.gnupg/\n.kube/\n.ssh/\n**/.config/gcloud/\n**/.config/gh/\n"
           b"kubeconfig\n!kubeconfig/\nkubeconfig.yaml\nkubeconfig.yml\n*.kubeconfig\n"
           b".netrc\n_netrc\n.npmrc\n.pypirc\n.pgpass\n.my.cnf\n.s3cfg\n.boto\n.htpasswd\n.git-credentials\n"
           b".dockercfg\n.dockerconfigjson\n**/.docker/config.json\n**/.cargo/credentials\n**/.cargo/credentials.toml\n"
           b"**/.gem/credentials\n**/.m2/settings.xml\nrclone.conf\n"
           b".vault-token\n.vault_pass*\n.terraformrc\ncredentials.tfrc.json\n"
           b"*.tfstate\n*.tfstate.*\n*.tfvars\n*.tfvars.json\n!*example.tfvars\n!*sample.tfvars\n!*template.tfvars\n"
           b"id_rsa\nid_dsa\nid_ecdsa\nid_ecdsa_sk\nid_ed25519\nid_ed25519_sk\n*.ppk\n"
           b"*.key\n*key.pem\n*keys.pem\n*.p8\n*.p12\n*.pfx\n*.jks\n*.keystore\n!debug.keystore\n*.kdbx\n*.ovpn\n")
SLASH = ord("/")
NOTHING: FrozenSet[int] = frozenset()
ALL = frozenset(range(256))
BUT_SLASH = ALL - {SLASH}


class Rule(NamedTuple):
    pattern: bytes
    negated: bool      # `!`: takes the file back in
    folder_only: bool  # a slash at the end
    anywhere: bool     # no slash inside: matches the name at any depth


class Step(NamedTuple):
    """One character of a text, or with `repeats` any number of them, each one of `allowed`."""
    allowed: FrozenSet[int]
    repeats: bool = False
    may_skip_next: bool = False  # `**/`, which may also stand for nothing


def parse_rules(text: bytes) -> List[Rule]:
    rules = []
    for line in text[3 if text.startswith(b"\xef\xbb\xbf") else 0:].split(b"\n"):
        if line.startswith(b"#"):
            continue
        line = _without_trailing_spaces(line[:-1] if line.endswith(b"\r") else line)
        negated = line.startswith(b"!")
        line = line[1:] if negated else line
        folder_only = line.endswith(b"/")
        line = line[:-1] if folder_only else line
        if line:
            rules.append(Rule(line, negated, folder_only, b"/" not in line))
    return rules


def _without_trailing_spaces(line: bytes) -> bytes:
    end = at = 0
    while at < len(line):
        if line[at] == ord("\\"):  # it protects a space
            at += 1
            end = at + 1
        elif line[at] != ord(" "):
            end = at + 1
        at += 1
    return line[:end]


def wildmatch(pattern: bytes, text: bytes) -> bool:
    """Takes time by the product of both lengths at most, whatever the pattern."""
    if not any(each in pattern for each in b"*?[\\"):
        return pattern == text
    begin, end = _plain_ends(pattern)
    if not (text.startswith(begin) and text.endswith(end)):  # of most files and the built-in rules it says all
        return False
    steps = _steps(pattern)
    at = _reached(steps, {0})
    for byte in text:
        moved: Set[int] = set()
        for index in at:
            repeating, place = index < 0, abs(index) - 1 if index < 0 else index
            if place < len(steps) and steps[place].repeats == repeating and byte in steps[place].allowed:
                moved.add(index if repeating else place + 1)
        at = _reached(steps, moved)
        if not at:
            return False
    return len(steps) in at


def _reached(steps: Tuple[Step, ...], places: Set[int]) -> Set[int]:
    """With all that follows without a character. A place below zero is within the repetition of step -place - 1."""
    found, left = set(), list(places)
    while left:
        place = left.pop()
        if place in found:
            continue
        found.add(place)
        if place < 0:
            left.append(-place)
        elif place < len(steps) and steps[place].repeats:
            left.append(-place - 1)
            if steps[place].may_skip_next:
                left.append(place + 2)
    return found


@lru_cache(maxsize=4096)
def _plain_ends(pattern: bytes) -> Tuple[bytes, bytes]:
    """What stands before the first special character and behind the last."""
    parts = re.split(rb"[][*?\\]", pattern)
    return parts[0], parts[-1].lstrip(b"/")  # "**/" may stand for nothing


@lru_cache(maxsize=4096)
def _steps(pattern: bytes) -> Tuple[Step, ...]:
    steps, at = [], 0
    while at < len(pattern):
        if pattern[at] == ord("*"):
            first = at
            while at < len(pattern) and pattern[at] == ord("*"):
                at += 1
            rest = pattern[at:]
            bounded = (first == 0 or pattern[first - 1] == SLASH) and (not rest or rest.startswith((b"/", b"\\/")))
            crosses = at - first > 1 and bounded
            steps.append(Step(ALL if crosses else BUT_SLASH, True, crosses and rest.startswith(b"/")))
        elif pattern[at] == ord("?"):
            steps.append(Step(BUT_SLASH))
            at += 1
        elif pattern[at] == ord("["):
            allowed, at = _set_at(pattern, at + 1)
            steps.append(Step(allowed - {SLASH}))
        else:
            at += pattern[at] == ord("\\")
            steps.append(Step(frozenset(pattern[at:at + 1])))
            at += 1
    return tuple(steps)


def _set_at(pattern: bytes, at: int) -> Tuple[FrozenSet[int], int]:
    """What the set matches that begins there, and where it ends; nothing if it is malformed."""
    negated = pattern[at:at + 1] in (b"!", b"^")
    at += negated
    found: Set[int] = set()
    first, before = True, -1  # a range may start with what was before
    while first or pattern[at:at + 1] != b"]":
        first = False
        close = pattern.find(b"]", at + 2) if pattern.startswith(b"[:", at) else -2
        if close == -1:
            return NOTHING, len(pattern)
        if close >= at + 3 and pattern[close - 1] == ord(":"):
            named = _CLASSES.get(pattern[at + 2:close - 1])
            if named is None:
                return NOTHING, len(pattern)
            found, at, before = found | named, close + 1, -1
            continue
        is_range = pattern[at:at + 1] == b"-" and before >= 0 and pattern[at + 1:at + 2] not in (b"", b"]")
        at += is_range
        at += pattern[at:at + 1] == b"\\"
        if at >= len(pattern):
            return NOTHING, len(pattern)
        found |= set(range(before, pattern[at] + 1)) if is_range else {pattern[at]}
        before = -1 if is_range else pattern[at]
        at += 1
    return (ALL - found if negated else frozenset(found)), at + 1


def _ascii(test: str) -> FrozenSet[int]:
    return frozenset(each for each in range(128) if getattr(chr(each), test)())


_GRAPH = frozenset(range(0x21, 0x7F))
_CLASSES = {
    b"alnum": _ascii("isalnum"), b"alpha": _ascii("isalpha"), b"blank": frozenset(b" \t"),
    b"cntrl": frozenset(range(0x20)) | {0x7F}, b"digit": _ascii("isdigit"), b"graph": _GRAPH, b"lower": _ascii("islower"),
    b"print": _GRAPH | {0x20}, b"punct": _GRAPH - _ascii("isalnum"), b"space": frozenset(b" \t\n\v\f\r"),
    b"upper": _ascii("isupper"), b"xdigit": frozenset(b"0123456789abcdefABCDEF"),
}


def _matches(rule: Rule, path: bytes, is_folder: bool) -> bool:
    if rule.folder_only and not is_folder:
        return False
    if rule.anywhere:
        return wildmatch(rule.pattern, path.rsplit(b"/", 1)[-1])
    pattern = rule.pattern[1:] if rule.pattern.startswith(b"/") else rule.pattern
    # Text before the first special character is compared as it is: a `**` right behind it begins a pattern.
    plain = next((at for at, byte in enumerate(pattern) if byte in b"*?[\\"), len(pattern))
    return path[:plain] == pattern[:plain] and wildmatch(pattern[plain:], path[plain:])


class Rules:
    def __init__(self) -> None:
        self._by_folder: Dict[bytes, List[Rule]] = {}

    def add(self, folder: bytes, text: bytes) -> None:
        """Rules that hold in this folder (b"" for the top) and below; the last that matches wins, the deepest folder first."""
        self._by_folder.setdefault(folder, []).extend(parse_rules(text))

    def decide(self, path: bytes, is_folder: bool) -> Optional[Rule]:
        """To be asked from the top down: below a folder that is left out nothing can be taken in again."""
        folder = path
        while folder:
            folder = folder.rpartition(b"/")[0]
            below = path[len(folder) + 1 if folder else 0:]
            for rule in reversed(self._by_folder.get(folder, [])):
                if _matches(rule, below, is_folder):
                    return rule
        return None

    def leave_out(self, path: bytes, is_folder: bool) -> bool:
        rule = self.decide(path, is_folder)
        return rule is not None and not rule.negated
