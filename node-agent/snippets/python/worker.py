# Runs inside a sandbox, in an interpreter that serves one request. sys.argv: the module search path,
# then what to load beforehand. Says a byte when it is ready, reads one request from its standard
# input and executes it. No import here that a program without it would have to wait for.
import posix
import sys


def load(names):
    if not names:
        return
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
    posix.write(0, b".")
    pieces = []
    while piece := posix.read(0, 1 << 20):
        pieces.append(piece)
    null = posix.open("/dev/null", posix.O_RDONLY)
    posix.dup2(null, 0)
    posix.close(null)
    head, _, rest = b"".join(pieces).partition(b"\n")
    size = int(head)
    given = rest[size:]
    if not given:
        return rest[:size].decode(), None
    import json
    return rest[:size].decode(), json.loads(given)


def show(error, code):
    import linecache
    import traceback
    linecache.cache[NAME] = (len(code), None, code.splitlines(True), NAME)
    inner = error.__traceback__
    while inner and inner.tb_frame.f_code.co_filename != NAME:
        inner = inner.tb_next
    traceback.print_exception(type(error), error, inner)


def exit_code(value):
    if value is None:
        return 0
    if isinstance(value, int):
        return value & 255
    print(value, file=sys.stderr)
    return 1


def finish():
    threading = sys.modules.get("threading")
    if threading:
        threading._shutdown()
    import atexit
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def run(code, data):
    import builtins
    builtins.exit = builtins.quit = sys.exit
    module = type(sys)("__main__")
    module.input_data = data
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    sys.argv[:] = [""]
    status = 0
    try:
        exec(compile(code, NAME, "exec", dont_inherit=True), module.__dict__)
    except SystemExit as leaving:
        status = exit_code(leaving.code)
    except BaseException as error:
        status = 1
        try:
            show(error, code)
        except BaseException:
            posix.write(2, type(error).__name__.encode() + b"\n")
    try:
        finish()
    except BaseException:
        status = status or 120
    posix._exit(status)


NAME = "/tmp/code.py"
sys.path[:] = sys.argv[1].split(":")
load(sys.argv[2:])
run(*read_request())
