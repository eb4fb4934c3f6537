// How often a controller whose store is a PostgreSQL database waits for it: as often for many runs
// as for a few. Each such question is a way over the network and back.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "controller/reconciler/reconciler_test_support.h"
#include "controller/store/postgres_test_support.h"
#include "controller/store/proxy_test_support.h"
#include "controller/store/store_test_support.h"

namespace paddock::reconciler {
namespace {

class RoundTrips : public ReconcilerTest {
 protected:
  void SetUp() override {
    store::PostgresServer* const server = store::PostgresServer::get();
    if (server == nullptr) GTEST_SKIP() << store::PostgresServer::kMissing;
    proxy_ = std::make_unique<store::Proxy>(
        std::filesystem::path(folder_.file()).parent_path().string(), server->folder());
    store::StoreOptions options;
    // Nothing but what is counted goes through it: the lease is long.
    options.postgres = store::PostgresServer::options(proxy_->url(server->new_database()), "test");
    store_ = std::move(store::Store::open(options)).value();
    reconciler_.emplace(*store_, leases_, settings_);
    contracts::EnrollRequest request;
    request.identity = "identity-of-this-agent-32-characters";
    ASSERT_TRUE(nodes::enroll(*store_, "n1", request, clock_.wall(), random_).ok());
  }
  void TearDown() override {
    reconciler_.reset();
    store_.reset();
    proxy_.reset();
  }
  template <class Work>
  int counted(const Work& work) {
    const int before = proxy_->round_trips();
    work();
    return proxy_->round_trips() - before;
  }
  void sync(std::vector<contracts::RunReport> reports = {}) {
    contracts::SyncRequest request;
    request.process = "process-1";
    contracts::Capacity& capacity = request.status.emplace().capacity;
    capacity.cpu = capacity.max_runs = 1'000;
    capacity.memory = wire::Quantity{int64_t{1} << 40};
    request.runs = std::move(reports);
    const auto answer = nodes::synchronize(*store_, leases_, "n1", request, nodes::now(clock_));
    ASSERT_TRUE(answer.ok()) << answer.error().describe();
    for (const contracts::Assignment& each : answer->runs)
      if (!request.runs.empty()) EXPECT_EQ(each.output_acked, 1);
  }
  std::vector<contracts::RunReport> reports(RunPhase phase) const {
    std::vector<contracts::RunReport> all;
    for (int i = 0; i < kRuns; ++i) {
      contracts::RunReport& each = all.emplace_back();
      each.run_uid = cat("r-", i);
      each.attempt = 1;
      each.phase = RunPhase::kRunning;
      each.input_acked = 0;
      each.output.push_back({1, 1, "stdout", base64("line\n")});
      if (phase != RunPhase::kRunning) each.outcome.emplace().phase = phase;
    }
    return all;
  }

  static constexpr int kRuns = 40;
  store::TempFolder folder_;
  std::unique_ptr<store::Proxy> proxy_;
};

TEST_F(RoundTrips, AreAFewForFortyRunsInEachStep) {
  EXPECT_LE(counted([&] { sync(); }), 9) << "a node's first call";
  for (int i = 0; i < kRuns; ++i)
    submit(cat("r-", i), [](contracts::Run& run) { run.spec.type = contracts::RunType::kAgent; });
  int64_t bound = 0;
  EXPECT_LE(counted([&] { bound = step().bound; }), 26) << "placing them";
  ASSERT_EQ(bound, kRuns);
  EXPECT_LE(counted([&] { (void)step(); }), 8) << "a pass with nothing to do";
  EXPECT_LE(counted([&] { sync(); }), 10) << "a call that asks what there is";
  EXPECT_LE(counted([&] { sync(reports(RunPhase::kRunning)); }), 14) << "that they began";
  EXPECT_EQ(run("r-7").status.phase, RunPhase::kRunning);
  EXPECT_LE(counted([&] { sync(reports(RunPhase::kSucceeded)); }), 10) << "that they ended";
  EXPECT_EQ(run("r-7").status.phase, RunPhase::kSucceeded);
}

}  // namespace
}  // namespace paddock::reconciler
