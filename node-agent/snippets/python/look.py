# Says, once, what the interpreter inside is like: {"path": [...], "libraries": [...], "missing": [...],
# "worker": its arguments}. sys.argv: the program of those that wait, then the libraries that are wanted.
import importlib.util
import json
import marshal
import sys


def compiled(program):
    """What to give `-c`: the same, without the time to compile it, or to read it as source. An interpreter of another
    version compiles it after all."""
    code = marshal.dumps(compile(program, "<string>", "exec", dont_inherit=True)).hex()
    return ["import marshal,sys\n"
            "code,text=sys.argv[1:3]\n"
            "del sys.argv[1:3]\n"
            f"exec(marshal.loads(bytes.fromhex(code)) if sys.hexversion=={sys.hexversion} else text)", code, program]


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
