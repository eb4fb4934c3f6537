#include "common/base/one_line.h"

#include <algorithm>

#include "common/base/control_text.h"
#include "common/base/text.h"

namespace paddock {

std::string one_line(std::string_view text, size_t most_bytes, char instead) {
  const std::string whole = to_utf8_lossy(text);
  std::string_view left = std::string_view(whole).substr(0, most_bytes);
  left = left.substr(0, utf8_prefix(left));
  std::string out;
  while (!left.empty()) {
    const size_t control = control_length(left);
    out += control > 0 ? instead : left.front();
    left.remove_prefix(std::max<size_t>(1, control));
  }
  return out;
}

}  // namespace paddock
