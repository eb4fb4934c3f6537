"""A unit-test task as students and agents write them: imports, pure logic, files, a few processes."""
import collections
import dataclasses
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor


@dataclasses.dataclass
class Item:
    name: str
    price: int
    tags: list


class Basket:
    def __init__(self):
        self.items = collections.OrderedDict()

    def add(self, item, count=1):
        self.items[item.name] = (item, self.items.get(item.name, (item, 0))[1] + count)

    def total(self):
        return sum(item.price * count for item, count in self.items.values())


def primes(limit):
    sieve = bytearray([1]) * (limit + 1)
    for n in range(2, int(limit**0.5) + 1):
        if sieve[n]:
            sieve[n * n :: n] = bytearray(len(sieve[n * n :: n]))
    return [n for n in range(2, limit + 1) if sieve[n]]


class LogicTest(unittest.TestCase):
    def test_basket_adds_up(self):
        for seed in range(300):
            rng = random.Random(seed)
            basket = Basket()
            prices = [rng.randrange(1, 1000) for _ in range(20)]
            for i, price in enumerate(prices):
                basket.add(Item(f"item{i}", price, ["a", "b"]))
            self.assertEqual(basket.total(), sum(prices))

    def test_primes(self):
        self.assertEqual(len(primes(200_000)), 17_984)

    def test_words_are_counted(self):
        text = " ".join(f"word{i % 97}" for i in range(30_000))
        self.assertEqual(len(collections.Counter(re.findall(r"\w+", text))), 97)

    def test_json_round_trip(self):
        document = {"rows": [{"id": i, "name": f"n{i}", "values": [i, i * 2]} for i in range(3000)]}
        for _ in range(3):
            self.assertEqual(json.loads(json.dumps(document)), document)

    def test_digests_differ(self):
        self.assertEqual(len({hashlib.sha256(b"%d" % i).digest() for i in range(20_000)}), 20_000)


class FilesTest(unittest.TestCase):
    def test_files_are_written_and_read(self):
        with tempfile.TemporaryDirectory() as folder:
            for i in range(200):
                with open(os.path.join(folder, f"{i}.txt"), "w") as out:
                    out.write("x" * i)
            self.assertEqual(sum(os.path.getsize(e) for e in os.scandir(folder)), sum(range(200)))

    def test_threads_share_the_work(self):
        with ThreadPoolExecutor(4) as pool:
            self.assertEqual(sum(pool.map(len, [primes(2000)] * 40)), 40 * 303)


class ProcessTest(unittest.TestCase):
    def test_a_program_answers(self):
        for i in range(3):
            out = subprocess.run(["/bin/echo", str(i)], capture_output=True, text=True, check=True)
            self.assertEqual(out.stdout, f"{i}\n")

    def test_a_script_of_ours_answers(self):
        out = subprocess.run(
            [sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True, check=True
        )
        self.assertEqual(out.stdout, "42\n")


if __name__ == "__main__":
    unittest.main()
