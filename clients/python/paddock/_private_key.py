"""Whether a file is a private key, by how it begins: under whatever name it lies. The CLI has the same rule."""
from __future__ import annotations

import os

MOST = 1 << 20  # a larger file is no key
BEGINNING = 16 << 10  # of it is looked at
BEGIN, END, DASHES = b"-----BEGIN ", b"-----END ", b"-----"
OF_KEYS = (b"PuTTY-User-Key-File-", b"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY", b"AGE-SECRET-KEY-1")  # how lines begin that only keys have


def is_private_key(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return os.fstat(file.fileno()).st_size <= MOST and begins_with_private_key(file.read(BEGINNING))
    except OSError:
        return False  # whoever sends it says why


def begins_with_private_key(text: bytes) -> bool:
    """A key in PEM (also behind certificates, parameters, comments and what `openssl` prints before it), of OpenSSH, PuTTY, PGP or
    age, or of a service account in JSON. Source code that has a key in it is none."""
    text = text[3:] if text.startswith(b"\xef\xbb\xbf") else text
    if text.lstrip().startswith(b"{"):
        return _is_service_account(text)
    inside = False  # of something else in PEM
    for line in text.split(b"\n"):
        line = line[:-1] if line.endswith(b"\r") else line
        label = _label(line)
        if _is_key_label(label) or line.startswith(OF_KEYS):
            return True
        if not inside and not label and not _may_come_before(line):
            return False
        inside = bool(label) or (inside and not line.startswith(END))
    return False


def _is_key_label(label: bytes) -> bool:
    return label.endswith(b"PRIVATE KEY") or label == b"PGP PRIVATE KEY BLOCK"


def _label(line: bytes) -> bytes:
    """`X` of a line `-----BEGIN X-----`; empty of any other."""
    if not (line.startswith(BEGIN) and line.endswith(DASHES)):
        return b""
    return line[len(BEGIN):-len(DASHES)]


def _may_come_before(line: bytes) -> bool:
    """Comments, and the attributes that openssl prints. No source code."""
    if not line.strip() or line.startswith(b"#") or line == b"Bag Attributes":
        return True
    return any(each in line for each in (b":", b"=")) and not any(each in line for each in (b'"', b"'", b"`", b"$", b";", b"{", b"<<"))


def _is_service_account(text: bytes) -> bool:
    """The file that a cloud gives: "private_key": "-----BEGIN PRIVATE KEY-----…"""
    value = text.partition(b'"private_key"')[2].lstrip(b" \t\r\n:")
    return value.startswith(b'"' + BEGIN) and _is_key_label(value[1 + len(BEGIN):].partition(DASHES)[0])
