#!/usr/bin/env python3
"""Gathers real captions from text that this host already has, into data/captions.jsonl.

Sentences come from package descriptions, documentation, docstrings and comments of installed
software, best sources first, until there are enough; the names of Unicode characters, which every
Python knows, come last. Nothing is downloaded. Run it on the host before the job: the job's
sandbox sees only this folder. An existing file with enough captions is kept as it is.
"""
import argparse
import ast
import glob
import gzip
import json
import os
import re
import sys
import unicodedata

COUNT = 31_564
HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(HERE, "data", "captions.jsonl")


def read_text(path):
    """The text of a file, or nothing when it cannot be read."""
    opener = gzip.open if path.endswith(".gz") else open
    try:
        with opener(path, "rt", encoding="utf-8", errors="replace") as file:
            return file.read()
    except (OSError, EOFError):
        return ""


def files(*patterns):
    found = (path for pattern in patterns for path in glob.glob(pattern, recursive=True))
    return sorted(set(found))


def package_descriptions():
    """Synopses and paragraphs of the packages that dpkg and apt know."""
    for path in files("/var/lib/dpkg/status", "/var/lib/apt/lists/*_Packages", "/var/lib/apt/lists/*_Packages.gz",
                      "/var/lib/apt/lists/*_Translation-en", "/var/lib/apt/lists/*_Translation-en.gz"):
        for match in re.finditer(r"^Description(?:-en)?: (.*)\n((?: .*\n)*)", read_text(path), re.M):
            yield match.group(1) + ".\n\n" + re.sub(r"^ \.?", "", match.group(2), flags=re.M)


def documentation():
    """Prose in reStructuredText, manual pages in POD and plain READMEs."""
    for path in files("/usr/share/cmake-*/Help/**/*.rst", "/usr/share/perl/*/pod/*.pod", "/usr/share/perl/*/**/*.pod",
                      "/usr/share/doc/*/README*", "/usr/share/info/*.gz"):
        text = re.sub(r":[a-z:]+:`([^`<]*?)(?: <[^>]*>)?`", r"\1", read_text(path))
        yield re.sub(r"``|[A-Z]<([^<>]*)>", r"\1", text)


def docstrings():
    for path in files("/usr/lib/python3*/**/*.py"):
        if "/test/" in path or "/tests/" in path:
            continue
        try:
            tree = ast.parse(read_text(path))
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                yield ast.get_docstring(node) or ""


def comments():
    """Comments of C and C++ headers."""
    for path in files("/usr/include/**/*.h", "/usr/include/c++/*/**"):
        if os.path.isfile(path):
            for block in re.findall(r"/\*.*?\*/|(?:^\s*//.*\n)+", read_text(path)[:200_000], re.S | re.M):
                yield re.sub(r"^\s*(/\*+|\*/|\*|///?)|\*/|[@\\](brief|return|returns|note)\b", " ", block, flags=re.M)


def character_names():
    for code in range(sys.maxunicode + 1):
        name = unicodedata.name(chr(code), "")
        if name and "CJK " not in name and "HANGUL SYLLABLE" not in name and "-" not in name[-6:]:
            yield f"Character {chr(code) if chr(code).isprintable() else ''} {name.capitalize()}."


SOURCES = [package_descriptions, documentation, docstrings, comments, character_names]


def sentences(text):
    """The sentences of a text that can stand alone as a caption."""
    for paragraph in re.split(r"\n\s*\n", text):
        line = " ".join(paragraph.split())
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z])", line):
            letters = sum(map(str.isalpha, sentence))
            sound = 20 <= len(sentence) <= 240 and sentence[0].isalpha() and letters >= 0.6 * len(sentence)
            if sound and sentence.count(" ") >= 3 and "\ufffd" not in sentence:
                yield sentence


def collect(count, sources):
    """Up to `count` captions, each once, as (source, caption)."""
    seen, captions = set(), []
    for source in sources:
        for text in source():
            for sentence in sentences(text):
                if sentence.casefold() not in seen:
                    seen.add(sentence.casefold())
                    captions.append((source.__name__, sentence))
                if len(captions) == count:
                    return captions
    return captions


def write(captions, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target + ".part", "w", encoding="utf-8") as file:
        for number, (source, caption) in enumerate(captions):
            file.write(json.dumps({"id": number, "source": source, "caption": caption}, ensure_ascii=False) + "\n")
    os.replace(target + ".part", target)


def count_lines(path):
    return read_text(path).count("\n") if os.path.exists(path) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=COUNT, help="how many captions (%(default)s)")
    parser.add_argument("--fresh", action="store_true", help="gather again even if there are enough")
    arguments = parser.parse_args()
    if not arguments.fresh and count_lines(TARGET) >= arguments.count:
        print(f"kept {count_lines(TARGET)} captions in {os.path.relpath(TARGET)}")
        return 0
    captions = collect(arguments.count, SOURCES)
    if len(captions) < arguments.count:
        print(f"only {len(captions)} captions on this host, {arguments.count} are needed", file=sys.stderr)
        return 1
    write(captions, TARGET)
    print(f"gathered {len(captions)} captions into {os.path.relpath(TARGET)}")
    for source in SOURCES:
        print(f"  {sum(name == source.__name__ for name, _ in captions):6} from {source.__name__.replace('_', ' ')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
