// Fails if a typical unit-test task takes more than 5% longer in the sandbox, launch and teardown
// included. The median of pairs decides, once more if it is too much: other load on the machine
// meets both of a pair, or neither.
//   overhead_budget [pairs, default 15]; needs PADDOCK_BIN_DIR and PADDOCK_SOURCE_DIR
#include <cstdio>
#include <cstdlib>

#include "bench/sandbox/figures.h"
#include "bench/sandbox/ways.h"
#include "common/os/file.h"

namespace {

using namespace paddock;
using namespace paddock::bench;

constexpr double kBudget = 1.05;

double wall_ms(const Way& way) {
  const Stopwatch watch;
  if (!way.run()) {
    std::fprintf(stderr, "overhead_budget: the task failed: %s\n", way.name.c_str());
    std::exit(1);
  }
  return watch.ms();
}

double median_ratio(const Way& bare, const Way& sandboxed, int pairs) {
  std::vector<double> ratios;
  std::vector<double> times;
  for (int i = 0; i < pairs; ++i) {
    const bool first = i % 2 == 0;
    const double one = wall_ms(first ? bare : sandboxed);
    const double two = wall_ms(first ? sandboxed : bare);
    ratios.push_back(first ? two / one : one / two);
    times.push_back(first ? one : two);
  }
  std::printf("typical task: bare %.0f ms; %s for bare: p50 %.3f, p10 %.3f, p90 %.3f (%d pairs)\n",
              median(times), sandboxed.name.c_str(), median(ratios), percentile(ratios, 10),
              percentile(ratios, 90), pairs);
  return median(ratios);
}

bool within_budget(const Way& bare, const Way& sandboxed, int pairs) {
  if (median_ratio(bare, sandboxed, pairs) <= kBudget) return true;
  return median_ratio(bare, sandboxed, 2 * pairs + 1) <= kBudget;
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 15;
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  Bench bench;
  const auto task = os::read_file(std::string(source == nullptr ? "." : source) +
                                  "/bench/sandbox/typical_task/test_typical.py");
  if (!task.ok() ||
      !os::write_file_atomic(bench.workspace() + "/test_typical.py", *task, 0644).ok()) {
    std::fprintf(stderr, "overhead_budget: the task is missing; set PADDOCK_SOURCE_DIR\n");
    return 1;
  }
  const std::string file = bench.workspace() + "/test_typical.py";
  const Way bare = bench.bare({"/usr/bin/python3", file});
  const auto inside = bench.request({"/usr/bin/python3", "/workspace/test_typical.py"});
  (void)wall_ms(bare);  // the page cache is warm for both
  bool within = true;
  for (const Way& sandboxed : {bench.cold(inside), bench.warm(inside)})
    within = within_budget(bare, sandboxed, pairs) && within;
  std::printf("%s: the budget is %.2f\n", within ? "within" : "OVER", kBudget);
  return within ? 0 : 1;
}
