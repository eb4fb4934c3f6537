"""The table of reasons, of which docs/troubleshooting.md is made, against the sources: every word of it is said somewhere, and
every word that is said is in it."""
import functools
import re
import sys
import unittest

from harness import SOURCE, main

sys.path.insert(0, str(SOURCE / "scripts"))
from reasons import TABLE, read_reasons  # noqa: E402

PROGRAMS = ("common", "controller", "node-agent", "cli", "clients/python/paddock", "clients/typescript/src")
TESTS = re.compile(r"_(test|fuzz)\.cc$|_(fixture|test_support)\.(h|cc)$|^(reasons|types)\.(py|ts)$")
# Made of a kind and of what became of it, by Reason::of_kind.
KINDS = re.findall(r"KindNames\{(\w+)::kKind", (SOURCE / "common/contracts/kinds.h").read_text())
OF_KINDS = re.compile(rf"({'|'.join(KINDS).upper()})_(NOT_FOUND|ALREADY_EXISTS)")
# Words in capitals that are no reasons: names of variables, of the kernel's and of C's, of results (docs/results.md).
OTHER = re.compile(
    r"(AF|RLIMIT|PADDOCK|XDG|OD|FILE_TYPE|SIGNAL|SLURM|NPM_CONFIG|OPENCODE_TEST|E_LIMIT|CLAUDE_CONFIG|CODEX|E_CAPABILITY|PYTEST)_\w+"
    r"|KUBERNETES_SERVICE_HOST|LC_ALL|REQUEUE_HOLD|COVERAGE_PROCESS_START|CUDA_VISIBLE_DEVICES|GLIBC_TUNABLES|LSAN_OPTIONS|(OMP|MKL|OPENBLAS)_NUM_THREADS|NUMEXPR_MAX_THREADS|LD_LIBRARY_PATH|NO_COLOR|PATH_ESCAPES|VIRTUAL_ENV"
    r"|CERTIFICATE_VERIFY_FAILED|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?|UNABLE_TO_(GET|VERIFY)_\w+"  # OpenSSL's
    r"|CAPABILITY_DENIED|CPU_LIMIT|MEM_LIMIT|FORBIDDEN_SYSCALL|INTERNAL_ERROR|KILLED_KILL|KILLED_TERM|LIMIT_EXCEEDED|NOT_FOUND|ALREADY_EXISTS")


@functools.cache
def said():
    """{word: a file that says it}"""
    found = {}
    for folder in PROGRAMS:
        for path in sorted((SOURCE / folder).rglob("*")):
            if path.suffix in (".cc", ".h", ".py", ".ts") and not TESTS.search(path.name) and str(path.relative_to(SOURCE)) != TABLE:
                for word in re.findall(r'"([A-Z][A-Za-z0-9]*(?:_[A-Z0-9]+)*)"', path.read_text()):
                    found.setdefault(word, str(path.relative_to(SOURCE)))
    return found


@functools.cache
def table():
    return {each.word for each in read_reasons(SOURCE)}


class Troubleshooting(unittest.TestCase):
    def test_every_word_that_is_said_is_in_the_table(self):
        missing = {word: where for word, where in said().items()
                   if "_" in word and where.startswith(("common", "controller", "node-agent", "cli/"))
                   and word not in table() and not OTHER.fullmatch(word)}
        self.assertEqual(missing, {}, f"{TABLE} lacks these; or they are no reasons, then OTHER lacks them")

    def test_every_word_of_the_table_is_said(self):
        self.assertEqual([word for word in table() if word not in said() and not OF_KINDS.fullmatch(word)], [])

    def test_what_goes_wrong_most_names_words_of_the_table(self):
        text = (SOURCE / "docs/troubleshooting.md").read_text().split("## Who are you")[0].split("## What goes wrong most")[1]
        self.assertEqual([word for word in re.findall(r"`([A-Z0-9]+_[A-Z_0-9]+)`", text) if word not in table()], [])


if __name__ == "__main__":
    main()
