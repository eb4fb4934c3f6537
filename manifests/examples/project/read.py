import pathlib

print(pathlib.Path("/volumes/words/out/count.txt").read_text().strip(), "counted before")
