#!/usr/bin/env python3
"""Patience is one promise: the programs, the Python client and the TypeScript client wait by the same numbers and repeat the same things."""
import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(os.environ.get("PADDOCK_SOURCE_DIR", pathlib.Path(__file__).resolve().parent.parent.parent))
sys.path.insert(0, str(ROOT / "clients/python"))
from paddock import _backoff, _retry, events  # noqa: E402


def words(text):
    return sorted(re.findall(r'"([A-Z_]+)"', text))


class Policy(unittest.TestCase):
    def setUp(self):
        self.cpp = "".join((ROOT / path).read_text() for path in (
            "common/base/backoff.cc", "common/client/event_follower.cc", "common/client/retry.cc", "common/client/retry.h", "cli/terminal/env.h"))
        self.http = "".join((ROOT / path).read_text() for path in ("common/http/http_client.h", "common/http/curl_errors.cc"))
        self.typescript = "".join((ROOT / "clients/typescript/src" / name).read_text() for name in ("events.ts", "http.ts", "waiting.ts"))

    def number(self, text, pattern):
        found = re.findall(pattern + r"\D{0,4}([\d'_]+)", text)
        self.assertEqual(len(found), 1, pattern)
        return int(re.sub(r"['_]", "", found[0]))

    def same(self, cpp, python, typescript):
        self.assertEqual((python, self.number(self.typescript, typescript)), (self.number(self.cpp, cpp),) * 2, cpp)

    def test_the_numbers_are_the_same(self):
        self.same(r"Millis patience", _backoff.PATIENCE_S * 1000, r"PATIENCE_MS =")
        self.same("kMaxAttempts", _retry.MAX_ATTEMPTS, "FEW_TRIES =")
        self.same("kFewestTries =", _retry.FEWEST_TRIES, "FEWEST_TRIES =")
        self.same("constexpr Millis kShortestTry", _retry.SHORTEST_TRY_S * 1000, "SHORTEST_TRY_MS =")
        self.same("Millis kSilence", events.SILENCE_S * 1000, "SILENCE_MS =")
        self.same("kSoonOfSeveral =", _backoff.SOON_OF_SEVERAL, "SOON_OF_SEVERAL =")
        self.assertEqual(_backoff.MOST_ASKED_FOR_S * 1000, self.number(self.cpp, "constexpr Millis kMostAskedFor"))

    def test_a_pause_is_drawn_from_the_same_range(self):
        first, most, of_several = (self.number(self.cpp, name) for name in ("kFirstMs =", "kMostMs =", "kMostOfSeveralMs ="))
        for several, longest in ((False, most), (True, of_several)):
            for failed in range(1, _backoff.SOON_OF_SEVERAL + 1):
                top = min(longest, first << min(failed - 1, 6))
                drawn = [_backoff.backoff(failed, several) * 1000 for _ in range(50)]
                self.assertTrue(top / 2 <= min(drawn) and max(drawn) <= top, (failed, several))
        self.assertGreater(_backoff.backoff(_backoff.SOON_OF_SEVERAL + 1, True), most / 2000 - 0.001)

    def test_what_was_left_alone_may_be_sent_again(self):
        known = re.search(r"left_alone =\s*is_one_of\(error\.reason, \{(.*?)\}\)", self.cpp, re.S)
        of_typescript = re.search(r"const NEVER_BEGUN = \[(.*?)\]", self.typescript)
        self.assertEqual(words(known[1]), sorted(_retry.NEVER_BEGUN))
        self.assertEqual(words(known[1]), words(of_typescript[1]))

    def test_what_another_address_may_answer(self):
        of_typescript = re.search(r"const PASSED_OVER = \[(.*?), \.\.\.WRONG_ADDRESS\]", self.typescript)
        self.assertEqual(words(of_typescript[1]), sorted({*_retry.PASSED_OVER} - {*_retry.WRONG_ADDRESS}))
        unproven = re.search(r"is_peer_unproven\(.*?is_one_of\(error\.reason, \{(.*?)\}\)", self.http, re.S)
        constants = dict(re.findall(r'Reason (k\w+) = "([A-Z_]+)"', self.http))
        wrong = {constants[each.strip()] for each in unproven[1].split(",")} | {constants["kNameUnknown"]}
        self.assertLess(wrong, set(_retry.PASSED_OVER))
        self.assertEqual(sorted(wrong), sorted(_retry.WRONG_ADDRESS))
        self.assertEqual(sorted(wrong), words(re.search(r"const WRONG_ADDRESS = \[(.*?)\]", self.typescript)[1]))

    def test_methods_that_do_nothing_twice(self):
        known = re.search(r"bool safe_to_repeat\(.*?\n\}", self.cpp, re.S)
        of_typescript = re.search(r"const REPEATABLE = \[(.*?)\]", self.typescript)
        self.assertEqual(sorted({*words(known[0])} - {"HEAD"}), sorted(_retry.REPEATABLE))  # which no client sends
        self.assertEqual(words(of_typescript[1]), sorted(_retry.REPEATABLE))


if __name__ == "__main__":
    unittest.main()
