# Says, once, what the interpreter inside is like: {"path": [...], "libraries": [...], "missing": [...],
# "worker": program}. sys.argv: the program of those that wait, then the libraries that are wanted.
import importlib.util
import json
import marshal
import sys


def compiled(program):
    """The same, without the time to compile it; an interpreter of another version compiles it after all."""
    code = marshal.dumps(compile(program, "<string>", "exec", dont_inherit=True)).hex()
    return ("import marshal,sys\n"
            f"exec(marshal.loads(bytes.fromhex({code!r})) if sys.hexversion=={sys.hexversion} else {program!r})")


sys.path = [each for each in sys.path if each]
path = list(sys.path)
libraries, missing = [], []
for name in sys.argv[2:]:
    try:
        found = importlib.util.find_spec(name)
    except Exception:
        found = None
    (libraries if found else missing).append(name)
print(json.dumps({"path": path, "libraries": libraries, "missing": missing, "worker": compiled(sys.argv[1])}))
