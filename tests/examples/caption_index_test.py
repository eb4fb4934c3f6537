#!/usr/bin/env python3
"""examples/caption-index: what it gathers, what it builds, what it refuses."""
import contextlib
import csv
import hashlib
import io
import json
import os
import random
import struct
import sys
import tempfile
import unittest

ROOT = os.environ.get("PADDOCK_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path.insert(0, os.path.join(ROOT, "examples/caption-index"))
import collect  # noqa: E402
import item_index_builder as builder  # noqa: E402

NOUNS = "index sandbox package library kernel window archive mirror printer network shell editor".split()
VERBS = "builds reads prints signs opens checks moves packs sorts watches".split()


def captions(count):
    """Sentences that differ from one another, the same ones each time."""
    choose = random.Random(7)
    return [f"The {choose.choice(NOUNS)} {choose.choice(VERBS)} the {choose.choice(NOUNS)} of item {number}."
            for number in range(count)]


class Builder(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write_captions(self, texts):
        collect.write([("test", text) for text in texts], self.path("data", "captions.jsonl"))

    def build(self, *options, output="models", minimum=1):
        arguments = ["--captions", self.path("data", "captions.jsonl"), "--output", self.path(output),
                     "--minimum", str(minimum), *options]
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            rc = builder.main(arguments)
        return rc, out.getvalue(), err.getvalue()

    def read(self, *names):
        with open(self.path(*names), "rb") as file:
            return file.read()

    def test_writes_the_index_its_manifest_and_its_measurements(self):
        self.write_captions(captions(700))
        rc, out, _ = self.build("--variant", "s2", "--no-connections", "--no-acn")
        self.assertEqual(rc, 0)
        self.assertEqual(sorted(os.listdir(self.path("models"))),
                         ["captions.bin", "index.json", "measurements.json", "queries.csv"])
        packed, manifest = self.read("models", "captions.bin"), json.loads(self.read("models", "index.json"))
        self.assertEqual(packed[:8], builder.MAGIC)
        self.assertEqual(struct.unpack("<II", packed[8:16]), (128, 700))
        self.assertEqual(len(packed), 16 + 700 * (128 // 8 + 128))
        self.assertEqual(manifest["index_sha256"], hashlib.sha256(packed).hexdigest())
        self.assertEqual((manifest["count"], manifest["dims"], manifest["variant"]), (700, 128, "s2"))
        measured = json.loads(self.read("models", "measurements.json"))
        self.assertEqual(measured["recall_at_1"], 1.0)
        self.assertGreater(measured["per_item_ms"], 0)
        self.assertTrue(measured["device"].startswith("cpu: "))
        self.assertIn("progress 500/700 captions\n", out)
        self.assertIn("progress 700/700 captions\n", out)

    def test_a_second_run_gives_the_same_bytes(self):
        self.write_captions(captions(300))
        self.build("--no-connections", "--no-acn", output="one")
        self.build("--no-connections", "--no-acn", output="two")
        for name in ("captions.bin", "index.json", "queries.csv"):
            self.assertEqual(self.read("one", name), self.read("two", name), name)

    def test_variants_choose_the_dimensions(self):
        self.write_captions(captions(50))
        for variant, dims in builder.VARIANTS.items():
            self.build("--variant", variant, "--no-connections", output=variant)
            self.assertEqual(json.loads(self.read(variant, "index.json"))["dims"], dims)

    def test_neighbours_share_words(self):
        self.write_captions(captions(200) + ["A quick brown fox jumps over dogs.", "Quick brown foxes jump over a dog."])
        self.build("--no-acn", "--no-connections")
        with open(self.path("models", "queries.csv"), newline="", encoding="utf-8") as file:
            second = {int(row["query"]): int(row["neighbour"]) for row in csv.DictReader(file) if row["rank"] == "2"}
        self.assertEqual(second[200], 201)
        self.assertEqual(second[201], 200)

    def test_connections_and_acronyms_are_written_when_wanted(self):
        self.write_captions(captions(20) + ["It needs Random Access Memory (RAM) to run.", "More RAM helps here."])
        rc, _, _ = self.build()
        self.assertEqual(rc, 0)
        self.assertEqual(json.loads(self.read("models", "acronyms.json")), {"RAM": "random access memory"})
        self.assertTrue(self.read("models", "connections.csv").startswith(b"from,to,cosine\r\n"))
        features = builder.features_of("More RAM helps here.", {"RAM": "random access memory"})
        self.assertIn("memory", features)

    def test_refuses_too_few_missing_or_damaged_captions(self):
        self.assertIn("run collect.py first", self.build()[2])
        self.write_captions(captions(3))
        rc, _, err = self.build(minimum=4)
        self.assertEqual((rc, err), (1, "3 captions are too few, 4 are needed\n"))
        with open(self.path("data", "captions.jsonl"), "a", encoding="utf-8") as file:
            file.write("{")
        self.assertEqual(self.build()[0], 1)


class Collect(unittest.TestCase):
    def test_takes_sentences_that_stand_alone(self):
        text = "A tool that signs packages. It is\nsmall and fast!\n\nshort. 12345 67890 11121 31415 92653.\n" + "x" * 300
        self.assertEqual(list(collect.sentences(text)), ["A tool that signs packages.", "It is small and fast!"])

    def test_takes_each_caption_once_and_stops_at_the_count(self):
        def source():
            yield "This is the first caption. THIS IS THE FIRST CAPTION. This is the second caption."
            yield "This is the third caption."
        expected = [("source", "This is the first caption."), ("source", "This is the second caption.")]
        self.assertEqual(collect.collect(2, [source]), expected)
        self.assertEqual(len(collect.collect(9, [source])), 3)

    def test_any_python_knows_enough_character_names(self):
        found = collect.collect(20_000, [collect.character_names])
        self.assertEqual(len(found), 20_000)
        self.assertEqual(found, collect.collect(20_000, [collect.character_names]))


if __name__ == "__main__":
    unittest.main()
