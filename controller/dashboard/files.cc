#include "controller/dashboard/files.h"

#include <array>
#include <map>
#include <utility>

#include "common/base/text.h"
#include "common/crypto/digest.h"

namespace paddock::contracts {
const std::map<std::string, std::string>& dashboard_files();  // made by embed_files()
}

namespace paddock::dashboard {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kMediaTypes = {{
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".svg", "image/svg+xml"},
}};

using Files = std::map<std::string, File, std::less<>>;

// A file of a type that is not known here is not served.
Files read_table() {
  Files files;
  for (const auto& [name, content] : contracts::dashboard_files()) {
    for (const auto& [ending, type] : kMediaTypes) {
      if (name.ends_with(ending))
        files[name] = {type, content, cat("\"", crypto::sha256_hex(content), "\"")};
    }
  }
  return files;
}

}  // namespace

// Trusted types: even a mistake in a script could not make text into markup.
const std::string_view kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

const File* find_file(std::string_view name) {
  static const Files kFiles = read_table();
  const auto found = kFiles.find(name);
  return found == kFiles.end() ? nullptr : &found->second;
}

}  // namespace paddock::dashboard
