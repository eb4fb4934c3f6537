"""program.py in the interpreter of this host."""
import contextlib
import io
import pathlib
import subprocess
import sys
import types
import unittest
import warnings

SOURCE = (pathlib.Path(__file__).parent / "python/program.py").read_text()
PROGRAM: dict = {}
exec(compile(SOURCE, "program.py", "exec"), PROGRAM)
NAME = PROGRAM["NAME"]


def compiled(source):
    return compile(source, NAME, "exec", dont_inherit=True)


def described(value):
    """All of a code object that it is executed and told of by."""
    if isinstance(value, types.CodeType):
        return {name: described(getattr(value, name)) for name in dir(value)
                if name.startswith("co_") and name not in ("co_lines", "co_positions", "co_lnotab", "co_branches")}
    if isinstance(value, (tuple, frozenset)):
        return type(value)(map(repr, map(described, value)))
    return repr(value)


def outcome(make, source):
    said = io.StringIO()
    with contextlib.redirect_stderr(said), warnings.catch_warnings():
        warnings.simplefilter("always")
        try:
            made = described(make(source))
        except BaseException as error:
            made = type(error), str(error), getattr(error, "filename", ""), getattr(error, "lineno", 0)
    return made, said.getvalue()


def run(source, *options):
    return subprocess.run([sys.executable, "-I", *options, "-c", f"{SOURCE}\nrun({source!r}, None)"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)


class CodeOf(unittest.TestCase):
    def expect_same(self, *sources):
        for source in sources:
            with self.subTest(source=source[:60]):
                self.assertEqual(outcome(PROGRAM["code_of"], source), outcome(compiled, source))
                self.assertIsNone(sys.gettrace())

    def test_code_is_what_compile_makes_of_it(self):
        self.expect_same("", "print(1+1)", "'a doc'\n", "x = 1\f\ny = 2", "# coding: latin-1\nx = 'é'", "global q\nq = 1",
                         "from __future__ import annotations\nx: int = 1", "import os; os.x = {1, 2, (3, 'a')}",
                         "def f(a, *, b=1):\n  return lambda: [x + a for x in (1, 2)]\nclass A:\n  def m(self): yield 1\n",
                         "async def g():\n  async for i in g(): yield i\n", pathlib.Path(__file__).read_text())

    def test_what_is_wrong_is_told_as_compile_tells_it(self):
        self.expect_same("x =", "  x", "return 1", "(" * 300, "\0", "x is 1", "x is 1\n" * 20_000, "'\\d'", "assert (1, 2)", "'" * 5, "a\n b")

    def test_warnings_are_as_they_were_before(self):
        before = list(warnings.filters)
        PROGRAM["code_of"]("1")
        PROGRAM["code_of"]("x is 1")
        self.assertEqual(warnings.filters, before)

    def test_whoever_is_called_meanwhile_is_not_the_program(self):
        # The collector calls it in the middle of compiling.
        source = "import sys\nsys.stdout.write('x')\n" + "".join(
            f"def f{i}(a, b=({i}, 'q{i}')): return lambda: [a, ({i}.5, 'k{i}')]\n" for i in range(1200))
        for make in ("def __del__(self): 1", "exec('def __del__(self): 1')"):
            before = f"class A:\n  {make}\na = A(); a.a = a; del a\n"
            done = subprocess.run([sys.executable, "-I", "-c", f"{SOURCE}\n{before}run({source!r}, None)"],
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
            self.assertEqual((done.stdout, done.stderr, done.returncode), ("x", "", 0))

    def test_a_program_is_executed_once_and_has_its_own_name(self):
        for options in ([], ["-S"]):
            done = run("import posix, sys\nposix.write(1, b'once ')\ndef f(): 1 / 0\nprint(sys.gettrace())\nf()\n", *options)
            self.assertEqual((done.stdout, done.returncode), ("once None\n", 1), done.stderr)
            self.assertIn(f'File "{NAME}", line 3, in f\n    def f(): 1 / 0', done.stderr)
            self.assertEqual(run("x = 1\nif x is 1: print(2)", *options).stdout, "2\n")
            self.assertIn(f'File "{NAME}", line 1\n', run("x =", *options).stderr)


if __name__ == "__main__":
    unittest.main()
