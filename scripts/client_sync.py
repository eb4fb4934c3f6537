"""The blocking Python client, made from the one of asyncio: the same lines without `async` and `await`."""
import re

MODULES = ("_transport", "attached", "client", "commands", "events", "runs", "sandboxes", "workspaces")
HEAD = "# Made by scripts/generate from _aio/{}.py: change that, not this.\n"
WORDS = ((r"\basync (?=def |with |for )", ""), (r"\bawait ", ""), (r"\bAsync(?=[A-Z])", ""), (r"\bStopAsync", "Stop"), (r"\b__a(enter|exit|iter)__", r"__\1__"),
         (r"\b__anext__", "__next__"), (r"\baclos(e|ing)\b", r"clos\1"), (r"\bfrom \.\.(?=\w| import)", "from ."),
         (r"\basynccontextmanager\b", "contextmanager"),
         (r"Awaitable\[T\]", "T"), (r"import Any, Awaitable, ", "import Any, "))


def blocking(line):
    for pattern, word in WORDS:
        line = re.sub(pattern, word, line)
    return line


def open_bracket(line, before):
    """The column behind the last bracket that a line leaves open; `before`: those that were open already."""
    stack = list(before)
    for column, letter in enumerate(line):
        if letter in "([{":
            stack.append(column + 1)
        elif letter in ")]}" and stack:
            stack.pop()
    return stack


def without_async(text):
    """What stood beneath an open bracket stands there again."""
    made, old, new = [], [], []
    for line in text.split("\n"):
        short = blocking(line)
        indent = len(line) - len(line.lstrip())
        if old and indent == old[-1]:
            short = " " * new[-1] + short.lstrip()
        old, new = open_bracket(line, old), open_bracket(short, new)
        made.append(short)
    return "\n".join(made)


def python(root):
    """{path: text}"""
    folder = root / "clients/python/paddock"
    return {f"clients/python/paddock/{name}.py": HEAD.format(name) + without_async((folder / "_aio" / f"{name}.py").read_text()) for name in MODULES}
