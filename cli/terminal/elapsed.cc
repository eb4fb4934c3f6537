#include "cli/terminal/elapsed.h"

#include "common/base/text.h"

namespace paddock::cli {

std::string elapsed_text(Millis time) {
  const int64_t ms = time.count();
  if (ms < 1'000) return cat(ms, "ms");
  const int64_t tenths = ms / 100;
  if (tenths < 600) return cat(tenths / 10, ".", tenths % 10, "s");
  const int64_t seconds = ms / 1'000;
  const int64_t minutes = seconds / 60;
  if (minutes < 60) return cat(minutes, "m", seconds % 60, "s");
  return cat(minutes / 60, "h", minutes % 60, "m");
}

}  // namespace paddock::cli
