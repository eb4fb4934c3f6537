# The code as a module of a process that multiprocessing starts anew (spawn, forkserver): the name of
# the main module's spec leads here. There the code is executed again, as it is everywhere, with its
# data; what it guards with `if __name__ == "__main__"` is not.
__file__ = "/tmp/code.py"


def begin(names):
    import json
    with open("/tmp/.paddock/input.json", encoding="utf-8") as file:
        names["input_data"] = json.load(file)
    with open(__file__, encoding="utf-8", newline="") as file:
        code = compile(file.read(), __file__, "exec", dont_inherit=True)
    names.pop("begin", None)
    exec(code, names)


begin(globals())
