#include "cli/output/line_stamps.h"

#include "common/base/text.h"
#include "common/base/time.h"

namespace paddock::cli {

std::string LineStamps::stamped(const contracts::RunEvent& event) {
  std::string out;
  for (std::string_view rest = event.data; !rest.empty();) {
    const size_t end = rest.find('\n');
    const std::string_view piece = rest.substr(0, end == rest.npos ? rest.npos : end + 1);
    if (!open_) out += cat(format_time(WallTime{event.time_ms}, true), " ");
    out += piece;
    open_ = end == rest.npos;
    rest.remove_prefix(piece.size());
  }
  return out;
}

}  // namespace paddock::cli
