"""Each option that a command's help names is read by that command, and none is read that no help names: shown on the sources.

A name that is wrong in one of both places is an option that is taken and ignored.
"""
import os
import pathlib
import re
import subprocess
import unittest

from harness import BIN, main

SOURCES = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
ROW = re.compile(r"^    '([^']+)'\) words=\"[^\"]*\"; flags=\"([^\"]*)\"", re.M)
FUNCTION = re.compile(r'std::pair<std::string_view, CommandFunction>\{"([^"]+)", (\w+)\}')
# What is read of a command line, by whichever name the line has there.
READ = re.compile(r'\b(?:parsed|wanted)\.(?:has|text|list)\("([^"]+)"')
LITERAL = re.compile(r'"([\w.-]+)"')


def help_of(path):
    return subprocess.run([BIN / "paddock", "help", *path.split()], text=True, capture_output=True, check=True, timeout=60).stdout


def options_of(text):
    """The first long name of each option: the one by which it is read."""
    return set(re.findall(r"^  (?:-\w, |    )--([\w-]+)", text, re.M))


def arguments_of(text):
    usage = re.search(r"^Usage: .*$", text, re.M).group()
    return set(re.findall(r"[A-Z][A-Za-z.]*", usage.removeprefix("Usage: ")))


def read_sources():
    found = {}
    for path in (SOURCES / "cli").rglob("*.*"):
        name = str(path.relative_to(SOURCES))
        table = name.startswith("cli/grammar/") and not name.startswith("cli/grammar/other_way")
        if path.suffix in (".h", ".cc") and not name.endswith("_test.cc") and not table:
            found[name] = path.read_text()
    return found


class Commands:
    """Which files each command can reach: its own, those of the headers that they include, and those of commands that they call."""

    def __init__(self, sources):
        self.sources = sources
        self.functions = dict(FUNCTION.findall(sources["cli/commands/run_cli.cc"]))
        self.homes = {function: name for name, text in sources.items() if name.endswith(".cc")
                      for function in re.findall(r"^int (\w+_command)\(", text, re.M)}

    def next_files(self, name):
        text = self.sources[name]
        for header in re.findall(r'#include "(cli/[^"]+)\.h"', text):
            if header != "cli/commands/commands":
                yield from (header + ".h", header + ".cc")
        for function in re.findall(r"\b(\w+_command)\(", text):
            if function in self.homes:
                yield self.homes[function]

    def files(self, path):
        seen, ahead = set(), [self.homes[self.functions[path]]]
        while ahead:
            name = ahead.pop()
            if name in self.sources and name not in seen:
                seen.add(name)
                ahead.extend(self.next_files(name))
        return seen


def faults(sources, helps):
    commands = Commands(sources)
    out, may_be_read = [], {}
    everywhere = None
    for path, text in helps.items():
        own = options_of(text)
        everywhere = own if everywhere is None else everywhere & own
        for name in commands.files(path):
            may_be_read.setdefault(name, set()).update(own | arguments_of(text))
    for path, text in helps.items():
        literals = {word for name in commands.files(path) for word in LITERAL.findall(sources[name])}
        # --no-X of a switch X is put together where it is read.
        unread = {each for each in options_of(text) - everywhere if each not in literals and each.removeprefix("no-") not in literals}
        out += [f"`{path}` does not read its option --{each}" for each in sorted(unread)]
    for name, allowed in sorted(may_be_read.items()):
        out += [f"{name} reads `{each}`, which none of its commands has" for each in sorted(set(READ.findall(sources[name])) - allowed)]
    return out


class Table(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        script = subprocess.run([BIN / "paddock", "completion", "bash"], text=True, capture_output=True, check=True, timeout=60).stdout
        cls.helps = {path: help_of(path) for path, _ in ROW.findall(script)}
        cls.sources = read_sources()

    def test_every_option_is_read_and_no_other(self):
        self.assertGreater(len(self.helps), 60)
        self.assertEqual(faults(self.sources, self.helps), [])

    def test_planted_faults_are_found(self):
        receipts = "cli/commands/receipts.cc"
        planted = dict(self.sources, **{receipts: self.sources[receipts].replace('parsed.text("to")', 'parsed.text("--to")')})
        self.assertEqual(faults(planted, self.helps), ["`receipt-keys` does not read its option --to",
                                                       "cli/commands/receipts.cc reads `--to`, which none of its commands has"])
        helps = dict(self.helps, cordon=self.helps["cordon"] + "      --grace D  how long\n")
        self.assertEqual([each for each in faults(self.sources, helps) if "--grace" in each], [])  # `drain` beside it reads it
        helps = dict(self.helps, cordon=self.helps["cordon"] + "      --softly D  how long\n")
        self.assertEqual(faults(self.sources, helps), ["`cordon` does not read its option --softly"])


if __name__ == "__main__":
    main()
