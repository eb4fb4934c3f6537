// A pass of the scheduler, by how many nodes there are: it costs what has become possible, and not
// how much there is.
#include <string>

#include <benchmark/benchmark.h>

#include "common/base/text.h"
#include "controller/scheduler/cluster.h"
#include "controller/scheduler/filters/filter.h"

namespace paddock::bench {
namespace {

constexpr WallTime kNow{1'750'000'000'000};

contracts::Node node(int64_t i) {
  contracts::Node out;
  out.metadata.name = cat("node-", i);
  out.status.ready = true;
  out.status.capacity = {8, {int64_t{32} << 30}, {int64_t{1} << 40}, 8};
  out.status.allocatable_disk = out.status.capacity.disk;
  return out;
}

contracts::Run run(int64_t i) {
  contracts::Run out;
  out.metadata.name = out.metadata.uid = cat("run-", i);
  out.metadata.name_space = "default";
  out.metadata.creation_timestamp = wire::Timestamp{kNow + Millis(i)};
  out.spec.resources.emplace().cpu = 1;
  return out;
}

scheduler::Cluster cluster_of(int64_t nodes) {
  scheduler::Cluster out({});
  for (int64_t i = 0; i < nodes; ++i) out.put_node(node(i));
  return out;
}

void place_one_run(benchmark::State& state) {
  scheduler::Cluster cluster = cluster_of(state.range(0));
  int64_t next = 0;
  for (auto _ : state) {
    const contracts::Run arrived = run(++next);
    cluster.put_run(arrived);
    benchmark::DoNotOptimize(cluster.pass(kNow));
    cluster.remove_run(arrived.metadata.uid);
  }
}
BENCHMARK(place_one_run)->Arg(1)->Arg(100)->Arg(5'000);

void pass_when_nothing_changed(benchmark::State& state) {
  scheduler::Cluster cluster = cluster_of(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(cluster.pass(kNow));
}
BENCHMARK(pass_when_nothing_changed)->Arg(5'000);

// The baseline: each node is asked by each filter.
void ask_every_node(benchmark::State& state) {
  std::vector<scheduler::NodeState> nodes;
  for (int64_t i = 0; i < state.range(0); ++i) nodes.push_back(scheduler::state_of(node(i)));
  const scheduler::Demand demand = scheduler::demand_of(run(1));
  for (auto _ : state) {
    for (const scheduler::NodeState& each : nodes)
      benchmark::DoNotOptimize(scheduler::refused_by(demand, each));
  }
}
BENCHMARK(ask_every_node)->Arg(100)->Arg(5'000);

}  // namespace
}  // namespace paddock::bench
