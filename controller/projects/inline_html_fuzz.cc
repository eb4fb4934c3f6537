// What a program left as HTML: never a crash, and nothing but what was there or fetched comes out.
#include "common/base/result.h"
#include "controller/projects/inline_html.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using paddock::panic;
  const std::string_view html(reinterpret_cast<const char*>(data), size);
  int fetched = 0;
  const std::string out = paddock::projects::inline_html(
      html, "a/index.html", [&](const std::string& path, int64_t) -> std::optional<std::string> {
        if (path.empty() || path.front() == '/' || path == ".." || path.starts_with("../"))
          panic("a link left the project");
        ++fetched;
        return "x{}";
      });
  if (fetched == 0 && out != html) panic("nothing was fetched, but something changed");
  return 0;
}
