// Both output streams of a command: passes their data on when it is due, and puts their totals into
// the result.
#pragma once

#include <optional>

#include "common/contracts/launch.h"
#include "node-agent/sandbox/result/launcher_limits.h"
#include "node-agent/sandbox/result/output.h"

namespace paddock::sandbox {

struct Outputs {
  Outputs(const LauncherLimits& limits, int64_t inline_bytes)
      : out(limits.stdout_bytes, inline_bytes, limits.secrets),
        err(limits.stderr_bytes, inline_bytes, limits.secrets) {}

  // Once, when nothing more comes, before the last flush().
  void finish(MonoTime now) {
    out.finish(now);
    err.finish(now);
  }
  // When flush() must have been called; nothing if nothing waits.
  std::optional<MonoTime> flush_at() const;
  // Calls emit(FrameType, std::string) for each piece that is due, or with `all` for what waits.
  template <class Emit>
  void flush(MonoTime now, bool all, Emit emit) {
    const auto one = [&](OutputStream& stream, contracts::FrameType type) {
      if (all ? !stream.flush_at() : !stream.due(now)) return;
      const std::string waiting = stream.take_pending();
      for (std::string_view left = waiting; !left.empty();) emit(type, take_piece(left));
    };
    one(out, contracts::FrameType::kStdout);
    one(err, contracts::FrameType::kStderr);
  }

  bool truncated() const { return out.truncated() || err.truncated(); }
  // Sets both excerpts, whether they are cut, and the bytes written.
  void describe(contracts::SandboxResult& result) const;

  OutputStream out;
  OutputStream err;

 private:
  // Off the front, what one frame takes; whole characters.
  static std::string take_piece(std::string_view& left);
};

}  // namespace paddock::sandbox
