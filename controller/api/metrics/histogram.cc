#include "controller/api/metrics/histogram.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::api {
namespace {

// 1234567 -> 1.234567; whole ones and thousandths without what is nothing.
std::string seconds_text(int64_t micros) {
  std::string rest = std::to_string(1'000'000 + micros % 1'000'000).substr(1);
  rest.erase(rest.find_last_not_of('0') + 1);
  return rest.empty() ? cat(micros / 1'000'000) : cat(micros / 1'000'000, ".", rest);
}

}  // namespace

void Histogram::add(Micros took) {
  const int64_t micros = std::max<int64_t>(0, took.count());
  const auto bound = std::ranges::lower_bound(*bounds_, micros, {},
                                              [](int64_t bound_ms) { return bound_ms * 1'000; });
  held_.at(static_cast<size_t>(bound - bounds_->begin())).fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(micros, std::memory_order_relaxed);
}

int64_t Histogram::count() const {
  int64_t all = 0;
  for (const auto& each : held_) all += each.load(std::memory_order_relaxed);
  return all;
}

std::string Histogram::text(std::string_view name, std::string_view labels) const {
  std::string out;
  const std::string before = labels.empty() ? "" : cat(labels, ",");
  int64_t sum = 0;
  for (size_t i = 0; i <= kBounds; ++i) {
    sum += held_.at(i).load(std::memory_order_relaxed);
    const std::string bound = i < kBounds ? seconds_text(bounds_->at(i) * 1'000) : "+Inf";
    out += cat(name, "_bucket{", before, "le=\"", bound, "\"} ", sum, "\n");
  }
  const std::string braces = labels.empty() ? "" : cat("{", labels, "}");
  return cat(out, name, "_sum", braces, " ", seconds_text(sum_.load(std::memory_order_relaxed)),
             "\n", name, "_count", braces, " ", sum, "\n");
}

}  // namespace paddock::api
