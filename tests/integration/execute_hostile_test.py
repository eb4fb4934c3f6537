"""POST /execute with sources made to break who reads them: each is answered, and the next caller is served."""
import concurrent.futures
import ctypes
import os
import signal
import socket
import unicodedata

from executing import Executing
from harness import ancestors, command_of, ended, main, pids_running, send, wait_until

MOST = 100_000  # bytes of code
LIBC = ctypes.CDLL(None, use_errno=True)
PIDFD_GETFD = 438  # on every machine


def repeated(piece, tail=""):
    return piece * ((MOST - len(tail)) // len(piece.encode())) + tail


def combining_marks():
    """In an order that takes whoever normalises them quadratic time."""
    marks = sorted((chr(c) for c in range(0x300, 0x800) if unicodedata.combining(chr(c))), key=unicodedata.combining)
    return "x" + "".join(each * 190 for each in reversed(marks))[:MOST // 2 - 10] + " = 1"


DEEP = {
    "parentheses": "(" * MOST, "closed parentheses": "(" * (MOST // 2) + ")" * (MOST // 2), "brackets": "[" * MOST,
    "braces": "{" * MOST, "dictionaries": repeated("{1:"), "calls": repeated("f("), "negations": repeated("-", "1"),
    "nots": repeated("not ", "1"), "powers": repeated("1**", "1"), "sums": repeated("1+", "1"), "attributes": repeated("x.", "y"),
    "subscripts": repeated("x[0]"), "conditions": repeated("1 if 1 else ", "1"), "lambdas": repeated("lambda:", "1"),
    "comparisons": repeated("1<", "1"), "targets": repeated("a=", "1"), "decorators": repeated("@x\n", "def f(): pass"),
    "comprehensions": repeated("[x for x in ", "y"), "f-strings": repeated("f'{"), "awaits": repeated("await ", "x"),
    "patterns": "match x:\n case " + "(" * 50_000, "with": "with " + "(" * 50_000, "types": "x: " + "a[" * 40_000,
    "indented": "".join(" " * depth + "if 1:\n" for depth in range(400)), "strings": repeated("'a' "),
    "nested blocks": "".join(" " * depth + "if 1:\n" for depth in range(99)) + " " * 99 + "print(2)",
}
STRANGE = {
    "a NUL": "x = 1\0\nprint(1)", "nothing but NULs": "\0" * MOST, "form feeds": "\f" * MOST, "returns": "\r" * MOST,
    "escapes of surrogates": "print('\\ud800')", "a mark of order": "\ufeffprint(1)", "two of them": "\ufeff\ufeffprint(1)",
    "a type comment": "x = []  # type: List[(\ndef f():\n    # type: () ->\n    pass\nprint(1)", "type comments": repeated("#type: x\n"),
    "an ignored type": repeated("x=1 # type: ignore[\n"), "a cookie": "# -*- coding: utf-7 -*-\n+AGkAbQBwAG8AcgB0-",
    "an unknown cookie": "# coding: none-such\nprint(1)", "combining marks": combining_marks(), "ligatures": repeated("ﷺ", "=1"),
    "directions": "x = '\u202e\u2066'  # \u202e", "digits": "x = " + "9" * 90_000, "a hexadecimal number": "x = 0x" + "f" * 90_000,
    "a large constant": "x = 'a' * 4000 * 4000 * 4000 * 4000", "a large power": "x = 9 ** 9 ** 9 ** 9", "a shift": "x = 1 << (1 << 62)",
    "one name": "x" * MOST, "many statements": repeated("x;", "1"), "many findings": repeated("eval;"), "continued": repeated("\\\n"),
    "globals": repeated("global x;"), "no end of a string": "'''" + "a\n" * 40_000, "a return": "return 1", "a yield": "yield 1",
}


def has_been_asked(pid):
    """Whether something waits at the standard input of a process that stands still."""
    pidfd = os.pidfd_open(pid)
    try:
        fd = LIBC.syscall(PIDFD_GETFD, pidfd, 0, 0)
        if fd < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    finally:
        os.close(pidfd)
    with socket.socket(fileno=fd) as its_input:
        try:
            return its_input.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return False


class Hostile(Executing):
    def check_answers(self, sources):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            ask = lambda code: wait_until("an answer of a node", lambda: self.served(code, {"timeout_seconds": 10}))  # noqa: E731
            answers = dict(zip(sources, pool.map(ask, sources.values())))
        for name, (status, answer) in answers.items():
            with self.subTest(name):
                self.assertEqual(status, 200, answer)
                self.assertIsInstance(answer["success"], bool)
                if not answer["success"]:
                    self.assertTrue(answer["validation_errors"] or answer["error"] or answer["stderr"], answer)
                self.assertNotIn("the checker ends over it", str(answer["error"]))
        self.assertEqual(self.output_of("print(1)"), "1\n")
        return {name: answer for name, (_, answer) in answers.items()}

    def test_deep_sources_are_answered(self):
        answers = self.check_answers(DEEP)
        nested = self.execute(DEEP["nested blocks"], timeout_seconds=60)
        self.assertEqual(nested["stdout"] or nested["validation_errors"], "2\n")
        self.assertIn("Syntax error: ", answers["parentheses"]["validation_errors"][0])

    def test_strange_sources_are_answered(self):
        answers = self.check_answers(STRANGE)
        self.assertEqual(answers["combining marks"]["validation_errors"],
                         ["Syntax error: more than 30 combining marks in a row"])
        self.assertIn("Syntax error: ", answers["a NUL"]["validation_errors"][0])
        self.assertEqual(self.output_of(STRANGE["a type comment"], timeout_seconds=60), "1\n")

    def test_what_is_too_long_is_no_code_and_what_is_no_text_no_request(self):
        for code in ("x" * (256 << 10), "x=1\n" * (64 << 10), "(" * (1 << 20)):
            answer = self.execute(code)
            self.assertEqual((answer["success"], answer["error"]), (False, "Code exceeds maximum length of 100000 bytes."))
        for body in (b'{"code": "\xff\xfe"}', b'{"code": "\xed\xa0\x80"}', b'{"code": "\\ud800"}', b'{"code": "\\udc00\\ud800"}'):
            status, answer = self.ask("POST", "/execute", body)
            self.assertEqual(status, 422, (body, answer))
        self.assertEqual(self.output_of("print(1)"), "1\n")


class Checker(Executing):
    """What becomes of code when the program that looks at it is lost."""

    def checkers(self):
        mine = set(self.instance.processes())
        return [pid for pid in pids_running("-I") if len(words := command_of(pid)) > 7 and b"def look_for_patterns" in words[-2]
                and mine.intersection(ancestors(pid)) and not ended(pid)]

    def signal_all(self, number):
        self.assertEqual(self.output_of("print(1)"), "1\n")
        found = self.checkers()
        self.assertTrue(found)
        for pid in found:
            os.kill(pid, number)
        return found

    def test_one_that_is_gone_is_replaced(self):
        killed = self.signal_all(signal.SIGKILL)
        wait_until("them to be gone", lambda: all(ended(pid) for pid in killed))
        self.assertEqual(self.output_of("print(1)"), "1\n")
        self.assertFalse(set(killed).intersection(self.checkers()))

    def test_one_that_stands_still_is_replaced_and_not_held_against_the_code(self):
        stopped = self.signal_all(signal.SIGSTOP)
        for _ in stopped:  # each has its turn
            self.assertEqual(self.output_of("print(1)"), "1\n")
        wait_until("them to be gone", lambda: all(ended(pid) for pid in stopped))

    def test_one_that_dies_after_others_code_is_not_held_against_this(self):
        stopped = self.signal_all(signal.SIGSTOP)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            asked = pool.submit(self.output_of, "print(2)")
            try:
                wait_until("one of them to be asked", lambda: any(map(has_been_asked, stopped)))
            except PermissionError as refused:
                self.skipTest(f"whether it was asked is not to be seen here: {refused}")
            finally:
                for pid in stopped:
                    send(signal.SIGKILL, pid)
            self.assertEqual(asked.result(), "2\n")


if __name__ == "__main__":
    main()
