# Runs the code of a run of type `code`: both files were there when the sandbox began.
HERE = "/tmp/.paddock"


def content(path):
    source = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    pieces = []
    while piece := posix.read(source, 1 << 20):
        pieces.append(piece)
    posix.close(source)
    return b"".join(pieces)


def input_data():
    text = content(HERE + "/input.json")
    if text == b"null":
        return None
    import json
    return json.loads(text)


if sys.path[:1] == [HERE]:
    del sys.path[0]
# A process that multiprocessing starts anew finds the code by the name of its spec: main.py.
sys.path.append(HERE + "/main")
run(content(NAME).decode(), input_data(), __file__=NAME, __spec__=type(sys.__spec__)("paddock_main", None))
