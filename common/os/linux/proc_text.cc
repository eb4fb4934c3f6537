#include "common/os/proc_text.h"

#include <fcntl.h>

#include <algorithm>

#include "common/base/text.h"
#include "common/os/fd.h"

namespace paddock::os {

std::string proc_text(int folder, const char* name, size_t most) {
  const Fd file(openat(folder, name, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return {};
  auto text = read_all(file.get(), most);
  return text.ok() ? *std::move(text) : std::string();
}

int64_t proc_kib(std::string_view text, std::string_view name) {
  const size_t line = text.find(cat("\n", name, ":"));
  if (line == std::string_view::npos) return 0;
  const size_t from = std::min(text.find_first_of("0123456789", line), text.size());
  const size_t end = std::min(text.find(' ', from), text.size());
  return parse_integer<int64_t>(text.substr(from, end - from)).value_or(0);
}

void add_children(int task, std::vector<pid_t>& out) {
  for (const std::string& word : split(proc_text(task, "children", size_t{1} << 20), ' ')) {
    if (const auto pid = parse_integer<pid_t>(word)) out.push_back(*pid);
  }
}

}  // namespace paddock::os
