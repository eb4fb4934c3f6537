#include "controller/api/metrics/metrics.h"

#include "common/base/text.h"

namespace paddock::api {

std::string metric_type(const char* name, const char* type, const char* help) {
  return cat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
}

std::string metric_line(const char* name, const char* label, std::string_view label_value,
                        int64_t value) {
  if (label_value.empty()) return cat(name, " ", value, "\n");
  return cat(name, "{", label, "=\"", label_value, "\"} ", value, "\n");
}

std::string metric_seconds(int64_t ms) {
  const std::string rest = std::to_string(1'000 + ms % 1'000);
  return cat(ms / 1'000, ".", std::string_view(rest).substr(1));
}

void Metrics::count_batch(Micros took, const std::vector<runs::Measures>& measures) {
  commit_times_.add(took);
  for (const runs::Measures& each : measures) runs.count(each);
}

std::string Metrics::text() const {
  std::string out =
      metric_type("paddock_http_answers_total", "counter", "HTTP answers by class of status");
  for (size_t i = 1; i < answers_.size(); ++i) {
    out += metric_line("paddock_http_answers_total", "class", cat(i, "xx"), answers_[i].load());
  }
  out += metric_type("paddock_denials_total", "counter",
                     "requests refused by authentication or authorization");
  out += metric_line("paddock_denials_total", "", "", denials_.load());
  out += metric_type("paddock_store_commits_total", "counter", "commits of the store");
  out += metric_line("paddock_store_commits_total", "", "", commits_.load());
  out += metric_type("paddock_http_streams", "gauge", "streaming answers open now");
  out += metric_line("paddock_http_streams", "", "", streams.load());
  constexpr const char* kCommitSeconds = "paddock_store_commit_seconds";
  out += metric_type(kCommitSeconds, "histogram", "a batch of changes until it is on the disk");
  out += commit_times_.text(kCommitSeconds);
  return out + http.text() + runs.text();
}

}  // namespace paddock::api
