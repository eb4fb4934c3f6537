#include "node-agent/executor/device_hold.h"

#include "node-agent/executor/run_life_fixture.h"

namespace paddock::executor {
namespace {

TEST(HeldFor, CountsFromTheGrantAndNoLessThanTheCommandTook) {
  EXPECT_EQ(held_for(HoldStart{1'000, "a"}, {61'000, "a"}, Millis(5'000)), Millis(60'000));
  EXPECT_EQ(held_for(HoldStart{60'000, "a"}, {61'000, "a"}, Millis(5'000)), Millis(5'000));
}

TEST(HeldFor, IsTheCommandsTimeIfNobodyKnowsTheGrant) {
  EXPECT_EQ(held_for({}, {61'000, "a"}, Millis(5'000)), Millis(5'000));
  EXPECT_EQ(held_for(HoldStart{1'000, "before"}, {61'000, "a"}, Millis(5'000)), Millis(5'000));
}

class Held : public Life {
 protected:
  Held() {
    accelerators.know({{"nvidia", "0", "", {}}, {"nvidia", "1", "", {}}});
    assignment.spec.resources.emplace().accelerators = {contracts::AcceleratorKind::kNvidia, 2};
  }
  // Detached, and adopted by an agent that finds this in the record.
  int64_t accounted(const std::function<void(HoldStart&)>& change) {
    stop_while_running(StopKind::kDetach);
    life.reset();
    RunRecord record = *folder().record();
    EXPECT_TRUE(record.held.has_value());
    change(*record.held);
    EXPECT_TRUE(folder().store(record).ok());
    adopt_and_finish();
    return last_outcome().result->usage.accelerator_ms.value_or(-1);
  }
};

TEST_F(Held, AcceleratorsCountFromTheirGrantThroughARestartOfTheAgent) {
  constexpr int64_t kEarlier = 3'600'000;
  EXPECT_GE(accounted([](HoldStart& since) { since.mono_ms -= kEarlier; }), 2 * kEarlier);
}

TEST_F(Held, AcceleratorsOfAnEarlierStartOfTheMachineCountAsLongAsTheCommandTook) {
  const int64_t device_ms = accounted([](HoldStart& since) {
    since.mono_ms -= 3'600'000;
    since.boot_id = "another";
  });
  EXPECT_EQ(device_ms, 2 * last_outcome().result->duration_ms);
}

}  // namespace
}  // namespace paddock::executor
