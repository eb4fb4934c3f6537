// One scheduling pass over many nodes and waiting runs, with quotas and fair share; passes after a
// small change; and the plain way beside it in the same run: every run asks every node.
//   scheduler_bench [nodes, default 5000] [waiting runs, default 100000]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/base/text.h"
#include "controller/scheduler/cluster.h"
#include "controller/scheduler/filters/filter.h"
#include "controller/scheduler/score.h"

namespace {

using namespace paddock;
using scheduler::Cluster;
using SteadyClock = std::chrono::steady_clock;

constexpr WallTime kNow{1'750'000'000'000};

double ms_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double, std::milli>(SteadyClock::now() - begin).count();
}

contracts::Node node(size_t i) {
  contracts::Node out;
  out.metadata.name = cat("node-", 10'000 + i);
  out.metadata.labels = {{"zone", cat("z", i % 8)}};
  out.status.ready = true;
  out.status.capacity = {64, {int64_t{256} << 30}, {int64_t{1} << 40}, 32};
  out.status.allocatable_disk = out.status.capacity.disk;
  if (i % 10 == 0) out.status.devices = {{"nvidia", "0", ""}, {"nvidia", "1", ""}};
  if (i % 50 == 1) out.spec.taints = {{"reserved", "yes", "NoSchedule"}};
  return out;
}

// 20 namespaces, 3 priorities, some hundred different demands.
contracts::Run run(size_t i, Random& random) {
  contracts::Run out;
  out.metadata.name = out.metadata.uid = cat("run-", 1'000'000 + i);
  out.metadata.name_space = cat("team-", random.below(20));
  out.metadata.creation_timestamp = wire::Timestamp{kNow + Millis(static_cast<int64_t>(i))};
  out.spec.priority = static_cast<int64_t>(random.below(3));
  auto& resources = out.spec.resources.emplace();
  resources.cpu = static_cast<int64_t>(1 + random.below(8));
  resources.memory = wire::Quantity{static_cast<int64_t>(1 + random.below(8)) << 30};
  if (random.below(50) == 0) resources.accelerators = contracts::Accelerators{};
  if (random.below(10) == 0) out.spec.node_selector = {{"zone", cat("z", random.below(8))}};
  return out;
}

Cluster::Config config() {
  scheduler::Quota limited;
  limited.runs = 3'000;
  limited.cpu = 16'000;
  scheduler::Quota heavy;
  heavy.weight = 300;
  return {scheduler::Quotas({{"team-0", limited}, {"team-1", heavy}}), false};
}

// Every run asks every node, with the same filters and score; no quota and no fair share.
size_t plain_way(const std::vector<contracts::Run>& runs,
                 const std::vector<contracts::Node>& nodes) {
  std::vector<scheduler::NodeState> states;
  for (const auto& each : nodes) states.push_back(scheduler::state_of(each));
  size_t placed = 0;
  for (const auto& each : runs) {
    const scheduler::Demand demand = scheduler::demand_of(each);
    scheduler::NodeState* best = nullptr;
    scheduler::Score best_score;
    for (auto& state : states) {
      if (scheduler::refused_by(demand, state)) continue;
      const scheduler::Score mine = scheduler::score(demand, state);
      if (best != nullptr && mine <= best_score) continue;
      best = &state;
      best_score = mine;
    }
    if (best == nullptr) continue;
    scheduler::occupy(*best, demand);
    ++placed;
  }
  return placed;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t node_count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 5'000;
  const size_t run_count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100'000;
  SeededRandom random(1);
  std::vector<contracts::Node> nodes;
  std::vector<contracts::Run> runs;
  for (size_t i = 0; i < node_count; ++i) nodes.push_back(node(i));
  for (size_t i = 0; i < run_count; ++i) runs.push_back(run(i, random));
  std::printf("%zu nodes, %zu waiting runs, 20 namespaces, quotas, fair share\n", node_count,
              run_count);

  Cluster cluster(config());
  auto begin = SteadyClock::now();
  for (const auto& each : nodes) cluster.put_node(each);
  for (const auto& each : runs) cluster.put_run(each);
  std::printf("%-46s %9.1f ms\n", "told of all of them, once at the start", ms_since(begin));

  begin = SteadyClock::now();
  const auto plan = cluster.pass(kNow);
  const double pass_ms = ms_since(begin);
  std::printf("%-46s %9.1f ms   %zu placed, %.0f/s\n", "the first pass", pass_ms,
              plan.bindings.size(), 1000.0 * static_cast<double>(plan.bindings.size()) / pass_ms);

  begin = SteadyClock::now();
  constexpr int kIdle = 1000;
  for (int i = 0; i < kIdle; ++i) cluster.pass(kNow);
  std::printf("%-46s %9.4f ms\n", "a pass when nothing changed", ms_since(begin) / kIdle);

  begin = SteadyClock::now();
  constexpr size_t kEnds = 1000;
  size_t placed_again = 0;
  for (size_t i = 0; i < kEnds && i < plan.bindings.size(); ++i) {
    cluster.remove_run(plan.bindings[i].uid);
    placed_again += cluster.pass(kNow).bindings.size();
  }
  std::printf("%-46s %9.4f ms   %zu placed\n", "a pass when one run ended", ms_since(begin) / kEnds,
              placed_again);

  begin = SteadyClock::now();
  const auto reasons = cluster.explain(500);
  std::printf("%-46s %9.1f ms   %zu of %zu\n", "why runs wait, for one tick", ms_since(begin),
              reasons.size(), cluster.waiting());

  const size_t sample = std::min<size_t>(runs.size(), 2'000);
  const std::vector<contracts::Run> some(runs.begin(),
                                         runs.begin() + static_cast<std::ptrdiff_t>(sample));
  begin = SteadyClock::now();
  const size_t placed = plain_way(some, nodes);
  const double plain_ms = ms_since(begin);
  const double plain_rate = 1000.0 * static_cast<double>(placed) / plain_ms;
  std::printf("%-46s %9.1f ms   %zu placed, %.0f/s (for the first %zu runs)\n",
              "the plain way: every run asks every node", plain_ms, placed, plain_rate, sample);
  std::printf("placements per second, compared with the plain way: %.0f times\n",
              1000.0 * static_cast<double>(plan.bindings.size()) / pass_ms / plain_rate);
  return 0;
}
