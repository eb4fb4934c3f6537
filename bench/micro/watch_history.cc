// A full history of changes, by how many namespaces they are of: what a change and a watch of all
// namespaces cost does not grow with these. One namespace is the baseline.
#include "controller/events/watch_history.h"

#include <string>

#include <benchmark/benchmark.h>

#include "common/base/text.h"

namespace paddock::bench {
namespace {

constexpr int64_t kKept = 50'000;

class FullHistory {
 public:
  explicit FullHistory(int64_t namespaces) : namespaces_(namespaces) {
    history_.begin(0);
    while (version_ < kKept) write();
  }
  void write() {
    ++version_;
    history_.publish({{version_,
                       "Run",
                       {cat("space-", version_ % namespaces_), cat("r", version_)},
                       store::ObjectWrite::Op::kCreate,
                       "",
                       std::string(1'000, 'x')}});
  }
  auto newest() const { return history_.after("Run", version_ - 5, 100); }

 private:
  const int64_t namespaces_;
  events::WatchHistory history_{{.changes = kKept, .bytes = size_t{1} << 30}};
  int64_t version_ = 0;
};

void publish_a_change(benchmark::State& state) {
  FullHistory history(state.range(0));
  for (auto _ : state) history.write();
}
BENCHMARK(publish_a_change)->Arg(1)->Arg(10'000);

void watch_all_namespaces(benchmark::State& state) {
  const FullHistory history(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(history.newest());
}
BENCHMARK(watch_all_namespaces)->Arg(1)->Arg(10'000);

}  // namespace
}  // namespace paddock::bench
