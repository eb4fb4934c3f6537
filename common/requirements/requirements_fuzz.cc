// Whatever passes the filter passes it again unchanged, and never holds a reference, a path or an
// option that names one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "common/base/text.h"
#include "common/requirements/requirements.h"

namespace {

using paddock::requirements::Requirements;

// The text is also every file that it names.
paddock::Result<Requirements> check(const std::string& text) {
  return paddock::requirements::check_requirements(
      "a/requirements.txt",
      [&](const std::string& path) -> paddock::Result<std::string> {
        if (path.starts_with('/') || paddock::cat("/", path, "/").find("/../") != std::string::npos)
          std::abort();
        return text;
      },
      "https://index.test");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto checked = check(std::string(reinterpret_cast<const char*>(data), size));
  if (!checked.ok()) return 0;
  for (const std::string& line : paddock::split(checked->text + checked->constraints, '\n')) {
    const bool known = line == "--require-hashes" || line == "--prefer-binary" || line == "--pre";
    if ((line.starts_with('-') && !known) || line.find('/') != std::string::npos) std::abort();
  }
  const auto again = check(checked->text);
  if (!again.ok() || again->text != checked->text || again->count != checked->count) std::abort();
  return 0;
}
