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

}  // namespace
}  // namespace paddock::cli
