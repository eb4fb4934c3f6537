#include "cli/output/receipt_text.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "common/wire/json.h"

namespace paddock::cli {
namespace {

// A node reports what it likes, also what looks like other lines of this text.
TEST(ReceiptText, WhatIsReportedStaysOnItsLine) {
  const std::string text = receipt_text(*wire::parse_json(
      R"({"predicate":{"createdBy":"a\nended     Succeeded","node":"n\u001b[2J","phase":"Failed",)"
      R"("reason":"x\ny","result":{"status":"","enforced":{"m\nx":{"applied":false}},)"
      R"("denials":[{"what":"w\nenforced  all","target":"t\ndenied    nothing"}]}}})"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 6) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

std::string left_out_line(const std::string& entries) {
  const std::string text =
      receipt_text(*wire::parse_json(R"({"predicate":{"leftOut":[)" + entries + "]}}"));
  const size_t at = text.find("\nleft out  ");
  return at == std::string::npos ? "" : text.substr(at + 1);
}

TEST(ReceiptText, SaysThatFilesDidNotComeBack) {
  const std::string one = R"({"path":"a","rule":"b","reason":"HARD_LINKED"})";
  const std::string more = R"({"path":"…","rule":"and 7 more","reason":"MORE_LEFT_OUT"})";
  EXPECT_EQ(left_out_line(""), "");
  EXPECT_EQ(left_out_line(one), "left out  1 file or folder\n");
  EXPECT_EQ(left_out_line(one + "," + one + "," + more),
            "left out  2 files or folders, and more that are not listed\n");
}

}  // namespace
}  // namespace paddock::cli
