#include "common/requirements/package_lock.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "common/requirements/package_name.h"
#include "common/wire/json.h"

namespace paddock::requirements {
namespace {

using wire::Value;

constexpr size_t kMostLockBytes = 8 << 20;
constexpr size_t kMostLocked = 20'000;
constexpr std::string_view kFolder = "node_modules/";

Error lock_fault(std::string_view entry, std::string_view fault) {
  return invalid_argument(
      "REQUIREMENTS_INVALID",
      cat("package-lock.json: ", to_utf8_lossy(entry.substr(0, 120)), ": ", fault),
      "spec.requirements");
}

// The package at `node_modules/a/node_modules/@b/c`; empty: that is no such place.
std::string_view package_at(std::string_view place) {
  std::string_view last;
  while (!place.empty()) {
    if (!place.starts_with(kFolder)) return {};
    place.remove_prefix(kFolder.size());
    const size_t next = place.find(cat("/", kFolder));
    last = place.substr(0, next);
    if (!is_package_name(last)) return {};
    place.remove_prefix(next == std::string_view::npos ? place.size() : next + 1);
  }
  return last;
}

bool is_exact_version(std::string_view text) {
  return !text.empty() && text.size() <= 256 && text.front() >= '0' && text.front() <= '9' &&
         std::ranges::all_of(
             text, [](char c) { return is_package_word(c) || c == '.' || c == '-' || c == '+'; });
}

// `sha512-<base64>`, or several.
bool is_integrity(std::string_view text) {
  return text.size() <= 1024 && text.starts_with("sha") && std::ranges::all_of(text, [](char c) {
           return is_package_word(c) || std::string_view("-+/= ").find(c) != std::string_view::npos;
         });
}

// Where a registry keeps it, whichever registry that is: `…/name/-/name-1.0.0.tgz`.
bool is_of_a_registry(std::string_view url, std::string_view name, std::string_view version) {
  const size_t slash = name.find('/');
  const std::string_view base = slash == std::string_view::npos ? name : name.substr(slash + 1);
  return (url.starts_with("https://") || url.starts_with("http://")) &&
         url.ends_with(cat("/-/", base, "-", version, ".tgz"));
}

std::string fault_of_entry(const Value& entry, std::string_view name) {
  if (entry.object() == nullptr) return "must be an object";
  const Value* link = entry.find("link");
  if (link != nullptr && !link->is_null())
    return "links and workspaces are not supported here; name each package in dependencies";
  const Value* own = entry.find("name");
  if (own != nullptr && (own->string() == nullptr || *own->string() != name))
    return "aliases are not supported here; name the package itself";
  if (!is_exact_version(entry.text("version"))) return "the version is none of a registry";
  const Value* resolved = entry.find("resolved");
  if (resolved != nullptr && !is_of_a_registry(entry.text("resolved"), name, entry.text("version")))
    return "it does not come from a registry; git, files and archives elsewhere are not supported";
  const Value* integrity = entry.find("integrity");
  if (integrity != nullptr && !is_integrity(entry.text("integrity")))
    return "the integrity cannot be read";
  return {};
}

// What npm reads of an entry to lay out the tree. Neither URLs nor scripts.
Value kept_of(const Value& entry) {
  constexpr std::array<std::string_view, 14> kKept = {
      "version", "integrity",   "dependencies",     "optionalDependencies",
      "peer",    "devOptional", "peerDependencies", "peerDependenciesMeta",
      "dev",     "engines",     "optional",         "os",
      "cpu",     "bin"};
  Value out = Value::Object{};
  for (const std::string_view field : kKept) {
    if (const Value* found = entry.find(field)) out.set(field, *found);
  }
  return out;
}

Status add_entries(const Value::Object& given, Value& out) {
  for (const auto& [place, entry] : given) {
    if (place.empty()) continue;  // the project itself
    const std::string_view name = package_at(place);
    if (name.empty())
      return lock_fault(place, "workspaces and folders of the project are not supported here");
    if (const std::string fault = fault_of_entry(entry, name); !fault.empty())
      return lock_fault(place, fault);
    out.set(place, kept_of(entry));
  }
  return {};
}

}  // namespace

Result<std::string> check_package_lock(std::string_view file, const NodePackages& packages) {
  const auto document = wire::parse_json(file, {.max_bytes = kMostLockBytes});
  if (!document || document->object() == nullptr)
    return lock_fault("the file", "not a JSON object of at most 8 MiB");
  const Value* version = document->find("lockfileVersion");
  const Value* given = document->find("packages");
  const bool known = version != nullptr && version->integer() != nullptr &&
                     (*version->integer() == 2 || *version->integer() == 3);
  if (!known || given == nullptr || given->object() == nullptr)
    return lock_fault("lockfileVersion", "must be 2 or 3; write it anew with npm 7 or later");
  if (given->object()->size() > kMostLocked) return lock_fault("packages", "too many packages");
  ASSIGN_OR_RETURN(const Value root, wire::parse_json(packages.text));
  Value entries = Value::Object{};
  entries.set("", root);
  TRY(add_entries(*given->object(), entries));
  Value out;
  out.set("name", root.text("name"));
  out.set("version", root.text("version"));
  out.set("lockfileVersion", 3);
  out.set("requires", true);
  out.set("packages", std::move(entries));
  return wire::to_json(out);
}

}  // namespace paddock::requirements
