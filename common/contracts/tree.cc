#include "common/contracts/tree.h"

#include <map>
#include <set>

#include "common/base/control_text.h"
#include "common/contracts/tree_path.h"

namespace paddock::contracts {
namespace {

constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxNameBytes = 255;

// A folder of this path that another entry spells differently, as that one does; or empty.
std::string other_spelling(const std::string& path, std::map<std::string, std::string>& folders) {
  for (size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    const auto [at, first] = folders.try_emplace(ascii_lower(folder), folder);
    if (at->second != folder) return at->second;
  }
  return {};
}

}  // namespace

std::string tree_path_fault(std::string_view path) {
  if (!is_utf8(path)) return "is not UTF-8";
  if (path.starts_with('/')) return "must be relative";
  const std::vector<std::string> parts = split(path, '/');
  if (parts.size() > kMaxDepth) return cat("is deeper than ", kMaxDepth, " folders");
  for (const std::string& part : parts) {
    if (part.empty() || part == "." || part == "..")
      return "must not have an empty, \".\" or \"..\" part";
    if (part.size() > kMaxNameBytes) return cat("has a part longer than ", kMaxNameBytes, " bytes");
    if (has_control(part)) return "must not have control characters";
    if (part.find('\\') != std::string::npos) return "must not have a backslash";
  }
  return {};
}

bool is_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void Tree::validate(wire::Check& check) const {
  std::set<std::string> folded;
  std::map<std::string, std::string> folders;  // as they are spelled first, by folded path
  std::string_view previous;
  for (size_t i = 0; i < entries.size(); ++i) {
    const TreeEntry& entry = entries[i];
    wire::Check::Scope list(check, "entries");
    wire::Check::Scope item(check, i);
    if (std::string fault = tree_path_fault(entry.path); !fault.empty())
      check.fail("path", cat("\"", to_utf8_lossy(entry.path), "\" ", fault));
    if (!is_digest(entry.digest)) check.fail("digest", "must be 64 lower-case hexadecimal digits");
    if (i > 0 && entry.path <= previous)
      check.fail("path", "entries must be sorted by path, each once");
    if (!folded.insert(ascii_lower(entry.path)).second) {
      check.fail("path", cat("\"", to_utf8_lossy(entry.path),
                             "\" differs from another entry only by case"));
    }
    if (const std::string twin = other_spelling(entry.path, folders); !twin.empty()) {
      check.fail("path",
                 cat("\"", to_utf8_lossy(entry.path), "\" lies in a folder that differs from \"",
                     to_utf8_lossy(twin), "\" only by case"));
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
