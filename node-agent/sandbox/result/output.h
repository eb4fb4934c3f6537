// One output stream of a command: counts everything, keeps the first and the last bytes of it, and
// hands them on in pieces worth a frame: the first as they come, the last when the stream is over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/head_and_tail.h"
#include "common/base/time.h"
#include "node-agent/sandbox/result/redact.h"

namespace paddock::sandbox {

class OutputStream {
 public:
  static constexpr size_t kFrameBytes = size_t{32} << 10;
  static constexpr Millis kFlushAfter{50};

  // `secrets`: what is taken out before anything else is made of it; none: nothing is.
  OutputStream(int64_t keep_bytes, int64_t inline_bytes,
               const std::shared_ptr<const SecretWords>& secrets = nullptr)
      : keep_bytes_(keep_bytes), log_(keep_bytes), excerpt_(std::min(inline_bytes, keep_bytes)) {
    if (secrets) redactor_.emplace(secrets);
  }
  void append(std::string_view bytes, MonoTime now);
  // Once, when nothing more comes: what is still kept waits to be written.
  void finish(MonoTime now);
  // When flush() must have been called; nothing if nothing waits.
  std::optional<MonoTime> flush_at() const;
  // Whether a piece should be written now.
  bool due(MonoTime now) const;
  std::string take_pending();

  int64_t written() const { return log_.written(); }
  bool truncated() const { return log_.cut(); }
  // Bytes that came after all that is kept was there.
  int64_t beyond() const { return std::max<int64_t>(written() - keep_bytes_, 0); }
  // What the result repeats: less of it than the log has, or as much.
  std::string excerpt() const;
  bool excerpt_truncated() const { return excerpt_.cut(); }

 private:
  void take(std::string_view bytes, MonoTime now);
  void wait_to_be_written(const std::string& bytes, MonoTime now);

  int64_t keep_bytes_;
  std::optional<Redactor> redactor_;
  HeadAndTail log_;
  HeadAndTail excerpt_;
  std::string pending_;
  std::string excerpt_head_;
  std::optional<MonoTime> waiting_since_;
};

}  // namespace paddock::sandbox
