"""The transcripts in the README and in the pages for each kind of user are what a real instance says.

In a block of ```console a line after `$ ` is typed, and after `> ` the rest of it; those below are what is said. `…` alone stands for
any lines, at a line's end for the rest of it; names
that are made up, ports, times, this host's name, Python's version and how many forbidden things there are may differ, nothing else."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import traceback
import unittest

from harness import BIN, PATIENCE_S, SOURCE, main

SAID = "--- said {} ---"
ANY_LINES = "…"
ALIKE = (  # what may differ, and what stands for it on both sides
    (r"\b(\w+)-[a-z0-9]{5}\b(?=[\s:]|$)", r"\1-NAME"),  # a run's name: its folder's, and five characters
    (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r"\b(\d+) of \1\b", "ALL of ALL"),
    (r"(\bon node |\bSucceeded +\d+ +)\S+", r"\1NODE"),
    (r"\bnode \S+ is\b", "node NODE is"),
    (r"\bpython3\.\d+", "python3.MINOR"),
    (r"\b(\d+(\.\d+)?(ms|s|m|h))+\b", "TIME"),
    (r"\s+", " "),  # columns are as wide as what is in them
)


def blocks(text):
    return re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)


def steps(text):
    """(command, the lines that it says) of each prompt, in order."""
    found = []
    for line in "".join(blocks(text)).splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> ") and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line[2:]}", [])
        else:
            found[-1][1].append(line)
    return found


def essence(line):
    """A line without what may differ."""
    for pattern, stands_for in ALIKE:
        line = re.sub(pattern, stands_for, line)
    return line.strip()


def fits(line, said):
    if line.endswith(ANY_LINES):
        return essence(said).startswith(essence(line.removesuffix(ANY_LINES)))
    return essence(line) == essence(said)


def first_difference(expected, said):
    """None, or the line of the README that nothing fits. A `…` takes as few lines as will do."""
    at, skipping = 0, False
    for line in expected:
        if line == ANY_LINES:
            skipping = True
            continue
        while skipping and at < len(said) and not fits(line, said[at]):
            at += 1
        if at == len(said) or not fits(line, said[at]):
            return line
        at, skipping = at + 1, False
    return None if skipping or at == len(said) else f"(nothing more, where it said: {said[at]})"


class Comparing(unittest.TestCase):
    """A comparison that takes anything would prove nothing."""

    def test_takes_what_may_differ_and_nothing_else(self):
        self.assertIsNone(first_difference(["run hello-knkvp created"], ["run hello-2x9zq created"]))
        self.assertIsNone(first_difference(["took 36ms on node laptop", "18 of 18"], ["took 1.2s on node vm", "20 of 20"]))
        self.assertIsNone(first_difference(["A    RC", "…", "end"], ["A  RC", "1", "2", "end"]))
        self.assertIsNone(first_difference(["by: …"], ["by: somebody"]))
        for expected, said in ((["42"], ["43"]), (["rc 0 (OK)"], ["rc 1 (OK)"]), (["18 of 18"], ["17 of 18"]), (["a"], ["a", "b"]),
                               (["…", "a"], ["b"]), (["a", "b"], ["a"]), (["by: …"], ["to: x"]), (["run hello-knkvp created"], ["run other-knkvp created"]),
                               (["PHASE   RC"], ["PHASE"]), (["network connect on 192.0.2.1:443"], ["network connect on 192.0.2.1:80"])):
            self.assertIsNotNone(first_difference(expected, said), (expected, said))

    def test_finds_each_command_with_what_it_says(self):
        self.assertEqual(steps("x\n```console\n$ a\nb\n$ c\n```\n```sh\n$ no\n```\n```console\n$ d\n```\n"), [("a", ["b"]), ("c", []), ("d", [])])
        self.assertEqual(steps("```console\n$ cat <<X\n> 1\n> X\n1\n> 2\n```\n"), [("cat <<X\n1\nX", ["1", "> 2"])])


class Host:
    """A folder to work in, and instances of its own."""

    def __init__(self, folder):
        self.work = folder / "work"
        self.work.mkdir()
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
        self.env.update(PADDOCK_HOME=str(folder / "state"), PATH=f"{BIN}:{self.env['PATH']}", NO_COLOR="1")

    def shell(self, script):
        shell = subprocess.Popen(["bash", "-c", script], env=self.env, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            return shell.communicate(timeout=2 * PATIENCE_S)[0]
        finally:
            if shell.poll() is None:
                os.killpg(shell.pid, signal.SIGKILL)


class Transcripts(unittest.TestCase):
    def check_page(self, page, least):
        """What the pages do has the times of every day. So a page may be tried again on a machine that is busy with other things: one that
        is wrong is wrong each time."""
        for last in (False, False, True):
            try:
                return self.check_page_once(page, least)
            except AssertionError:
                if last:
                    raise
                traceback.print_exc()  # so that nobody has to guess why it took so long
            self.doCleanups()

    def check_page_once(self, page, least):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-readme-")))
        host = Host(folder)
        self.addCleanup(host.shell, "paddock down")
        typed = steps((SOURCE / page).read_text())
        self.assertGreaterEqual(len(typed), least)
        marks = [SAID.format(number) for number in range(len(typed))]
        said = host.shell("".join(f"echo '{mark}'\n{command}\n" for mark, (command, _) in zip(marks, typed)))
        for number, (mark, (command, expected)) in enumerate(zip(marks, typed)):
            after = said.split(mark + "\n", 1)[1]
            came = after.split(marks[number + 1] + "\n", 1)[0] if number + 1 < len(marks) else after
            difference = first_difference(expected, came.splitlines())
            if difference is not None and "exit code 0" not in host.shell("paddock doctor && echo exit code 0"):
                self.skipTest("this host does not enforce everything: `paddock doctor`")
            self.assertIsNone(difference, f"{page}\n$ {command}\n{came}")

    def test_the_readme(self):
        self.check_page("README.md", 8)

    def test_each_kind_of_users_first_five_minutes(self):
        pages = sorted(path.relative_to(SOURCE) for path in (SOURCE / "docs").glob("for-*.md"))
        self.assertEqual(len(pages), 4)
        for page in pages:
            with self.subTest(page=str(page)):
                self.check_page(page, 8)

    def test_the_python_of_the_pages(self):
        host = Host(pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="paddock-readme-"))))
        self.addCleanup(host.shell, "paddock down")
        host.shell("paddock up")
        programs = [(page.name, text) for page in sorted((SOURCE / "docs").glob("*.md"))
                    for text in re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)]
        self.assertGreaterEqual(len(programs), 2)
        for page, text in programs:
            with self.subTest(page=page):
                done = subprocess.run([sys.executable, "-c", 'code = "print(6 * 7)"\n' + text], cwd=host.work, capture_output=True, text=True,
                                      env={**host.env, "PYTHONPATH": str(SOURCE / "clients" / "python")}, timeout=2 * PATIENCE_S)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    main()
