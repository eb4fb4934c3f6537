# Answers, line by line, what a program may not contain: names, imports and attributes that nobody
# needs for what snippets are for. It tells a caller early and is a second line of defence; what contains a program is the sandbox.
# Each question is a size, a newline and so many bytes of source; each answer a size, a newline and JSON:
# {"errors": [[text, line], …], "imports": [root module, …]}.
import ast
import json
import os
import re
import sys
import unicodedata
import warnings

IMPORTS = frozenset("""
    os subprocess socket requests sys ctypes multiprocessing threading signal urllib http
    shutil pathlib glob tempfile importlib builtins code codeop pickle marshal shelve dbm sqlite3 pty tty
    fcntl resource syslog asyncio aiohttp httpx ssl ftplib smtplib poplib imaplib telnetlib webbrowser pdb
    trace gc posix _posixsubprocess _socket _thread _ctypes _signal _io _pickle pkgutil runpy imp zipimport
    inspect urllib3 socketserver cffi mmap faulthandler
""".split())
FUNCTIONS = frozenset("eval exec compile open __import__ getattr setattr delattr globals locals".split())
PATTERNS = """
    __class__ __globals__ __subclasses__ __mro__ __code__ __dict__ __bases__ __base__ __builtins__
    __import__ __loader__ __spec__ __getattribute__
""".split()
PATTERN = re.compile("|".join(PATTERNS))
# They reach an attribute by a text that need not stand in the code: getattr() under other names.
BY_TEXT = frozenset(("attrgetter", "methodcaller"))
MOST_FINDINGS = 1000  # more say nothing more
MOST_MARKS = 30  # in a row, of text that is normalised (UAX 15, stream-safe): its time is quadratic in their number
NOTHING = {"errors": [], "imports": []}
NOTHING_SAID = json.dumps(NOTHING).encode()
warnings.simplefilter("ignore")  # of the code that is looked at

class Findings:
    def __init__(self):
        self.found = []
        self.seen = set()

    def add(self, text, line):
        if (text, line) not in self.seen:
            self.seen.add((text, line))
            self.found.append([text, line])


def bound_names(tree):
    """Names that something other than `import NAME` may give a meaning to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name != "re":
                    yield alias.asname or alias.name.partition(".")[0]


def names_of_re(tree):
    """What certainly is the module `re`: its compile() is no builtin."""
    names = {alias.asname or "re" for node in ast.walk(tree) if isinstance(node, ast.Import)
             for alias in node.names if alias.name == "re"}
    return names - set(bound_names(tree)) if names else names


def look_at_imports(node, findings, imports):
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    else:
        modules = [] if node.level else [node.module or ""]
    for module in modules:
        root = module.partition(".")[0]
        imports.add(root)
        if root in IMPORTS:
            findings.add(f"Blocked import: {root}", node.lineno)
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            if alias.name in FUNCTIONS and node.module != "re":
                findings.add(f"Blocked function: {alias.name}", node.lineno)


def asks_by_plain_text(node):
    """A call whose text is all there to be looked at, as `attrgetter("price")`."""
    texts = node.args[:1] if name_of(node.func) == "methodcaller" else node.args
    return bool(texts) and all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in texts)


def name_of(node):
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def look_for_attributes_by_text(tree, findings):
    plain = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call) and asks_by_plain_text(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name in BY_TEXT and alias.asname not in (None, alias.name):
                    findings.add(f"Blocked function: {alias.name} by another name", node.lineno)
        elif name_of(node) in BY_TEXT and id(node) not in plain and isinstance(node.ctx, ast.Load):
            findings.add(f"Blocked function: {name_of(node)} of anything but plain text", node.lineno)


def look_at(tree, findings, imports):
    modules_re = names_of_re(tree)
    look_for_attributes_by_text(tree, findings)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            look_at_imports(node, findings, imports)
        elif isinstance(node, ast.Name) and node.id in FUNCTIONS and isinstance(node.ctx, ast.Load):
            findings.add(f"Blocked function: {node.id}", node.lineno)
        elif isinstance(node, ast.Attribute) and node.attr in FUNCTIONS and isinstance(node.ctx, ast.Load):
            mine = isinstance(node.value, ast.Name) and node.value.id in modules_re
            if not (mine and node.attr == "compile"):
                findings.add(f"Blocked function: {node.attr}", node.lineno)


def words_of(tree):
    """Every word that is not simply text of the source: decoded strings, normalised names."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 1)
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                yield node.value, line
            elif isinstance(node.value, bytes):
                yield node.value.decode("latin-1"), line
        else:
            for _, value in ast.iter_fields(node):
                if isinstance(value, str):
                    yield value, line


def look_for_patterns(text, line, findings, each_line):
    counted = 0
    for found in PATTERN.finditer(text):
        if each_line:
            line += text.count("\n", counted, found.start())
            counted = found.start()
        findings.add(f"Blocked pattern: Access to {found.group()} attribute", line)
        if len(findings.found) >= MOST_FINDINGS:
            return


def line_of_many_marks(source):
    """Where there are more combining marks in a row than text has; 0: nowhere."""
    leading_and_trailing, run = {}, 0
    for index, char in enumerate(source):
        if char not in leading_and_trailing:
            marks = [unicodedata.combining(each) != 0 for each in unicodedata.normalize("NFKD", char)]
            leading_and_trailing[char] = (len(marks) if all(marks) else 0, (marks[::-1] + [False]).index(False))
        all_marks, trailing = leading_and_trailing[char]
        run = run + all_marks if all_marks else trailing
        if run > MOST_MARKS:
            return source.count("\n", 0, index) + 1
    return 0


def check(source):
    if not source.isascii() and (line := line_of_many_marks(source)):
        return {"errors": [[f"Syntax error: more than {MOST_MARKS} combining marks in a row", line]], "imports": []}
    findings, imports = Findings(), set()
    tree = None
    try:
        tree = ast.parse(source, "code.py")
        compile(source, "code.py", "exec", dont_inherit=True)
    except SyntaxError as error:
        findings.add(f"Syntax error: {error.msg}", error.lineno or 1)
    except ValueError as error:
        findings.add(f"Syntax error: {error}", 1)
    except (RecursionError, MemoryError):
        findings.add("Syntax error: the code is nested too deeply", 1)
    if tree is not None:
        look_at(tree, findings, imports)
    look_for_patterns(source, 1, findings, True)
    if not source.isascii():
        look_for_patterns(unicodedata.normalize("NFKC", source), 1, findings, True)
    if tree is not None:
        known = {text for text, _ in findings.found}
        hidden = Findings()
        for word, line in words_of(tree):
            look_for_patterns(word, line, hidden, False)
        for text, line in hidden.found:
            if text not in known:
                findings.add(text, line)
    return {"errors": sorted(findings.found, key=lambda each: each[1]), "imports": sorted(imports)}


def read_exactly(size):
    pieces = []
    while size:
        piece = os.read(0, size)
        if not piece:
            sys.exit(0)
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def read_size():
    digits = b""
    while (byte := read_exactly(1)) != b"\n":
        digits += byte
    return int(digits)


def serve():
    os.write(0, b".")
    while True:
        source = read_exactly(read_size()).decode("utf-8")
        answer = check(source)
        answer = NOTHING_SAID if answer == NOTHING else json.dumps(answer).encode()
        answer = str(len(answer)).encode() + b"\n" + answer
        while answer:
            answer = answer[os.write(0, answer):]


if __name__ == "__main__":
    serve()
