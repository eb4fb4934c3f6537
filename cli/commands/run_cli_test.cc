#include <gtest/gtest.h>

#include "cli/commands/commands.h"

namespace paddock::cli {
namespace {

TEST(Commands, EachHasAFunction) {
  for (const CommandRow& row : command_table())
    EXPECT_NE(command_function(row.path), nullptr) << row.path;
  EXPECT_EQ(command_function("make coffee"), nullptr);
}

}  // namespace
}  // namespace paddock::cli
