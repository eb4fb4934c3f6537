# The head of each program that runs a caller's code inside a sandbox: run() executes it as a program
# of its own, ends the process, and never returns. No import here that a program without it would
# have to wait for.
import posix
import sys

NAME = "/tmp/code.py"
PLAIN = 100_000  # characters: what is longer takes its time anyway


def lines_of(code):
    import io
    return io.StringIO(code, None).readlines()  # as Python counts them: no form feed ends a line


def show(error, code):
    import linecache
    import traceback
    linecache.cache[NAME] = (len(code), None, lines_of(code), NAME)
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


def code_of(source):
    """As compile() makes it, but for what that does first, once in a process: a type for each kind of
    syntax node, a tenth of a cold start. exec() does without; it is stopped before the first line.
    Whatever is not plain, errors and warnings too, is left to compile()."""
    if len(source) > PLAIN:
        return compile(source, NAME, "exec", dont_inherit=True)
    import _imp
    import _warnings
    space = {"__builtins__": {}}
    found = []

    def stop(frame, event, argument):
        if frame.f_globals is space:  # and no finalizer's, which may be called meanwhile
            found.append(frame.f_code)
            raise StopIteration

    strict = ("error", None, Warning, None, 0)
    filters = getattr(sys.modules.get("warnings"), "filters", _warnings.filters)
    filters.insert(0, strict)
    try:
        sys.settrace(stop)
        exec(source, space)
    except BaseException:
        pass
    finally:
        sys.settrace(None)
        filters.remove(strict)
    if not found:
        return compile(source, NAME, "exec", dont_inherit=True)
    _imp._fix_co_filename(found[0], NAME)
    return found[0]


def run(code, data, **names):
    import builtins
    builtins.exit = builtins.quit = sys.exit
    module = type(sys)("__main__")
    module.input_data = data
    module.__dict__.update(names)
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    sys.argv[:] = [""]
    status = 0
    try:
        exec(code_of(code), module.__dict__)
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
