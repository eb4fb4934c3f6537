// Shows that the invariants catch bugs: each test plants one at a seam of the simulated host or
// controller and expects a violation of the right kind within a few seeds.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "controller/store/run_writes.h"
#include "tests/simulation/play.h"

namespace paddock::simulation {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr uint64_t kSeeds = 200;

// The first violation within so many seeds. The report of the test names the seed (--gtest_output).
std::string caught(const Tampering& tampering, uint64_t seeds = kSeeds, uint64_t first = 1) {
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    std::string wrong = play(seed, tampering);
    if (wrong.empty()) continue;
    testing::Test::RecordProperty("seed", std::to_string(seed));
    return cat(wrong, " (seed ", seed, ")");
  }
  return "";
}

// Whether a seed has this violation first, though others may have another one.
bool ever_says(const Tampering& tampering, std::string_view what) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed)
    if (play(seed, tampering).find(what) != std::string::npos) return true;
  return false;
}

// Done to each run that has not ended, before each pass of the controller.
using Meddle =
    std::function<Status(store::WriteTxn&, contracts::Run&, const nodes::LeaseTable&, nodes::Now)>;
Tampering meddling(const Meddle& meddle) {
  Tampering bug;
  bug.before_tick = [meddle](store::Store& store, const nodes::LeaseTable& leases, nodes::Now now) {
    const Status done = store.write([&](store::WriteTxn& txn) -> Status {
      ASSIGN_OR_RETURN(std::vector<contracts::Run> runs, txn.active_runs());
      for (contracts::Run& run : runs) TRY(meddle(txn, run, leases, now));
      return {};
    });
    EXPECT_TRUE(done.ok()) << done.error().describe();
  };
  return bug;
}

bool waits(const contracts::Run& run) { return run.status.phase == contracts::RunPhase::kPending; }

// Whatever the scheduler would say.
Status place(store::WriteTxn& txn, contracts::Run& run, nodes::Now now) {
  ASSIGN_OR_RETURN(runs::Events events, runs::bind(run, "node-0", now.wall));
  return store::save_run(txn, run, std::move(events));
}

bool is_silent(const contracts::Run& run, const nodes::LeaseTable& leases, nodes::Now now) {
  const std::string& node = run.status.node_name;
  return !node.empty() && leases.silence(node, now.mono) >= nodes::kLease;
}

TEST(PlantedBug, AStoreThatSaysThatItKeptWhatItsDiskRefusedIsCaught) {
  Tampering bug;
  bug.disk_lies = true;
  EXPECT_THAT(caught(bug), AnyOf(HasSubstr("acknowledged, and disappeared"),
                                 HasSubstr("view of the cluster is not what is stored")));
}

TEST(PlantedBug, AControllerThatCountsTheTimeThatItStoodStillIsCaught) {
  Tampering bug;
  bug.looks_at_no_watch = true;
  EXPECT_THAT(caught(bug), HasSubstr("given up though its node was heard from"));
}

TEST(PlantedBug, AnAgentThatForgetsWhatItStartedIsCaught) {
  Tampering bug;
  bug.disk_after_crash = [](Disk& disk) {
    for (auto& [key, run] : disk.runs) {
      if (run.stage == Stage::kStarted) run.stage = Stage::kAccepted;
    }
  };
  EXPECT_THAT(caught(bug), HasSubstr("started twice"));
}

TEST(PlantedBug, AnAgentThatLosesItsWholeDiskIsCaught) {
  Tampering bug;
  bug.disk_after_crash = [](Disk& disk) { disk.runs.clear(); };
  EXPECT_THAT(caught(bug),
              AnyOf(HasSubstr("started twice"), HasSubstr("output"), HasSubstr("input")));
}

TEST(PlantedBug, AnAgentThatLosesTheTailOfItsSpoolIsCaught) {
  Tampering bug;
  bug.disk_after_crash = [](Disk& disk) {
    for (auto& [key, run] : disk.runs) {
      if (!run.lines.empty()) run.lines.pop_back();
    }
  };
  EXPECT_THAT(caught(bug), AnyOf(HasSubstr("output is not what"), HasSubstr("all its output")));
}

TEST(PlantedBug, ACoreThatAppliesAnOutOfDateAnswerIsCaught) {
  Tampering bug;
  bug.call_before_answer = [](sync::Call& call, sync::SyncCore& core) {
    call.based_on = core.begin(sync::Lane::kHold, call.began).based_on;
  };
  // It takes an answer that is slow while a run arrives: the seeds before do not have it.
  EXPECT_THAT(caught(bug, kSeeds, 153), HasSubstr("dropped though it is still wanted"));
}

TEST(PlantedBug, OutputAcknowledgedBeyondWhatWasStoredIsCaught) {
  Tampering bug;
  bug.answer = [](contracts::SyncAnswer& answer) {
    for (contracts::Assignment& each : answer.runs) each.output_acked += 1;
  };
  EXPECT_THAT(caught(bug), AnyOf(HasSubstr("all its output"), HasSubstr("did not end")));
}

TEST(PlantedBug, AnOutcomeThatTravelsAheadOfItsOutputIsCaught) {
  Tampering bug;
  bug.request = [](contracts::SyncRequest& request) {
    for (contracts::RunReport& run : request.runs) {
      if (run.outcome) run.output.clear();
    }
  };
  EXPECT_THAT(caught(bug), HasSubstr("ended without all its output"));
}

TEST(PlantedBug, OutputNumberedAnewInEveryCallIsCaught) {
  Tampering bug;
  bug.request = [](contracts::SyncRequest& request) {
    for (contracts::RunReport& run : request.runs) {
      int64_t seq = 0;
      for (contracts::OutputChunk& chunk : run.output) chunk.seq = ++seq;
    }
  };
  EXPECT_THAT(caught(bug), AnyOf(HasSubstr("output"), HasSubstr("did not end")));
}

TEST(PlantedBug, ACallThatLeavesOutARunIsHarmlessAndAnAnswerThatDoesIsCaught) {
  Tampering harmless;
  harmless.request = [](contracts::SyncRequest& request) {
    if (request.runs.size() > 1) request.runs.pop_back();
  };
  EXPECT_EQ(caught(harmless, 5), "");
  Tampering bug;
  bug.answer = [](contracts::SyncAnswer& answer) {
    if (answer.runs.size() > 1) answer.runs.pop_back();
  };
  EXPECT_THAT(caught(bug), HasSubstr("dropped though it is still wanted"));
}

// Puts what a silent node held back into the queue under the attempt that it may still be running.
TEST(PlantedBug, AControllerThatUsesAnAttemptAgainAfterExpiryIsCaught) {
  const Tampering bug = meddling([](store::WriteTxn& txn, contracts::Run& run,
                                    const nodes::LeaseTable& leases, nodes::Now now) -> Status {
    if (!is_silent(run, leases, now) || run.status.element) return {};
    run.status.phase = contracts::RunPhase::kPending;
    run.status.node_name.clear();
    run.status.attempt -= 1;
    return store::save_run(txn, run, {});
  });
  EXPECT_THAT(caught(bug), AnyOf(HasSubstr("started where it was not placed"),
                                 HasSubstr("started twice"), HasSubstr("an attempt went back"),
                                 HasSubstr("tried again though nobody allowed it")));
}

// Places what waits without asking a quota.
TEST(PlantedBug, AControllerThatForgetsTheQuotaIsCaught) {
  const Tampering bug = meddling([](store::WriteTxn& txn, contracts::Run& run,
                                    const nodes::LeaseTable&, nodes::Now now) -> Status {
    if (!waits(run) || run.metadata.name_space != "limited") return {};
    if (run.status.element || run.status.array) return {};
    if (run.spec.resources->accelerators || run.spec.resources->cpu) return {};
    return place(txn, run, now);
  });
  EXPECT_THAT(caught(bug),
              AnyOf(HasSubstr("over its quota"), HasSubstr("too many runs"),
                    HasSubstr("more memory promised"), HasSubstr("more disk promised")));
}

// Places a member of a gang as if it were a run by itself.
TEST(PlantedBug, AControllerThatPlacesAMemberAloneIsCaught) {
  Tampering bug;
  bug.before_tick = [](store::Store& store, const nodes::LeaseTable&, nodes::Now now) {
    const Status done = store.write([&](store::WriteTxn& txn) -> Status {
      ASSIGN_OR_RETURN(std::vector<contracts::Run> runs, txn.active_runs());
      for (contracts::Run& run : runs) {
        if (waits(run) && run.status.element) return place(txn, run, now);
      }
      return {};
    });
    EXPECT_TRUE(done.ok()) << done.error().describe();
  };
  // The node's own bounds are sometimes the first that it breaks.
  EXPECT_TRUE(ever_says(bug, "a gang that is placed in part"));
}

// Places what waits without asking what the grant says now.
TEST(PlantedBug, AControllerThatForgetsWhatAGrantBoundsIsCaught) {
  const Tampering bug = meddling([](store::WriteTxn& txn, contracts::Run& run,
                                    const nodes::LeaseTable&, nodes::Now now) -> Status {
    if (!waits(run) || run.metadata.name_space != kBoundedSpace) return {};
    if (run.status.element || run.status.array) return {};
    if (run.spec.resources->accelerators || run.spec.resources->memory) return {};
    return place(txn, run, now);
  });
  // The node's own bounds are often the first that it breaks.
  EXPECT_TRUE(ever_says(bug, "placed over the granted"));
}

// An answer that lacks its fence: the agent takes an old attempt for the present one.
TEST(PlantedBug, AnAgentThatReportsUnderTheNewestAttemptIsCaught) {
  Tampering bug;
  bug.request = [](contracts::SyncRequest& request) {
    for (contracts::RunReport& run : request.runs) run.attempt = std::max<int64_t>(run.attempt, 2);
  };
  EXPECT_THAT(caught(bug), testing::Ne(""));
}

TEST(PlantedBug, AControllerThatGivesARunUpTooEarlyIsCaught) {
  const Tampering bug = meddling([](store::WriteTxn& txn, contracts::Run& run,
                                    const nodes::LeaseTable& leases, nodes::Now now) -> Status {
    if (!is_silent(run, leases, now)) return {};
    return store::save_run(txn, run, runs::lose_node(run, "silent", now.wall));
  });
  EXPECT_THAT(caught(bug), HasSubstr("given up though its node was heard from"));
}

}  // namespace
}  // namespace paddock::simulation
