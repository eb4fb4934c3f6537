// Whatever passes the filter passes it again unchanged, and never holds an option or a reference.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "common/base/text.h"
#include "node-agent/runtimes/requirements.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto checked = paddock::runtimes::check_requirements(text);
  if (!checked.ok()) return 0;
  for (const std::string& line : paddock::split(checked->text, '\n')) {
    if (line.starts_with('-') || line.find('/') != std::string::npos) std::abort();
  }
  const auto again = paddock::runtimes::check_requirements(checked->text);
  if (!again.ok() || again->text != checked->text || again->count != checked->count) std::abort();
  return 0;
}
