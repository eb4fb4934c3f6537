#include "node-agent/sandbox/result/output.h"

#include <iterator>
#include <utility>

#include "common/base/text.h"

namespace paddock::sandbox {

void OutputStream::append(std::string_view bytes, MonoTime now) {
  if (redactor_) return take(redactor_->append(bytes), now);
  take(bytes, now);
}

void OutputStream::take(std::string_view bytes, MonoTime now) {
  if (handed_on_) {
    *handed_on_ += std::ssize(bytes);
    return wait_to_be_written(std::string(bytes), now);
  }
  excerpt_head_ += excerpt_.append(bytes);
  wait_to_be_written(log_.append(bytes), now);
}

void OutputStream::finish(MonoTime now) {
  if (redactor_) take(redactor_->finish(), now);
  wait_to_be_written(log_.rest(), now);
}

void OutputStream::wait_to_be_written(const std::string& bytes, MonoTime now) {
  pending_ += bytes;
  if (!pending_.empty() && !waiting_since_) waiting_since_ = now;
}

std::optional<MonoTime> OutputStream::flush_at() const {
  if (!waiting_since_) return std::nullopt;
  return *waiting_since_ + flush_after_;
}

bool OutputStream::due(MonoTime now) const {
  return waiting_since_ && (pending_.size() >= kFrameBytes || now >= *flush_at());
}

std::string OutputStream::take_pending() {
  waiting_since_.reset();
  return std::exchange(pending_, {});
}

std::string OutputStream::excerpt() const { return to_utf8_lossy(excerpt_head_ + excerpt_.rest()); }

}  // namespace paddock::sandbox
