"""What the checker of snippets says of code, by itself: every name of the lists, in every form, and
sources made to break it."""
import importlib.util
import sys
import unicodedata
import unittest

from harness import SOURCE, main

PROGRAM = SOURCE / "node-agent/snippets/python/validator.py"


def load():
    spec = importlib.util.spec_from_file_location("validator", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


validator = load()


def texts(source):
    return [text for text, _ in validator.check(source)["errors"]]


class Lists(unittest.TestCase):
    # proves: ELV-19, ELV-20, ELV-21, ELV-22, ELV-23, ELV-24, ELV-25, ELV-26, ELV-27, ELV-28, ELV-29, ELV-30
    def test_imports_in_every_form(self):
        names = ("os subprocess socket requests sys ctypes multiprocessing threading signal urllib http shutil pathlib "
                 "glob tempfile importlib builtins code codeop pickle marshal shelve dbm sqlite3 pty tty fcntl resource "
                 "syslog asyncio aiohttp httpx ssl ftplib smtplib poplib imaplib telnetlib webbrowser pdb trace gc")
        for name in names.split():
            for form in ("import {}", "from {} import x", "import {} as z", "import {}.sub", "from {}.sub import x",
                         "import json, {}", "def f():\n    import {}", "from {} import *",
                         "try:\n    import {}\nexcept ImportError: pass"):
                self.assertEqual(texts(form.format(name)), [f"Blocked import: {name}"], form)

    # proves: ELV-31, ELV-32, ELV-33, ELV-34, ELV-35, ELV-36, ELV-37, ELV-38, ELV-39, ELV-40
    def test_functions_in_every_form(self):
        for name in "eval exec compile open __import__ getattr setattr delattr globals locals".split():
            for form in ("{}('x')", "f = {}\nf('x')", "x.{}()", "@{}\ndef f(): pass", "[{}(x) for x in y]",
                         "f'{{{}(1)}}'", "map({}, x)", "lambda: {}", "def f(a={}): pass", "x = [{}]",
                         "class A(metaclass={}): pass", "f = x.{}", "print(*{}())", "match x:\n case {}(): pass"):
                self.assertIn(f"Blocked function: {name}", texts(form.format(name)), form)

    # proves: ELV-33
    def test_a_regular_expression_may_be_compiled(self):
        self.assertEqual(texts("import re\nre.compile('a')"), [])
        self.assertEqual(texts("import re as r\nr.compile('a')"), [])
        for source in ("import re\nre = x\nre.compile('a')", "re.compile('a')", "import re\ncompile('a')",
                       "import re\ndef f(re): re.compile('a')", "import re\nfor re in x: re.compile('a')",
                       "import re\nre.eval('a')", "import re\nfrom x import y as re\nre.compile('a')"):
            self.assertNotEqual(texts(source), [], source)

    def test_attributes_by_text_need_text_that_is_there_to_be_looked_at(self):
        for code in ("import operator\noperator.attrgetter('__glo' + 'bals__')(print)", "import operator as o\nmap(o.attrgetter, ['x'])",
                     "from operator import methodcaller\nmethodcaller(name)", "from operator import attrgetter as get",
                     "from operator import *\nattrgetter(*names)", "import operator\nget = operator.attrgetter"):
            self.assertTrue(any("Blocked function" in each for each in texts(code)), code)
        for code in ("from operator import attrgetter, itemgetter, methodcaller, mul\n"
                     "print(sorted([1j, 2j], key=attrgetter('imag')), itemgetter(0)([3]), methodcaller('join', 'ab')('-'), mul(2, 3))",):
            self.assertEqual(texts(code), [], code)

    # proves: ELV-42, ELV-43, ELV-44, ELV-45, ELV-46, ELV-47, ELV-48
    def test_patterns_anywhere(self):
        # The wider list without __file__, __name__ and __package__, which the last test of this class has.
        for name in ("__class__ __globals__ __subclasses__ __mro__ __code__ __dict__ __bases__ __import__ __builtins__ "
                     "__loader__ __spec__").split():
            hidden = name.replace("_", "\\x5f")
            for form in (f"x.{name}", f"'{name}'", f"# {name}", f"'{{0.{name}}}'.format(x)", f"'{hidden}'", f"b'{name}'",
                         f"'{name[:4]}' '{name[4:]}'", f"f'{{x.{name}}}'", f"def {name}(): pass", f"f(x={name})"):
                self.assertIn(f"Blocked pattern: Access to {name} attribute", texts(form), form)

    def test_ordinary_code_passes(self):
        for source in ("import json, math, re\nprint(isinstance(1, int), type(1), dir())", "class A:\n    def __init__(self): pass",
                       "if __name__ == '__main__': print(1)", "x.opened()", "evaluate = 1", "import pandas as pd\npd.read_json('x')"):
            self.assertEqual(texts(source), [], source)

    # proves: ELV-50
    def test_all_findings_with_their_lines(self):
        self.assertEqual(validator.check("import os\nx = 1\neval('1')\nimport os\n")["errors"],
                         [["Blocked import: os", 1], ["Blocked function: eval", 3], ["Blocked import: os", 4]])


class Tricks(unittest.TestCase):
    def test_names_that_look_different(self):
        self.assertEqual(texts("import ｏｓ"), ["Blocked import: os"])
        self.assertEqual(texts("ｅｖａｌ('1')"), ["Blocked function: eval"])
        self.assertEqual(texts("x.__ｃlass__"), ["Blocked pattern: Access to __class__ attribute"])
        self.assertEqual(texts("x.𝐞𝐱𝐞𝐜()"), ["Blocked function: exec"])

    # proves: ELV-49
    def test_what_cannot_be_parsed(self):
        for source in ("def (", "\0", "return 1", "x = " + "9" * 5000, "a\n\tb\n        c", "\ufeff\ufeffx", "'" * 3):
            found = texts(source)
            self.assertTrue(found and found[0].startswith("Syntax error: "), (source, found))

    def test_marks_that_take_for_ever_to_normalise_are_refused_before_they_are(self):
        marks = sorted((chr(c) for c in range(0x300, 0x800) if unicodedata.combining(chr(c))), key=unicodedata.combining)
        many = "".join(each * 190 for each in reversed(marks))  # a name of them is half a minute's work for the parser
        for source in (f"x{many} = 1", f"# {many}", f"'{many}'", "x" + "\u0f73" * 30_000, "x" + "\ufb1d" + "\u0344" * 20):
            self.assertEqual(texts("\n" + source), ["Syntax error: more than 30 combining marks in a row"])
            self.assertEqual(validator.check("\n" + source)["errors"][0][1], 2)
        for source in ("x" + "\u0301" * 30 + " = 1", "# " + "e\u0301" * 1000, "# " + "\ufb1d" * 1000, "# naïve 🦆 한국어 हिन्दी"):
            self.assertEqual(texts(source), [], source)

    def test_a_cookie_changes_nothing(self):
        self.assertEqual(texts("# -*- coding: utf-7 -*-\nprint(1)"), [])
        self.assertEqual(texts("# -*- coding: utf-7 -*-\nimport os"), ["Blocked import: os"])

    def test_deep_and_huge_sources(self):
        for piece, tail in (("(", ""), ("-", "1"), ("[", ""), ("x.", "y"), ("f(", ""), ("1+", "1"), ("not ", "1"),
                            ("lambda:", "1"), ("1 if 1 else ", "1"), ("x[0]", ""), ("a=", "1"), ("{", ""), ("x;", "1")):
            source = (piece * (99_000 // len(piece)) + tail)[:100_000]
            validator.check(source)  # it says something, whatever it is
        self.assertEqual(texts("x" * 100_000), [])
        self.assertEqual(len(validator.check("import os\n" * 10_000)["errors"]), 10_000)


if __name__ == "__main__":
    main()
