#include "cli/options/command_row.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

TEST(Parsed, HasWhatWasTypedByItsNameWithoutDashes) {
  const Parsed parsed{"receipt-keys", {{"rotate", {"true"}}, {"to", {"a", "b"}}}};
  EXPECT_TRUE(parsed.has("rotate"));
  EXPECT_EQ(parsed.text("to"), "b");
  EXPECT_EQ(parsed.list("to"), (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(parsed.has("keys"));
  EXPECT_EQ(parsed.text("keys", "none"), "none");
  EXPECT_TRUE(parsed.list("keys").empty());
}

// Read as `--to` it would never be there: a key that was named would be ignored.
TEST(ParsedDeathTest, IsNotAskedForANameWithDashes) {
  const Parsed parsed{"receipt-keys", {{"to", {"a"}}}};
  EXPECT_DEATH((void)parsed.text("--to"), "without dashes: --to");
  EXPECT_DEATH((void)parsed.has("--to"), "without dashes");
  EXPECT_DEATH((void)parsed.list("-n"), "without dashes");
}

}  // namespace
}  // namespace paddock::cli
