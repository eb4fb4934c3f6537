// One output stream of a command. It counts everything and keeps the first and the last bytes. It
// hands them on in pieces that are worth a frame: the first bytes as they come, the last ones when
// the stream is over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.h"
#include "node-agent/sandbox/result/head_and_tail.h"
#include "node-agent/sandbox/result/redact.h"

namespace paddock::sandbox {

class OutputStream {
 public:
  static constexpr size_t kFrameBytes = size_t{32} << 10;
  static constexpr Millis kFlushAfter{50};

  // `secrets` are taken out before anything else is done with the bytes. nullptr: there are none.
  OutputStream(int64_t keep_bytes, int64_t inline_bytes,
               const std::shared_ptr<const SecretWords>& secrets = nullptr)
      : keep_bytes_(keep_bytes), log_(keep_bytes), excerpt_(std::min(inline_bytes, keep_bytes)) {
    if (secrets) redactor_.emplace(secrets);
  }
  // Somebody sits before it: pieces do not wait for more, nor a character for its rest. Nothing is
  // kept, nor left out.
  void hand_on_at_once() {
    flush_after_ = Millis(0);
    handed_on_.emplace(0);
  }
  void append(std::string_view bytes, MonoTime now);
  // Call it once when nothing more comes. The last bytes then wait to be written.
  void finish(MonoTime now);
  // The time by which flush() must be called; nothing if no bytes wait.
  std::optional<MonoTime> flush_at() const;
  // Whether a piece should be written now.
  bool due(MonoTime now) const;
  std::string take_pending();

  int64_t written() const { return handed_on_.value_or(log_.written()); }
  bool truncated() const { return log_.cut(); }
  // How many bytes came after the limit was reached.
  int64_t beyond() const { return std::max<int64_t>(written() - keep_bytes_, 0); }
  // The part that the result repeats: at most as much as the log has.
  std::string excerpt() const;
  bool excerpt_truncated() const { return excerpt_.cut(); }

 private:
  void take(std::string_view bytes, MonoTime now);
  void wait_to_be_written(const std::string& bytes, MonoTime now);

  int64_t keep_bytes_;
  Millis flush_after_ = kFlushAfter;
  std::optional<int64_t> handed_on_;  // so far, at once
  std::optional<Redactor> redactor_;
  HeadAndTail log_;
  HeadAndTail excerpt_;
  std::string pending_;
  std::string excerpt_head_;
  std::optional<MonoTime> waiting_since_;
};

}  // namespace paddock::sandbox
