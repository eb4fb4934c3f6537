#include "cli/pool/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

using testing::HasSubstr;

constexpr WallTime kNow{1'764'270'000'000};

PoolSettings settings() {
  PoolSettings out;
  out.name = "hpc";
  out.max_pilots = 3;
  out.max_queued = 2;
  out.size.max_cpus = 8;
  return out;
}

WaitingRun run(const std::string& uid, int64_t cpus = 1, int64_t memory_mib = 0) {
  return {"default", uid, uid, {cpus, memory_mib, 0}};
}

Pilot pilot(const std::string& job, PilotState state, PilotSize size = {1, 1024, 0}) {
  const std::string key = "key" + job;
  Pilot out{job, job_name("hpc", key, size), key, size, state, "Resources", std::nullopt};
  if (state == PilotState::kRunning) out.started = kNow + Millis(-1000);
  return out;
}

PoolState state(std::vector<WaitingRun> waiting, std::vector<Pilot> pilots = {}) {
  PoolState out;
  out.waiting = std::move(waiting);
  out.pilots = std::move(pilots);
  out.now = kNow;
  out.mono = MonoTime{1'000'000};
  return out;
}

TEST(PoolPlan, NothingWaitsAndNothingIsAskedFor) {
  const PoolPlan plan = plan_pool(state({}), settings());
  EXPECT_FALSE(plan.submit);
  EXPECT_TRUE(plan.cancel.empty());
}

TEST(PoolPlan, ARunThatFindsNoPilotAsksForOneOfItsSize) {
  const PoolPlan plan = plan_pool(state({run("a", 4, 2048)}), settings());
  ASSERT_TRUE(plan.submit);
  EXPECT_EQ(plan.submit->cpus, 4);
  EXPECT_EQ(plan.submit->memory_mib, 2048 + 256) << "and what the agent itself needs";
  EXPECT_EQ(plan.coming.count("a"), 1U);
}

TEST(PoolPlan, OneIsSubmittedAtATime) {
  const PoolPlan plan = plan_pool(state({run("a"), run("b")}), settings());
  ASSERT_TRUE(plan.submit);
  EXPECT_THAT(plan.held.at("b"), HasSubstr("before it"));
}

TEST(PoolPlan, RunsShareAPilotThatIsOnItsWay) {
  const auto queued = pilot("1", PilotState::kQueued, {4, 4096, 0});
  const PoolPlan plan =
      plan_pool(state({run("a", 2), run("b", 2), run("c", 1)}, {queued}), settings());
  EXPECT_THAT(plan.coming.at("b"), HasSubstr("job 1"));
  EXPECT_THAT(plan.coming.at("b"), HasSubstr("Resources"));
  ASSERT_TRUE(plan.submit) << "c finds no room there";
  EXPECT_TRUE(plan.cancel.empty());
}

TEST(PoolPlan, OneThatHasJoinedHasShownWhatItCan) {
  PoolState now = state({run("a")}, {pilot("1", PilotState::kRunning)});
  EXPECT_FALSE(plan_pool(now, settings()).submit) << "it has not joined: it may take the run";
  now.joined = {"1"};
  EXPECT_FALSE(plan_pool(now, settings()).submit) << "it may be about to take it";
  now.settled = {"1"};
  EXPECT_TRUE(plan_pool(now, settings()).submit);
}

WaitingRun gang(const std::string& uid, int64_t members, int64_t cpus = 1) {
  return {"default", uid, uid, {cpus, 0, 0, members}};
}

TEST(PoolPlan, AGangAsksForAllOfItsPilotsAsOneJob) {
  const PoolPlan plan = plan_pool(state({gang("g", 3, 2)}), settings());
  ASSERT_TRUE(plan.submit);
  EXPECT_EQ(*plan.submit, (PilotSize{2, 1024, 0, 3}));
  EXPECT_EQ(plan.coming.count("g"), 1U);
}

TEST(PoolPlan, AGangThatTheBudgetCannotHoldGetsNoneAndHoldsNobodyUp) {
  PoolState now = state({gang("g", 3), run("a")}, {pilot("1", PilotState::kRunning)});
  now.joined = now.settled = {"1"};
  const PoolPlan plan = plan_pool(now, settings());
  EXPECT_EQ(plan.held.at("g"),
            "1 of 3 pilots are there (maxPilots), and its 3 members need one each");
  ASSERT_TRUE(plan.submit);
  EXPECT_EQ(plan.submit->nodes, 1) << "of the run behind it";
}

TEST(PoolPlan, EachPilotOfAGangCountsInTheBudgetAndTheirJobIsOneInTheQueue) {
  PoolState now = state({gang("g", 2), run("a", 2), run("b", 8)},
                        {pilot("1", PilotState::kQueued, {2, 1024, 0, 2})});
  PoolPlan plan = plan_pool(now, settings());
  ASSERT_TRUE(plan.submit);
  EXPECT_EQ(plan.submit->cpus, 2) << "one core is left of each pilot";
  now.waiting = {gang("g", 2), gang("h", 2, 2)};
  plan = plan_pool(now, settings());
  EXPECT_THAT(plan.held.at("h"), HasSubstr("2 of 3 pilots are there (maxPilots)"));
  now.in_doubt["k7f3a9c2"] = {1, 1024, 0, 1};
  now.waiting = {gang("g", 2), run("b", 8)};
  plan = plan_pool(now, settings());
  EXPECT_THAT(plan.held.at("b"), HasSubstr("3 of 3 pilots are there (maxPilots)"));
}

TEST(PoolPlan, AGangTakesNoPlaceOfSeveralJobsForTheyMayStartAtAnyTime) {
  const auto one = pilot("1", PilotState::kQueued);
  const PoolPlan plan = plan_pool(state({gang("g", 2)}, {one}), settings());
  ASSERT_TRUE(plan.submit);
  EXPECT_EQ(plan.submit->nodes, 2);
  ASSERT_EQ(plan.cancel.size(), 1U);
  EXPECT_EQ(plan.cancel[0].job, "1");
}

TEST(PoolPlan, AGangWaitsForItsPilotsUntilAllHaveSettledOrOneIsLateForGood) {
  Pilot job = pilot("1", PilotState::kRunning, {1, 1024, 0, 2});
  PoolState now = state({gang("g", 2)}, {job});
  now.joined = now.settled = {"1-r0"};
  PoolPlan plan = plan_pool(now, settings());
  EXPECT_FALSE(plan.submit);
  EXPECT_EQ(plan.coming.at("g"), "job 1 has started, and 1 of its 2 pilots have joined");
  now.pilots[0].started = kNow + (-kLongestJoining) + Millis(-1);
  plan = plan_pool(now, settings());
  ASSERT_EQ(plan.cancel.size(), 1U) << "the one that is there goes, too";
  now.joined = now.settled = {"1-r0", "1-r1"};
  plan = plan_pool(now, settings());
  EXPECT_TRUE(plan.cancel.empty());
  EXPECT_FALSE(plan.submit) << "there is no room for two more";
}

TEST(PoolPlan, AGangsPilotThatHasLeftIsNeitherLateNorARoom) {
  Pilot job = pilot("1", PilotState::kRunning, {1, 1024, 0, 2});
  job.started = kNow + Millis(std::chrono::minutes(-11));
  PoolState now = state({run("a")}, {job});
  now.joined = now.settled = {"1-r0", "1-r1"};
  now.left = {"1-r1"};
  PoolPlan plan = plan_pool(now, settings());
  EXPECT_TRUE(plan.cancel.empty()) << "the other one may have a run";
  EXPECT_TRUE(plan.submit) << "nothing is coming to the run that waits";
  now.pilots[0] = pilot("1", PilotState::kRunning, {1, 1024, 0, 3});
  plan = plan_pool(now, settings());
  EXPECT_THAT(plan.coming.at("a"), HasSubstr("2 of its 3 pilots have joined")) << "the third one";
  now.waiting = {gang("g", 3)};
  PoolSettings large = settings();
  large.max_pilots = 6;
  EXPECT_TRUE(plan_pool(now, large).submit) << "one of the three is gone";
}

TEST(PoolPlan, ARunAloneTakesNoPlaceOfAGangsPilotThatHasSettled) {
  PoolState now = state({gang("g", 2), run("a"), run("b")},
                        {pilot("1", PilotState::kRunning, {2, 1024, 0, 2})});
  now.joined = now.settled = {"1-r0"};
  const PoolPlan plan = plan_pool(now, settings());
  EXPECT_THAT(plan.coming.at("g"), HasSubstr("1 of its 2 pilots have joined"));
  EXPECT_THAT(plan.coming.at("a"), HasSubstr("job 1")) << "what the gang leaves of the late one";
  ASSERT_TRUE(plan.submit) << "the other one would have taken b";
  EXPECT_EQ(plan.submit->nodes, 1);
}

TEST(PoolPlan, ARunAloneTakesNoPlaceInAJobOfSeveralPilotsThatHasNotStarted) {
  const PilotSize two{8, 1024, 0, 2};
  PoolState now = state({run("a")}, {pilot("1", PilotState::kQueued, two)});
  PoolPlan plan = plan_pool(now, settings());
  ASSERT_TRUE(plan.submit);
  EXPECT_EQ(plan.submit->nodes, 1);
  ASSERT_EQ(plan.cancel.size(), 1U) << "no gang waits for it";
  now.pilots.clear();
  now.in_doubt["k7f3a9c2"] = two;
  plan = plan_pool(now, settings());
  EXPECT_TRUE(plan.submit);
  now.waiting = {gang("g", 2)};
  EXPECT_FALSE(plan_pool(now, settings()).submit) << "it is the gang's";
}

TEST(PoolPlan, ASizeThatSlurmRefusedHoldsUpOnlyRunsOfThatSize) {
  PoolState now = state({gang("g", 3), run("a")});
  now.refused = {{{1, 1024, 0, 3}, "sbatch: Node count specification invalid"}};
  PoolPlan plan = plan_pool(now, settings());
  EXPECT_EQ(plan.held.at("g"), "sbatch: Node count specification invalid");
  ASSERT_TRUE(plan.submit);
  EXPECT_EQ(plan.submit->nodes, 1);
  now.refused.clear();
  plan = plan_pool(now, settings());
  ASSERT_TRUE(plan.submit);
  EXPECT_EQ(plan.submit->nodes, 3);
}

TEST(PoolPlan, ASubmissionInDoubtCountsAsAPilot) {
  PoolState now = state({run("a")});
  now.in_doubt["k7f3a9c2"] = {1, 1024, 0};
  const PoolPlan plan = plan_pool(now, settings());
  EXPECT_FALSE(plan.submit);
  EXPECT_THAT(plan.coming.at("a"), HasSubstr("does not list it yet"));
}

TEST(PoolPlan, LimitsAreNamedToTheRunThatTheyHold) {
  PoolState full =
      state({run("a")}, {pilot("1", PilotState::kRunning), pilot("2", PilotState::kRunning),
                         pilot("3", PilotState::kEnding)});
  full.joined = full.settled = {"1", "2"};
  PoolPlan plan = plan_pool(full, settings());
  EXPECT_FALSE(plan.submit);
  EXPECT_THAT(plan.held.at("a"), HasSubstr("maxPilots"));

  PoolState queued = state({run("a", 8)}, {pilot("1", PilotState::kQueued)});
  queued.in_doubt["k7f3a9c2"] = {1, 1024, 0};
  plan = plan_pool(queued, settings());
  EXPECT_FALSE(plan.submit);
  EXPECT_THAT(plan.held.at("a"), HasSubstr("maxQueued"));

  PoolState soon = state({run("a")});
  soon.last_submission = MonoTime{soon.mono.ms - 1};
  plan = plan_pool(soon, settings());
  EXPECT_FALSE(plan.submit);
  EXPECT_THAT(plan.held.at("a"), HasSubstr("submitEvery"));
  soon.last_submission = MonoTime{soon.mono.ms - settings().submit_every.value.count()};
  EXPECT_TRUE(plan_pool(soon, settings()).submit);
}

TEST(PoolPlan, AQueuedPilotThatNobodyWaitsForIsCanceledAndARunningOneIsNot) {
  const PoolPlan plan =
      plan_pool(state({}, {pilot("1", PilotState::kQueued), pilot("2", PilotState::kRunning),
                           pilot("3", PilotState::kEnding)}),
                settings());
  ASSERT_EQ(plan.cancel.size(), 1U);
  EXPECT_EQ(plan.cancel[0].job, "1");
}

TEST(PoolPlan, OneThatNeverJoinedIsCanceledAndNotWaitedFor) {
  Pilot stuck = pilot("1", PilotState::kRunning);
  stuck.started = kNow + (-kLongestJoining) + Millis(-1);
  PoolState now = state({run("a")}, {stuck});
  const PoolPlan plan = plan_pool(now, settings());
  ASSERT_EQ(plan.cancel.size(), 1U);
  EXPECT_TRUE(plan.submit);
  now.joined = {"1"};
  EXPECT_TRUE(plan_pool(now, settings()).cancel.empty());
}

contracts::Run pending(const std::string& reason = "UNSCHEDULABLE") {
  contracts::Run out;
  out.metadata.name_space = "default";
  out.metadata.uid = "u";
  out.status.reason = reason;
  out.status.message = "0/1 nodes fit: 1 is full; pool hpc: job 7 has started";
  out.status.policy.emplace();
  out.status.policy->limits.wall_time = wire::Duration{std::chrono::minutes(5)};
  return out;
}

TEST(WaitingRun, IsOneThatANodeWouldHelp) {
  EXPECT_TRUE(waiting_run(pending(), kNow));
  for (const char* other : {"QUOTA_IN_USE", "WAITING", ""})
    EXPECT_FALSE(waiting_run(pending(other), kNow)) << other;
  contracts::Run of_older = pending();  // whose controller has one reason for all of these
  for (const char* words :
       {"namespace default has its 3 runs at once", "a node has room for it: its turn is next", "",
        "0/ nodes fit", "/1 nodes fit", "0/1 nodes"}) {
    of_older.status.message = words;
    EXPECT_FALSE(waiting_run(of_older, kNow)) << words;
  }
  contracts::Run other = pending();
  other.spec.cancel_requested = true;
  EXPECT_FALSE(waiting_run(other, kNow));
  other = pending();
  other.status.retry_at = wire::Timestamp{kNow + Millis(1)};
  EXPECT_FALSE(waiting_run(other, kNow));
  other = pending();
  other.status.phase = contracts::RunPhase::kRunning;
  EXPECT_FALSE(waiting_run(other, kNow));
  other = pending();
  other.spec.array.emplace();
  EXPECT_FALSE(waiting_run(other, kNow)) << "its elements wait for nodes, and it does not";
}

TEST(WaitingRun, OfAGangIsTheMemberThatStandsInTheQueueForAll) {
  contracts::Run member = pending();
  member.status.element.emplace().members = 3;
  member.status.message = "0/1 nodes fit, and its 3 members need one each: 1 is full";
  ASSERT_TRUE(waiting_run(member, kNow));
  EXPECT_EQ(waiting_run(member, kNow)->needs.nodes, 3);
  member.status.message = "all members of the gang are placed at once, and g-0 says why they wait";
  EXPECT_FALSE(waiting_run(member, kNow));
}

TEST(NeverFits, AGangOfMoreThanAllPilots) {
  contracts::Run member = pending();
  member.status.element.emplace().members = 3;
  EXPECT_EQ(never_fits(member, settings()), "");
  member.status.element->members = 4;
  EXPECT_THAT(never_fits(member, settings()),
              HasSubstr("4 members need a pilot each, and there are at most 3 (maxPilots)"));
}

TEST(NeverFits, ARunThatMayOutliveAPilot) {
  PoolSettings pool = settings();
  pool.pilot.walltime = wire::Duration{std::chrono::minutes(8)};
  EXPECT_EQ(never_fits(pending(), pool), "");  // 5 m, 2 m around it, 1 m of the pilot's own
  pool.pilot.walltime = wire::Duration{std::chrono::minutes(7)};
  EXPECT_THAT(never_fits(pending(), pool), HasSubstr("pilot.walltime"));
  contracts::Run graceful = pending();
  graceful.spec.termination_grace = wire::Wait{Millis(1)};
  pool.pilot.walltime = wire::Duration{std::chrono::minutes(8)};
  EXPECT_THAT(never_fits(graceful, pool), HasSubstr("pilot.walltime"));
}

TEST(NeverFits, ARunLargerThanAPilot) {
  contracts::Run run = pending();
  auto& asked = run.spec.resources.emplace();
  asked.cpu = 8;
  EXPECT_EQ(never_fits(run, settings()), "");
  asked.cpu = 9;
  EXPECT_THAT(never_fits(run, settings()), HasSubstr("size.maxCpus"));
  asked = {};
  asked.memory = wire::Quantity{int64_t{32} << 30};
  EXPECT_EQ(never_fits(run, settings()), "");
  asked.memory->bytes += 1;
  EXPECT_THAT(never_fits(run, settings()), HasSubstr("size.maxMemory"));
  asked = {};
  asked.accelerators.emplace();
  EXPECT_THAT(never_fits(run, settings()), HasSubstr("size.maxGpus"));
  PoolSettings gpus = settings();
  gpus.size.max_gpus = 1;
  EXPECT_EQ(never_fits(run, gpus), "");
  asked.accelerators->kind = contracts::AcceleratorKind::kApple;
  EXPECT_THAT(never_fits(run, gpus), HasSubstr("Apple"));
}

TEST(NeverFits, ARunThatAsksForOtherLabels) {
  contracts::Run run = pending();
  run.spec.node_selector = {{kPoolLabel, "hpc"}};
  EXPECT_EQ(never_fits(run, settings()), "");
  run.spec.node_selector = {{"rack", "a"}};
  EXPECT_THAT(never_fits(run, settings()), HasSubstr("pilot.labels"));
  PoolSettings labelled = settings();
  labelled.pilot.labels = {{"rack", "a"}};
  EXPECT_EQ(never_fits(run, labelled), "");
}

TEST(SizeFor, StaysWithinTheSettings) {
  SizeSettings size;
  size.min_cpus = 2;
  size.max_cpus = 8;
  size.min_memory.bytes = int64_t{1} << 30;
  size.max_memory.bytes = int64_t{4} << 30;
  EXPECT_EQ(size_for({1, 0, 0}, size), (PilotSize{2, 1024, 0}));
  EXPECT_EQ(size_for({8, 4096, 1}, size), (PilotSize{8, 4096, 1}));
}

}  // namespace
}  // namespace paddock::cli
