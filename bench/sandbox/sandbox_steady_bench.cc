// What a command costs more while it runs: its own time inside for its own time outside, in turn.
//   sandbox_steady_bench [pairs, default 15]; needs PADDOCK_BIN_DIR
#include <cstdio>
#include <cstdlib>

#include "bench/sandbox/figures.h"
#include "bench/sandbox/ways.h"
#include "common/base/text.h"
#include "common/os/file.h"

namespace {

using namespace paddock;
using namespace paddock::bench;

double own_ms(const Way& way) {
  const auto out = way.run();
  if (!out) {
    std::fprintf(stderr, "bench: %s failed\n", way.name.c_str());
    std::exit(1);
  }
  return std::atof(out->c_str());
}

void compare(const char* what, const Way& outside, const Way& inside, int pairs, double at_most) {
  std::vector<double> ratios;
  std::vector<double> bare;
  for (int i = 0; i < pairs; ++i) {
    const bool first = i % 2 == 0;  // neither always comes first
    const double one = own_ms(first ? outside : inside);
    const double two = own_ms(first ? inside : outside);
    bare.push_back(first ? one : two);
    ratios.push_back(first ? two / one : one / two);
  }
  std::printf("  outside: %.1f ms; inside for outside: p50 %.3f, p10 %.3f, p90 %.3f\n",
              median(bare), median(ratios), percentile(ratios, 10), percentile(ratios, 90));
  print_target(what, median(ratios), at_most);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 15;
  Bench bench;
  for (int i = 0; i < 64; ++i) {
    if (!os::write_file_atomic(cat(bench.workspace(), "/file-", i), std::string(2000, 'x'), 0644)
             .ok())
      return 1;
  }
  const std::string outside = payloads() + "/payload";
  const auto both = [&](std::vector<std::string> arguments, std::vector<std::string> out) {
    arguments.insert(arguments.begin(), "/bench/payload");
    out.insert(out.begin(), outside);
    return std::pair{bench.bare(out), bench.warm(bench.request(arguments))};
  };
  std::printf("steady state, profile test, Landlock and both filters in place\n");
  const auto cpu = both({"cpu"}, {"cpu"});
  compare("cpu-bound", cpu.first, cpu.second, pairs, 1.01);
  const auto calls = both({"syscalls"}, {"syscalls"});
  compare("fastest system calls", calls.first, calls.second, pairs, 1.05);
  const auto files =
      both({"files", "/workspace", "/tmp"}, {"files", bench.workspace(), "/dev/shm"});
  compare("file work (with Landlock)", files.first, files.second, pairs, 1.20);
  return 0;
}
