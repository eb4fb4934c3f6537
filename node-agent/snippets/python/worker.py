# Behind program.py, in an interpreter that serves one request. sys.argv: the module search path,
# then what to load beforehand. Says a byte when it is ready, reads one request from its standard
# input and executes it.


def load(names):
    if not names:
        return
    import atexit  # noqa: F401
    import gc
    import json  # noqa: F401
    import os
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one thread: no address space for more
    for name in names:
        try:
            __import__(name)
        except Exception:
            pass  # the agent knows which these are, and told its operator
    del os.environ["OPENBLAS_NUM_THREADS"]
    gc.collect()
    gc.freeze()


def read_request():
    null = posix.open("/dev/null", posix.O_RDONLY)
    posix.write(0, b".")
    pieces = []
    while piece := posix.read(0, 1 << 16):
        pieces.append(piece)
    posix.dup2(null, 0)
    posix.close(null)
    head, _, rest = b"".join(pieces).partition(b"\n")
    size = int(head)
    given = rest[size:]
    if not given:
        return rest[:size].decode(), None
    import json
    return rest[:size].decode(), json.loads(given)


sys.path[:] = sys.argv[1].split(":")
load(sys.argv[2:])
run(*read_request())
