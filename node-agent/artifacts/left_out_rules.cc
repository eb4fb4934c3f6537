#include "node-agent/artifacts/left_out_rules.h"

#include "common/base/text.h"
#include "common/contracts/node.h"
#include "common/contracts/tree_path.h"
#include "common/os/file.h"

namespace paddock::artifacts {

Refusal refusal(const std::string& path, const struct stat& stat) {
  if (S_ISLNK(stat.st_mode)) return Rule{"LINK_NOT_FOLLOWED", "symbolic links are not followed"};
  if (!S_ISREG(stat.st_mode)) return Rule{"NOT_A_REGULAR_FILE", "not a regular file"};
  if (stat.st_nlink > 1) return Rule{"HARD_LINKED", "a file with several hard links"};
  if (const std::string fault = contracts::tree_path_fault(path); !fault.empty())
    return Rule{"PATH_INVALID", cat("its name ", fault)};
  return {};
}

Rule unreadable() { return {contracts::kDiskFails, "the node's disk failed while it was read"}; }

// In any case, for file systems that fold it.
Refusal danger(const std::string& path) {
  const std::string name = ascii_lower(os::base_name(path));
  if (name == ".git")
    return Rule{"NAME_WOULD_ACT", "a git repository: its settings and hooks would run programs"};
  if (name == ".paddockignore")
    return Rule{"NAME_WOULD_ACT", "it would decide what is sent the next time"};
  return {};
}

Rule missing_folder(const Error& error) {
  if (error.code == Code::kNotFound) return {"ARTIFACT_DIR_MISSING", "no such folder"};
  return {"ARTIFACT_DIR_INVALID", "not a folder inside the workspace"};
}

}  // namespace paddock::artifacts
