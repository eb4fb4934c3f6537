#include "controller/api/metrics/http_times.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "common/base/text.h"
#include "controller/api/metrics/metrics.h"

namespace paddock::api {
namespace {

constexpr const char* kRequestSeconds = "paddock_http_request_seconds";

}  // namespace

HttpTimes::~HttpTimes() {
  for (auto& slot : slots_) {
    for (const Row* row = slot.load(); row != nullptr;) {
      const std::unique_ptr<const Row> gone(row);
      row = row->next;
    }
  }
}

HttpTimes::Row& HttpTimes::row(const char* method, const char* pattern) {
  const std::hash<std::string_view> hash;
  auto& slot = slots_.at((hash(pattern) ^ hash(method)) % kSlots);
  Row* first = slot.load(std::memory_order_acquire);
  const auto known = [&]() -> Row* {
    for (Row* each = first; each != nullptr; each = each->next) {
      if (std::string_view(each->pattern) == pattern && std::string_view(each->method) == method)
        return each;
    }
    return nullptr;
  };
  if (Row* found = known()) return *found;
  auto fresh = std::make_unique<Row>(method, pattern);
  fresh->next = first;
  while (!slot.compare_exchange_weak(first, fresh.get(), std::memory_order_acq_rel)) {
    if (Row* found = known()) return *found;  // another thread was here first
    fresh->next = first;
  }
  return *fresh.release();
}

void HttpTimes::count(const char* method, const char* pattern, int status, Micros took) {
  Histogram& times = row(method, pattern).by_class.at(static_cast<size_t>(status / 100) % 6);
  times.add(took);
}

std::string HttpTimes::text() const {
  std::map<std::string, std::string> rows;  // in an order that stays
  for (const auto& slot : slots_) {
    for (const Row* row = slot.load(std::memory_order_acquire); row != nullptr; row = row->next) {
      for (size_t i = 0; i < row->by_class.size(); ++i) {
        if (row->by_class.at(i).count() == 0) continue;
        const std::string labels =
            cat("method=\"", row->method, "\",route=\"", row->pattern, "\",class=\"", i, "xx\"");
        rows[labels] = row->by_class.at(i).text(kRequestSeconds, labels);
      }
    }
  }
  std::string out = metric_type(kRequestSeconds, "histogram",
                                "from a request's arrival to its answer, or to where a streaming "
                                "answer begins, by route");
  for (const auto& [labels, lines] : rows) out += lines;
  return out;
}

}  // namespace paddock::api
