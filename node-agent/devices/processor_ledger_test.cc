#include "node-agent/devices/processor_ledger.h"

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::devices {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ProcessorLedger, PutsRunsWhereTheFewestAre) {
  ProcessorLedger ledger({0, 1, 2, 5});
  std::optional<ProcessorLedger::Hold> first(ledger.take(2));
  EXPECT_THAT(first->processors(), ElementsAre(0, 1));
  const auto second = ledger.take(1);
  EXPECT_THAT(second.processors(), ElementsAre(2));
  const auto third = ledger.take(2);
  EXPECT_THAT(third.processors(), ElementsAre(5, 0));
  first.reset();
  EXPECT_THAT(ledger.take(1).processors(), ElementsAre(1));
  EXPECT_THAT(ledger.take(1).processors(), ElementsAre(1));  // given back at once
}

TEST(ProcessorLedger, GivesNoMoreThanThereAreAndNoneWhereNoneAreKnown) {
  EXPECT_EQ(ProcessorLedger({3, 4}).take(100).processors().size(), 2u);
  EXPECT_THAT(ProcessorLedger({}).take(2).processors(), IsEmpty());
  EXPECT_THAT(ProcessorLedger({1}).take(0).processors(), IsEmpty());
}

TEST(ProcessorLedger, KnowsAgainWhatAnotherAgentGave) {
  ProcessorLedger ledger({0, 1});
  const auto again = ledger.take_again({0, 7});
  EXPECT_THAT(again.processors(), ElementsAre(0));
  EXPECT_THAT(ledger.take(1).processors(), ElementsAre(1));
}

TEST(ProcessorLedger, MayEndBeforeItsHolds) {
  std::optional<ProcessorLedger> ledger(std::in_place, std::vector<int64_t>{0});
  const auto held = ledger->take(1);
  ledger.reset();
  EXPECT_THAT(held.processors(), ElementsAre(0));
}

}  // namespace
}  // namespace paddock::devices
