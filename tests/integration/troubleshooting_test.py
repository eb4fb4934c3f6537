"""docs/troubleshooting.md against the sources: every code that it lists is one, and every code is listed."""
import collections
import functools
import re
import unittest

from harness import SOURCE, main

PROGRAMS = ("common", "controller", "node-agent", "cli")
TESTS = re.compile(r"_(test|fuzz)\.cc$|_(fixture|test_support)\.(h|cc)$")
# Words in capitals that are no codes: names of variables, of the kernel's and of C's, of results (docs/results.md).
OTHER = re.compile(
    r"(AF|RLIMIT|PADDOCK|XDG|OD|NPM_CONFIG|OPENCODE_TEST|E_LIMIT|CLAUDE_CONFIG|CODEX|E_CAPABILITY|PYTEST)_\w+"
    r"|COMMAND_TABLE|KUBERNETES_SERVICE_HOST|COVERAGE_PROCESS_START|CUDA_VISIBLE_DEVICES|GLIBC_TUNABLES|LSAN_OPTIONS|(OMP|MKL|OPENBLAS)_NUM_THREADS|NUMEXPR_MAX_THREADS|LD_LIBRARY_PATH|NO_COLOR|PATH_ESCAPES|VIRTUAL_ENV"
    r"|PROGRAM_NOT_STARTED|PROGRAM_SILENT|TOO_MANY|CAPABILITY_DENIED|CPU_LIMIT|MEM_LIMIT|FORBIDDEN_SYSCALL|INTERNAL_ERROR|KILLED_KILL|KILLED_TERM|LIMIT_EXCEEDED")


@functools.cache
def codes():
    """{code: a file that says it}"""
    found = {}
    for folder in PROGRAMS:
        for path in sorted((SOURCE / folder).rglob("*")):
            if path.suffix in (".cc", ".h") and not TESTS.search(path.name):
                for code in re.findall(r'"([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)"', path.read_text()):
                    if not OTHER.fullmatch(code):
                        found.setdefault(code, str(path.relative_to(SOURCE)))
    return found


@functools.cache
def listed():
    """Codes of the tables behind "Who are you", in order; those before repeat some."""
    text = (SOURCE / "docs/troubleshooting.md").read_text()
    rows = re.findall(r"(?m)^\| (`[A-Z].*?) \|", text.split("## Who are you")[1])
    return [code for row in rows for code in re.findall(r"`([A-Z_0-9]+)`", row)]


class Troubleshooting(unittest.TestCase):
    def test_every_code_is_listed(self):
        missing = {code: where for code, where in codes().items() if code not in listed()}
        self.assertEqual(missing, {}, "docs/troubleshooting.md lacks these; or they are no codes, then OTHER lacks them")

    def test_every_listed_code_exists(self):
        self.assertEqual([code for code in listed() if code not in codes()], [])
        text = (SOURCE / "docs/troubleshooting.md").read_text().split("## Who are you")[0].split("## What goes wrong most")[1]
        self.assertEqual([code for code in re.findall(r"`([A-Z0-9]+_[A-Z_0-9]+)`", text) if code not in codes()], [])

    def test_nothing_is_listed_as_two_things(self):
        self.assertEqual([code for code, times in collections.Counter(listed()).items() if times > 1], [])


if __name__ == "__main__":
    main()
