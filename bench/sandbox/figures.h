// Times of many repetitions, and what is said of them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace paddock::bench {

class Stopwatch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// `percent` from 0 to 100; 0 if there are none.
double percentile(std::vector<double> values, double percent);
inline double median(std::vector<double> values) { return percentile(std::move(values), 50); }

// One line: name, count, min, p50, p90, p99.
void print_header(const char* title);
void print_row(const std::string& name, const std::vector<double>& ms);
// A target's line: what was wanted, what came out, whether it was reached.
void print_target(const std::string& what, double got, double at_most);
void print_target_at_least(const std::string& what, double got, double at_least);

}  // namespace paddock::bench
