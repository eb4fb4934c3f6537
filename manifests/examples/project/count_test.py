import pathlib
import subprocess
import sys


def test_it_counts_the_words_of_a_file(tmp_path):
    (tmp_path / "words.txt").write_text("one two\nthree\n")
    done = subprocess.run([sys.executable, pathlib.Path("count.py").resolve(), "words.txt"], cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.stdout == "3 words\n"
