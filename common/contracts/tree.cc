#include "common/contracts/tree.h"

#include <algorithm>
#include <set>

namespace paddock::contracts {
namespace {

constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxNameBytes = 255;

// Why this path cannot be a file of a tree, or empty.
std::string path_fault(std::string_view path) {
  if (!is_utf8(path)) return "is not UTF-8";
  if (path.starts_with('/')) return "must be relative";
  const std::vector<std::string> parts = split(path, '/');
  if (parts.size() > kMaxDepth) return cat("is deeper than ", kMaxDepth, " folders");
  for (const std::string& part : parts) {
    if (part.empty() || part == "." || part == "..")
      return "must not have an empty, \".\" or \"..\" part";
    if (part.size() > kMaxNameBytes) return cat("has a part longer than ", kMaxNameBytes, " bytes");
    if (std::ranges::any_of(
            part, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) {
      return "must not have control characters";
    }
    if (part.find('\\') != std::string::npos) return "must not have a backslash";
  }
  return {};
}

}  // namespace

bool is_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void Tree::validate(wire::Check& check) const {
  std::set<std::string> folded;
  std::string_view previous;
  for (size_t i = 0; i < entries.size(); ++i) {
    const TreeEntry& entry = entries[i];
    wire::Check::Scope list(check, "entries");
    wire::Check::Scope item(check, i);
    if (std::string fault = path_fault(entry.path); !fault.empty())
      check.fail("path", cat("\"", to_utf8_lossy(entry.path), "\" ", fault));
    if (!is_digest(entry.digest)) check.fail("digest", "must be 64 lower-case hexadecimal digits");
    if (i > 0 && entry.path <= previous)
      check.fail("path", "entries must be sorted by path, each once");
    if (!folded.insert(ascii_lower(entry.path)).second) {
      check.fail("path", cat("\"", to_utf8_lossy(entry.path),
                             "\" differs from another entry only by case"));
    }
    previous = entry.path;
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string& path = entries[i].path;
    for (size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      if (folded.contains(ascii_lower(path.substr(0, slash)))) {
        wire::Check::Scope list(check, "entries");
        wire::Check::Scope item(check, i);
        check.fail("path",
                   cat("\"", to_utf8_lossy(path), "\" lies below another entry that is a file"));
        break;
      }
    }
  }
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Tree);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::TreeAnswer);
