// Any text is a list of ignore rules: nothing crashes, and asking takes bounded time.
#include <cstddef>
#include <cstdint>

#include "common/cas/ignore.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view path = text.substr(0, text.find('\n'));
  paddock::cas::IgnoreRules rules;
  rules.add("", paddock::cas::parse_ignore_rules(text, ".gitignore"));
  (void)rules.excluded_by(path, false);
  (void)rules.excluded_by("src/a/b.cc", true);
  return 0;
}
