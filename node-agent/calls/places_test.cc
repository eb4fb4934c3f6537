#include "node-agent/calls/places.h"

#include <gtest/gtest.h>

#include "common/contracts/calls.h"
#include "common/contracts/run_exec.h"

namespace paddock::agent {
namespace {

constexpr Places kTwo{2, 2};

TEST(Places, AreTakenByWhatLastsAndNotByWhatIsTyped) {
  UnderWay under_way;
  for (const char* kind : {contracts::kRunAttach, contracts::kRunInput}) {
    EXPECT_FALSE(takes_place(kind)) << kind;
    under_way.of(kind) += 100;
  }
  EXPECT_TRUE(has_place(under_way, kTwo, false));
  under_way.of(contracts::kRunExec) += 2;
  EXPECT_TRUE(takes_place(contracts::kRunExec));
  EXPECT_FALSE(has_place(under_way, kTwo, false));
}

TEST(Places, OfSnippetsServeOthersWhereSnippetsAreTaken) {
  UnderWay full{.others = 2};
  EXPECT_TRUE(has_place(full, kTwo, true));
  full.of(contracts::kSnippetCall) = 2;
  EXPECT_FALSE(has_place(full, kTwo, true));
}

// Where all places are taken by commands, each key, Ctrl-C too, must reach the terminal.
TEST(Places, AllTakenALaneListensWhileThereIsACommandThatIsTypedTo) {
  UnderWay full{.snippets = 2, .others = 2};
  EXPECT_FALSE(takes_calls(full, kTwo, true));
  full.attached = 1;
  EXPECT_TRUE(takes_calls(full, kTwo, true));
  EXPECT_TRUE(takes_calls(full, kTwo, false));
  EXPECT_FALSE(has_place(full, kTwo, false));
}

TEST(Places, WhatWaitsForOneHasNone) {
  UnderWay under_way{.others = 5, .waiting = 3};
  EXPECT_FALSE(has_place(under_way, kTwo, false));
  --under_way.others;  // one has ended
  EXPECT_TRUE(has_place(under_way, kTwo, false));
}

}  // namespace
}  // namespace paddock::agent
