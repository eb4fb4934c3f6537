#include "cli/instance/start_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StartVariables, ThoseThatAProgramWasNotStartedWithAreNamed) {
  const std::map<std::string, std::string> here = {{"PADDOCK_NODE_AGENT_A", "1"},
                                                   {"PADDOCK_NODE_AGENT_B", "x y"},
                                                   {"PADDOCK_CONTROLLER_C", "3"},
                                                   {"PATH", "/bin"}};
  using namespace std::string_view_literals;
  const std::string_view started = "PATH=/usr/bin\0PADDOCK_NODE_AGENT_A=1\0"sv;
  EXPECT_THAT(unheard_variables(here, "PADDOCK_NODE_AGENT_", started),
              ElementsAre("PADDOCK_NODE_AGENT_B"));
  EXPECT_THAT(unheard_variables(here, "PADDOCK_NODE_AGENT_",
                                "PADDOCK_NODE_AGENT_A=2\0PADDOCK_NODE_AGENT_B=x y\0"sv),
              ElementsAre("PADDOCK_NODE_AGENT_A"));
  EXPECT_THAT(unheard_variables(here, "PADDOCK_CONTROLLER_", "PADDOCK_CONTROLLER_C=3\0"sv),
              IsEmpty());
}

}  // namespace
}  // namespace paddock::cli
