#include "node-agent/sessions/fullness.h"

#include <algorithm>
#include <limits>

#include "common/base/reason.h"
#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::sessions {
namespace {

constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max() / kFarOver;
constexpr const char* kWayOut =
    "; commands run again once some are removed: DELETE .../files/PATH, or `paddock sandbox files "
    "NAME PATH --rm`";

os::FolderUse most_of(const contracts::SandboxLimits& limits) {
  return {.bytes = limits.fs_bytes ? limits.fs_bytes->bytes : kUnbounded,
          .files = limits.file_count.value_or(kUnbounded)};
}

Error far_over(const os::FolderUse& use, const os::FolderUse& most) {
  if (use.files > kFarOver * most.files)
    return {Code::kTooLarge, "E_LIMIT_FILES",
            cat("the session has more than ", kFarOver, " times the files and folders of its ",
                "fileCount, ", most.files, kWayOut)};
  if (use.bytes <= kFarOver * most.bytes)
    return {Code::kTooLarge, "E_LIMIT_FS",
            cat("a folder of the session is closed to its node, which cannot count what is in it",
                kWayOut)};
  return {Code::kTooLarge, "E_LIMIT_FS",
          cat("the session's files have ", use.bytes, " bytes, more than ", kFarOver,
              " times its fsBytes, ", most.bytes, kWayOut)};
}

}  // namespace

Fullness fullness(const os::FolderUse& use, const contracts::SandboxLimits& limits) {
  const os::FolderUse most = most_of(limits);
  const bool hides = use.unreadable && (limits.fs_bytes || limits.file_count);
  if (hides || use.bytes > kFarOver * most.bytes || use.files > kFarOver * most.files)
    return Fullness::kFarOver;
  return use.bytes > most.bytes || use.files > most.files ? Fullness::kOver : Fullness::kWithin;
}

Result<Fullness> fullness_of(const std::string& workspace, const contracts::SandboxLimits& limits) {
  const os::FolderUse most = most_of(limits);
  ASSIGN_OR_RETURN(const os::Fd root, os::open_closed_root(workspace));
  auto use = os::folder_use(root.get(), {.most_names = kFarOver * most.files, .open_closed = true});
  if (!use.ok() && use.error().reason == "TREE_TOO_DEEP")
    return Error{Code::kTooLarge, "TREE_TOO_DEEP", cat(use.error().message, kWayOut)};
  if (!use.ok()) return std::move(use).error();
  const Fullness out = fullness(*use, limits);
  if (out == Fullness::kFarOver) return far_over(*use, most);
  return out;
}

// The launcher counts at the end of every command that was not ended by a limit or by others.
bool ended_within(const contracts::SandboxResult& result) {
  using contracts::SandboxStatus;
  return result.status == SandboxStatus::kOk || result.status == SandboxStatus::kFailed;
}

}  // namespace paddock::sessions
