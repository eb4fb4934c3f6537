#include "common/contracts/tree.h"

#include <algorithm>
#include <map>

#include "common/base/control_text.h"
#include "common/contracts/tree_path.h"

namespace paddock::contracts {
namespace {

constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxNameBytes = 255;
constexpr size_t kMaxHops = 40;  // as the kernel

// A name for people: nothing in it does anything to a terminal.
std::string quoted(std::string_view path) {
  return cat("\"", escape_controls(to_utf8_lossy(path)), "\"");
}

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

// Where a fault lies: entries[3].
class At {
 public:
  At(wire::Check& check, std::string_view list, size_t index)
      : list_(check, list), item_(check, index) {}

 private:
  wire::Check::Scope list_, item_;
};

// The paths of all lists together.
class Names {
 public:
  explicit Names(wire::Check& check) : check_(check) {}

  void add(std::string_view list, size_t index, const std::string* previous,
           const std::string& path) {
    const At at(check_, list, index);
    const std::string shown = quoted(path);
    if (std::string fault = tree_path_fault(path); !fault.empty())
      check_.fail("path", cat(shown, " ", fault));
    if (previous != nullptr && path <= *previous)
      check_.fail("path", cat(list, " must be sorted by path, each once"));
    if (const auto [first, fresh] = folded_.try_emplace(ascii_lower(path), path); !fresh)
      check_.fail("path", first->second == path
                              ? cat(shown, " is there twice")
                              : cat(shown, " and ", quoted(first->second), " differ only by case"));
    if (const std::string twin = other_spelling(path, folders_); !twin.empty()) {
      check_.fail("path", cat(shown, " lies in a folder that differs from ", quoted(twin),
                              " only by case"));
    }
  }

  // Once all were added.
  void check_below(std::string_view list, size_t index, const std::string& path) const {
    for (size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      if (!folded_.contains(ascii_lower(path.substr(0, slash)))) continue;
      const At at(check_, list, index);
      return check_.fail(
          "path",
          cat(quoted(path), " lies below an entry that is a file, a link or an empty folder"));
    }
  }

 private:
  wire::Check& check_;
  std::map<std::string, std::string> folded_;
  std::map<std::string, std::string> folders_;  // as they are spelled first, by folded path
};

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
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 64 && std::ranges::all_of(text, is_digit);
}

std::string link_target_fault(std::string_view path, std::string_view target) {
  if (target.starts_with('/')) return "is absolute";
  std::string_view below = target;
  auto left = std::ranges::count(path, '/');
  while (below == ".." || below.starts_with("../")) {
    if (left-- == 0) return "leads out of the folder";
    below.remove_prefix(std::min<size_t>(3, below.size()));
    if (below.empty() && target.ends_with('/')) return "must not end with a slash";
  }
  if (below.empty()) return target.empty() ? "is empty" : "";
  return tree_path_fault(below);
}

std::optional<std::string> resolve_links(std::string_view path, const TreeLinks& links) {
  std::string done;
  std::string rest(path);
  for (size_t hops = 0; !rest.empty();) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    const std::string part = rest.substr(0, slash);
    rest.erase(0, slash + 1);
    if (part == "..") {
      done.resize(done.find('/') == std::string::npos ? 0 : done.rfind('/'));
      continue;
    }
    const std::string next = done.empty() ? part : cat(done, "/", part);
    const auto link = links.find(next);
    if (link == links.end()) {
      done = next;
      continue;
    }
    if (++hops > kMaxHops) return std::nullopt;
    rest = rest.empty() ? link->second : cat(link->second, "/", rest);
  }
  return done;
}

void Tree::validate(wire::Check& check) const {
  Names names(check);
  for (size_t i = 0; i < entries.size(); ++i) {
    names.add("entries", i, i > 0 ? &entries[i - 1].path : nullptr, entries[i].path);
    if (is_digest(entries[i].digest)) continue;
    const At at(check, "entries", i);
    check.fail("digest", "must be 64 lower-case hexadecimal digits");
  }
  for (size_t i = 0; i < links.size(); ++i) {
    names.add("links", i, i > 0 ? &links[i - 1].path : nullptr, links[i].path);
    const std::string fault = link_target_fault(links[i].path, links[i].target);
    if (fault.empty()) continue;
    const At at(check, "links", i);
    check.fail("target", cat(quoted(links[i].target), " ", fault));
  }
  for (size_t i = 0; i < folders.size(); ++i)
    names.add("folders", i, i > 0 ? &folders[i - 1].path : nullptr, folders[i].path);
  for (size_t i = 0; i < entries.size(); ++i) names.check_below("entries", i, entries[i].path);
  for (size_t i = 0; i < links.size(); ++i) names.check_below("links", i, links[i].path);
  for (size_t i = 0; i < folders.size(); ++i) names.check_below("folders", i, folders[i].path);
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::Tree);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::TreeAnswer);
