// One output stream of a command: counts everything, keeps the first N bytes, and hands them on in
// pieces worth a frame. Exactly N bytes are whole; the marker for the rest is outside the budget.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.h"

namespace paddock::sandbox {

class OutputStream {
 public:
  static constexpr size_t kFrameBytes = size_t{32} << 10;
  static constexpr Millis kFlushAfter{50};

  OutputStream(int64_t keep_bytes, int64_t inline_bytes)
      : keep_(keep_bytes), inline_(inline_bytes) {}
  void append(std::string_view bytes, MonoTime now);
  // When flush() must have been called; nothing if nothing waits.
  std::optional<MonoTime> flush_at() const;
  // Whether a piece should be written now.
  bool due(MonoTime now) const;
  std::string take_pending();

  int64_t written() const { return written_; }
  bool truncated() const { return written_ > keep_; }
  // What the result repeats: the first bytes, and the marker if there were more.
  std::string excerpt() const;
  bool excerpt_truncated() const { return written_ > excerpt_cap(); }

 private:
  int64_t excerpt_cap() const { return std::min(inline_, keep_); }

  int64_t keep_;
  int64_t inline_;
  int64_t written_ = 0;
  std::string pending_;
  std::string inline_text_;
  std::optional<MonoTime> waiting_since_;
};

}  // namespace paddock::sandbox
