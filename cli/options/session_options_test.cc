#include "cli/options/session_options.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

TEST(SessionOptions, OneWordIsTextAndSeveralAreQuoted) {
  EXPECT_EQ(shell_text({"echo a | cat"}), "echo a | cat");
  EXPECT_EQ(shell_text({"echo", "it's", "$HOME"}), "'echo' 'it'\\''s' '$HOME'");
}

}  // namespace
}  // namespace paddock::cli
