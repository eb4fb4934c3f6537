#include "controller/api/handlers/runs/run_requirements.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/requirements/named_file.h"
#include "common/requirements/package_json.h"
#include "common/requirements/package_lock.h"
#include "common/requirements/requirements.h"

namespace paddock::api {
namespace {

constexpr int64_t kMostBytes = 1 << 20;  // a larger lock is left to the node

Error not_usable(std::string message) {
  return invalid_argument("REQUIREMENTS_INVALID", std::move(message), "spec.requirements");
}

const contracts::TreeEntry* find_file(const contracts::Tree& tree, const std::string& path) {
  const auto found = std::ranges::lower_bound(tree.entries, path, {}, &contracts::TreeEntry::path);
  return found == tree.entries.end() || found->path != path ? nullptr : &*found;
}

Result<std::string> read_file(const std::string& path, const contracts::Tree& tree,
                              const ReadBlob& read_blob) {
  const contracts::TreeEntry* found = find_file(tree, path);
  if (found == nullptr) return not_usable(cat("the workspace has no file ", path));
  if (found->size > kMostBytes) return not_usable(cat(path, " is larger than 1 MiB"));
  return read_blob(found->digest, static_cast<size_t>(kMostBytes));
}

Status check_file(const std::string& given, const contracts::Tree& tree,
                  const requirements::ReadFile& read) {
  ASSIGN_OR_RETURN(const auto named, requirements::named_file(given));
  const std::string& path = named.path;
  if (path != given && find_file(tree, path) == nullptr)
    return requirements::lacks_its_file(given, named);
  if (named.kind != requirements::FileKind::kPackageJson) {
    const auto checked = requirements::check_python(path, read, std::nullopt);
    return checked ? Status() : Status(checked.error());
  }
  ASSIGN_OR_RETURN(const std::string file, read(path));
  ASSIGN_OR_RETURN(const auto packages, requirements::check_package_json(file));
  const auto lock = read(cat(path.substr(0, path.rfind('/') + 1), "package-lock.json"));
  if (!lock) return {};
  const auto checked = requirements::check_package_lock(*lock, packages);
  return checked ? Status() : Status(checked.error());
}

}  // namespace

Status check_requirements_file(const std::string& path, const contracts::Tree& tree,
                               const ReadBlob& read_blob) {
  bool unknown = false;
  const Status checked = check_file(path, tree, [&](const std::string& each) {
    Result<std::string> file = read_file(each, tree, read_blob);
    unknown = unknown || (!file && file.error().reason != "REQUIREMENTS_INVALID");
    return file;
  });
  return unknown ? Status() : checked;
}

}  // namespace paddock::api
