#include "cli/options/session_options.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

TEST(SessionOptions, OneWordIsTextAndSeveralAreQuoted) {
  EXPECT_EQ(shell_text({"echo a | cat"}), "echo a | cat");
  EXPECT_EQ(shell_text({"echo", "it's", "$HOME"}), "'echo' 'it'\\''s' '$HOME'");
}

TEST(SessionOptions, WhatIsWrongWithASecurityFileHasItsLine) {
  const SystemClock clock;
  SystemRandom random;
  const Env env{.vars = {},
                .cwd = "/",
                .program_dir = {},
                .out = {},
                .err = {},
                .clock = clock,
                .random = random};
  const Parsed parsed{"sandbox create", {{"security", {"s.yaml"}}}};
  EXPECT_EQ(session_spec(parsed, env, "limits:\n  odd: 1\n").error().describe(),
            "s.yaml:2: limits.odd: unknown field");
}

}  // namespace
}  // namespace paddock::cli
