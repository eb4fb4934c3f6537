"""The reasons of common/base/reason_table.h, and what is made of them: tables of docs, types of both clients."""
import dataclasses
import re

from api_model import ROOT

TABLE = "common/base/reason_table.h"
NOTE = f"Made by scripts/generate from {TABLE}: change that, not this."
ROW = re.compile(r'^    \{"(?P<word>\w+)", (?P<codes>[\w |]+), (?:"(?P<remedy>(?:[^"\\]|\\.)*)"|(?P<same>kSame))'
                 r'(?:, (?P<http>\d+)(?:, (?P<exit>\w+))?)?\},$')


@dataclasses.dataclass(frozen=True)
class Reason:
    word: str
    section: str  # a heading of docs/troubleshooting.md
    codes: tuple  # InvalidArgument, …; empty: of no error
    remedy: str  # empty: that of the one before
    http: int
    exit: str


def read_reasons(root=ROOT):
    found, section = [], None
    for number, line in enumerate((root / TABLE).read_text().split("kRows[] = {\n")[1].split("\n};")[0].splitlines(), 1):
        if heading := re.fullmatch(r"    // -- (.+)", line):
            section = heading.group(1)
            continue
        row = ROW.match(line)
        if not row:
            raise ValueError(f"{TABLE}: row {number} is not one line of the usual form: {line}")
        codes = () if row["codes"] == "kStatus" else tuple(each.removeprefix("k") for each in row["codes"].split(" | "))
        remedy = (row["remedy"] or "").replace('\\"', '"').replace("\\\\", "\\")
        found.append(Reason(row["word"], section, codes, remedy, int(row["http"] or 0), row["exit"] or ""))
    return found


def rows_of(reasons):
    """Lines of a table, one for each remedy."""
    lines = []
    for each in reasons:
        if each.remedy:
            lines.append(([], each.remedy))
        lines[-1][0].append(f"`{each.word}`")
    return [f"| {', '.join(words)} | {remedy} |" for words, remedy in lines]


def troubleshooting(text, reasons):
    """The page with the tables of these reasons; its prose stays."""
    for section in dict.fromkeys(each.section for each in reasons):
        table = re.compile(rf"(?m)(^## {re.escape(section)}\n(?:(?!##|\|).*\n)*\| code .*\n\|---\|---\|\n)(?:\|.*\n)*")
        rows = "\n".join(rows_of([each for each in reasons if each.section == section])) + "\n"
        text, times = table.subn(lambda found: found.group(1) + rows, text)
        if times != 1:
            raise ValueError(f"docs/troubleshooting.md needs one section \"{section}\" with a table of codes")
    return text


def python(reasons):
    words = "".join(f'    "{each.word}",\n' for each in reasons)
    return f'''"""Every word that `PaddockError.code` and the reason of a status can be. {NOTE}"""
from typing import Literal

# A later server may say others.
Reason = Literal[
{words}]
'''


def typescript(reasons):
    words = "\n".join(f'  | "{each.word}"' for each in reasons)
    return f"// Every word that `PaddockError.code` and the reason of a status can be.\n// {NOTE}\n\nexport type Reason =\n{words};\n"
