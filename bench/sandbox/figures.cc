#include "bench/sandbox/figures.h"

#include <algorithm>
#include <cstdio>

namespace paddock::bench {
namespace {

void print_line(const std::string& what, double got, const char* bound, double wanted, bool met) {
  std::printf("  %-58s %9.3f   (%s %.3f: %s)\n", what.c_str(), got, bound, wanted,
              met ? "met" : "NOT met");
}

}  // namespace

double percentile(std::vector<double> values, double percent) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  return values[static_cast<size_t>(last * percent / 100 + 0.5)];
}

void print_header(const char* title) {
  std::printf("%s\n  %-34s %6s %9s %9s %9s %9s\n", title, "", "n", "min", "p50", "p90", "p99");
}

void print_row(const std::string& name, const std::vector<double>& ms) {
  std::printf("  %-34s %6zu %9.3f %9.3f %9.3f %9.3f\n", name.c_str(), ms.size(), percentile(ms, 0),
              percentile(ms, 50), percentile(ms, 90), percentile(ms, 99));
  std::fflush(stdout);
}

void print_target(const std::string& what, double got, double at_most) {
  print_line(what, got, "at most", at_most, got <= at_most);
}

void print_target_at_least(const std::string& what, double got, double at_least) {
  print_line(what, got, "at least", at_least, got >= at_least);
}

}  // namespace paddock::bench
