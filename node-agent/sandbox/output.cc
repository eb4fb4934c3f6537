#include "node-agent/sandbox/output.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

std::string marker(int64_t cap) { return cat("\n[TRUNCATED at ", cap, " bytes]\n"); }

}  // namespace

void OutputStream::append(std::string_view bytes, MonoTime now) {
  const int64_t before = written_;
  written_ += static_cast<int64_t>(bytes.size());
  const auto part_below = [&](int64_t cap) {
    const int64_t room = std::clamp<int64_t>(cap - before, 0, static_cast<int64_t>(bytes.size()));
    return bytes.substr(0, static_cast<size_t>(room));
  };
  inline_text_ += part_below(excerpt_cap());
  const std::string_view kept = part_below(keep_);
  pending_ += kept;
  if (before <= keep_ && truncated()) pending_ += marker(keep_);
  if (!pending_.empty() && !waiting_since_) waiting_since_ = now;
}

std::optional<MonoTime> OutputStream::flush_at() const {
  if (!waiting_since_) return std::nullopt;
  return *waiting_since_ + kFlushAfter;
}

bool OutputStream::due(MonoTime now) const {
  return waiting_since_ && (pending_.size() >= kFrameBytes || now >= *flush_at());
}

std::string OutputStream::take_pending() {
  waiting_since_.reset();
  return std::exchange(pending_, {});
}

std::string OutputStream::excerpt() const {
  const std::string text = to_utf8_lossy(inline_text_);
  return excerpt_truncated() ? text + marker(excerpt_cap()) : text;
}

}  // namespace paddock::sandbox
