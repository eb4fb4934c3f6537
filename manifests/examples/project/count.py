import pathlib
import sys

words = pathlib.Path(sys.argv[1]).read_text().split()
pathlib.Path("out").mkdir(exist_ok=True)
pathlib.Path("out/count.txt").write_text(f"{len(words)}\n")
print(len(words), "words")
