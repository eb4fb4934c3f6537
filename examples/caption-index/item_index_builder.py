#!/usr/bin/env python3
"""Builds a nearest-neighbour index over the captions in data/captions.jsonl.

Each caption becomes a vector: its words and letter trigrams, weighted by how rare they are, are
hashed with a sign into the dimensions (feature hashing), and the result is scaled to bytes. A search
compares the vectors' signs first, bit by bit, and ranks the best of these by their cosine.

Writes to models/: captions.bin (the index), index.json (what it holds), queries.csv (neighbours of a
sample), measurements.json (times and the device), and with connections and acronyms also
connections.csv and acronyms.json. The same captions give the same captions.bin and index.json.
Needs nothing but the Python standard library.
"""
import argparse
import array
import csv
import hashlib
import heapq
import json
import math
import operator
import os
import platform
import re
import struct
import sys
import time
import zlib

VARIANTS = {"s0": 64, "s1": 96, "s2": 128}  # dimensions
MAGIC = b"CAPIDX1\n"
SHORTLIST = 1024
SAMPLE = 200  # captions that are looked up again
EXACT_SAMPLE = 10  # of these, compared with a search through every vector
NEIGHBOURS = 5
WORD = re.compile(r"\w+")
ACRONYM = re.compile(r"\b((?:[A-Z]\w+[ -]){1,5}[A-Z]\w+) \(([A-Z]{2,6})\)")


def read_captions(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line)["caption"] for line in file]


def find_acronyms(captions):
    """`Random Access Memory (RAM)` in any caption explains RAM in all of them."""
    acronyms = {}
    for caption in captions:
        for words, acronym in ACRONYM.findall(caption):
            if "".join(word[0] for word in re.split("[ -]", words)) == acronym:
                acronyms.setdefault(acronym, words.lower())
    return acronyms


def features_of(caption, acronyms):
    words = WORD.findall(caption.lower())
    for acronym in set(WORD.findall(caption)) & acronyms.keys():
        words += acronyms[acronym].split()
    features = list(words)
    for word in words:
        padded = f"<{word}>"
        features += [padded[i:i + 3] for i in range(len(padded) - 2)]
    return features


class Hasher:
    """Features to (dimension, signed weight)."""

    def __init__(self, captions, acronyms, dims):
        frequency = {}
        for caption in captions:
            for feature in set(features_of(caption, acronyms)):
                frequency[feature] = frequency.get(feature, 0) + 1
        self.slots = {}
        for feature, count in frequency.items():
            code = zlib.crc32(feature.encode())
            weight = math.log(1 + len(captions) / count) * (2.0 if len(feature) > 3 else 1.0)
            self.slots[feature] = (code % dims, weight if code >> 31 else -weight)
        self.dims, self.acronyms = dims, acronyms

    def vector(self, caption):
        """The caption's vector as signed bytes; its largest part is 127 or -127."""
        sums = [0.0] * self.dims
        for feature in features_of(caption, self.acronyms):
            slot, weight = self.slots[feature]
            sums[slot] += weight
        scale = 127 / (max(map(abs, sums)) or 1)
        return array.array("b", [round(part * scale) for part in sums])


def signature_of(vector):
    """One bit per dimension: whether the part is positive."""
    return int("".join("1" if part > 0 else "0" for part in vector), 2)


class Index:
    def __init__(self, vectors):
        self.vectors = vectors
        self.signatures = [signature_of(vector) for vector in vectors]
        self.norms = [math.sqrt(dot(vector, vector)) or 1 for vector in vectors]

    def search(self, item, exact=False):
        """The best neighbours of an item, itself included, as (cosine, number)."""
        candidates = range(len(self.vectors))
        if not exact:
            own = self.signatures[item]
            distances = [(own ^ other).bit_count() for other in self.signatures]
            candidates = heapq.nsmallest(SHORTLIST, candidates, key=distances.__getitem__)
        scored = [(self.cosine(item, other), other) for other in candidates]
        return sorted(scored, key=lambda hit: (-hit[0], hit[1] != item, hit[1]))[:NEIGHBOURS]

    def cosine(self, one, two):
        product = dot(self.vectors[one], self.vectors[two])
        return round(product / (self.norms[one] * self.norms[two]), 6)


def dot(one, two):
    return sum(map(operator.mul, one, two))


def build(captions, acronyms, dims):
    say("counting words and trigrams")
    hasher = Hasher(captions, acronyms, dims)
    vectors = []
    for number, caption in enumerate(captions, 1):
        vectors.append(hasher.vector(caption))
        if number % 500 == 0 or number == len(captions):
            say(f"progress {number}/{len(captions)} captions")
    say("signing")
    return Index(vectors)


def pack(index, dims):
    """The bytes of captions.bin; `format` in index.json says what stands where."""
    parts = [MAGIC, struct.pack("<II", dims, len(index.vectors))]
    parts += [signature.to_bytes(dims // 8, "big") for signature in index.signatures]
    parts += [vector.tobytes() for vector in index.vectors]
    return b"".join(parts)


def sample_of(count, wanted):
    return range(0, count, max(1, count // wanted))


def check(index, captions, path):
    """Looks a sample of the captions up again; returns how often each kind of search was right."""
    found, agreeing, exact = 0, 0, 0
    sample = sample_of(len(captions), SAMPLE)
    exact_items = set(list(sample)[::max(1, len(sample) // EXACT_SAMPLE)][:EXACT_SAMPLE])
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["query", "rank", "cosine", "neighbour", "query_caption", "neighbour_caption"])
        for item in sample:
            hits = index.search(item)
            found += hits[0][1] == item
            for rank, (cosine, other) in enumerate(hits, 1):
                writer.writerow([item, rank, cosine, other, captions[item], captions[other]])
            if item in exact_items:
                best = {other for _, other in index.search(item, exact=True)}
                agreeing += len(best & {other for _, other in hits})
                exact += len(best)
    return found / len(sample), agreeing / exact, len(sample)


def write_connections(index, path):
    """The neighbour graph of a sample: one edge per line."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["from", "to", "cosine"])
        for item in sample_of(len(index.vectors), SAMPLE):
            writer.writerows([item, other, cosine] for cosine, other in index.search(item) if other != item)


def manifest_of(arguments, captions, dims, packed, acronyms):
    source = hashlib.sha256("\n".join(captions).encode()).hexdigest()
    return {
        "index": "captions.bin",
        "variant": arguments.variant,
        "dims": dims,
        "count": len(captions),
        "captions_sha256": source,
        "index_sha256": hashlib.sha256(packed).hexdigest(),
        "index_bytes": len(packed),
        "connections": arguments.connections,
        "acronyms": len(acronyms),
        "format": "magic CAPIDX1\\n; dims, count as little-endian u32; count signatures of dims/8 bytes, "
                  "first dimension in the highest bit; count vectors of dims signed bytes",
    }


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def write_json(path, document):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2, ensure_ascii=False)
        file.write("\n")


def say(text):
    print(text, flush=True)


def parse_arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--variant", choices=sorted(VARIANTS), default="s2", help="size of the vectors")
    parser.add_argument("--connections", action=argparse.BooleanOptionalAction, default=True,
                        help="write the neighbour graph of a sample")
    parser.add_argument("--acn", action=argparse.BooleanOptionalAction, default=True,
                        help="expand acronyms that some caption explains")
    parser.add_argument("--captions", default="data/captions.jsonl")
    parser.add_argument("--output", default="models")
    parser.add_argument("--minimum", type=int, default=31_564, help="fail when there are fewer captions")
    return parser.parse_args(argv)


def main(argv=None):
    arguments = parse_arguments(argv)
    started = time.monotonic()
    try:
        captions = read_captions(arguments.captions)
    except (OSError, ValueError, KeyError) as error:
        print(f"cannot read {arguments.captions}: {error}; run collect.py first", file=sys.stderr)
        return 1
    if len(captions) < arguments.minimum:
        print(f"{len(captions)} captions are too few, {arguments.minimum} are needed", file=sys.stderr)
        return 1
    dims = VARIANTS[arguments.variant]
    say(f"{len(captions)} captions, variant {arguments.variant}: {dims} dimensions")
    acronyms = find_acronyms(captions) if arguments.acn else {}
    index = build(captions, acronyms, dims)
    built = time.monotonic() - started

    os.makedirs(arguments.output, exist_ok=True)
    path = lambda name: os.path.join(arguments.output, name)  # noqa: E731
    packed = pack(index, dims)
    with open(path("captions.bin"), "wb") as file:
        file.write(packed)
    write_json(path("index.json"), manifest_of(arguments, captions, dims, packed, acronyms))
    if acronyms:
        write_json(path("acronyms.json"), acronyms)
    say("checking the index against itself")
    searching = time.monotonic()
    recall, agreement, queries = check(index, captions, path("queries.csv"))
    searched = time.monotonic() - searching
    if arguments.connections:
        write_connections(index, path("connections.csv"))

    total = time.monotonic() - started
    write_json(path("measurements.json"), {
        "device": f"cpu: {processor()}",
        "python": platform.python_version(),
        "items": len(captions),
        "per_item_ms": round(built * 1000 / len(captions), 4),
        "build_seconds": round(built, 3),
        "queries": queries,
        "check_seconds": round(searched, 3),
        "total_seconds": round(total, 3),
        "recall_at_1": recall,
        f"agreement_with_exact_search_at_{NEIGHBOURS}": agreement,
    })
    say(f"index of {len(captions)} captions, {len(packed)} bytes, {built * 1000 / len(captions):.3f} ms per item; "
        f"recall at 1: {recall:.3f}, agreement with exact search at {NEIGHBOURS}: {agreement:.2f}")
    if recall < 1:
        print("some captions do not find themselves: the index is broken", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
