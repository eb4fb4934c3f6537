#include "common/requirements/package_json.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/requirements/package_name.h"
#include "common/wire/json.h"

namespace paddock::requirements {
namespace {

constexpr size_t kMaxBytes = 1 << 20;
constexpr size_t kMaxPackages = 1'000;
constexpr size_t kMaxRange = 256;
constexpr size_t kShownText = 60;

Error refused(std::string_view where, std::string_view fault) {
  return invalid_argument("REQUIREMENTS_INVALID", cat("package.json: ", where, ": ", fault),
                          "spec.requirements");
}

std::string shown_text(std::string_view text) { return to_utf8_lossy(text.substr(0, kShownText)); }

bool is_archive(std::string_view text) {
  const std::string lower = ascii_lower(text);
  constexpr std::array<std::string_view, 4> kEndings = {".tgz", ".tar.gz", ".tar", ".gz"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return lower.ends_with(ending); });
}

// Why a version is none of a registry; empty if it is one.
std::string fault_of_range(std::string_view range) {
  if (range.size() > kMaxRange) return "the version range is too long";
  if (range.find(':') != std::string_view::npos) {
    return cat("git, http, file, link, workspace and alias references are not allowed: ",
               shown_text(range));
  }
  if (range.find_first_of("/\\#@") != std::string_view::npos || range.starts_with('.')) {
    return cat("paths and repositories are not allowed: ", shown_text(range));
  }
  if (is_archive(range)) return cat("archives are not allowed: ", shown_text(range));
  const bool plain = std::all_of(range.begin(), range.end(), [](char c) {
    return is_package_word(c) || std::string_view(" .*^~<>=|+-_").find(c) != std::string_view::npos;
  });
  return plain ? "" : cat("the version range cannot be read: ", shown_text(range));
}

bool has_member(const wire::Value::Object& object, std::string_view name) {
  return std::any_of(object.begin(), object.end(),
                     [&](const auto& member) { return member.first == name; });
}

Status add_packages(const wire::Value& document, std::string_view field, wire::Value::Object& out) {
  const wire::Value* found = document.find(field);
  if (found == nullptr || found->is_null()) return {};
  if (found->object() == nullptr) return refused(field, "must be an object of names and versions");
  for (const auto& [name, version] : *found->object()) {
    if (!is_package_name(name))
      return refused(field, cat("not a package's name: ", shown_text(name)));
    const std::string where = cat(field, ".", name);
    if (version.string() == nullptr) return refused(where, "the version must be a string");
    const std::string range(trim(*version.string()));
    const std::string fault = fault_of_range(range);
    if (!fault.empty()) return refused(where, fault);
    if (!has_member(out, name)) out.emplace_back(name, range.empty() ? "*" : range);
    if (out.size() > kMaxPackages) return refused(field, "too many packages");
  }
  return {};
}

bool is_empty(const wire::Value& value) {
  return value.is_null() || (value.object() != nullptr && value.object()->empty()) ||
         (value.array() != nullptr && value.array()->empty());
}

Status check_refused_fields(const wire::Value& document) {
  for (const std::string_view field : {"workspaces", "overrides", "peerDependencies"}) {
    const wire::Value* found = document.find(field);
    if (found != nullptr && !is_empty(*found)) {
      return refused(field, "not supported here; name each package in dependencies");
    }
  }
  return {};
}

}  // namespace

Result<NodePackages> check_package_json(std::string_view file) {
  const auto document = wire::parse_json(file, {.max_bytes = kMaxBytes});
  if (!document || document->object() == nullptr) {
    return invalid_argument("REQUIREMENTS_INVALID", "package.json is not a JSON object",
                            "spec.requirements");
  }
  TRY(check_refused_fields(*document));
  // As npm: what is named twice is wanted, and an optional one wins.
  wire::Value::Object optional;
  wire::Value::Object wanted;
  TRY(add_packages(*document, "optionalDependencies", optional));
  TRY(add_packages(*document, "dependencies", wanted));
  TRY(add_packages(*document, "devDependencies", wanted));
  std::erase_if(wanted, [&](const auto& member) { return has_member(optional, member.first); });
  NodePackages out;
  out.count = static_cast<int>(wanted.size() + optional.size());
  wire::Value made;
  made.set("name", "environment");
  made.set("version", "0.0.0");
  made.set("private", true);
  made.set("dependencies", std::move(wanted));
  made.set("optionalDependencies", std::move(optional));
  out.text = wire::to_json(made);
  return out;
}

}  // namespace paddock::requirements
