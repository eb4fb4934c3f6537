# Says, once, what the interpreter inside is like: {"path": [...], "libraries": [...], "missing": [...]}.
import importlib.util
import json
import sys

sys.path = [each for each in sys.path if each]
path = list(sys.path)
libraries, missing = [], []
for name in sys.argv[1:]:
    try:
        found = importlib.util.find_spec(name)
    except Exception:
        found = None
    (libraries if found else missing).append(name)
print(json.dumps({"path": path, "libraries": libraries, "missing": missing}))
