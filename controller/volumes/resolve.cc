#include "controller/volumes/resolve.h"

#include <algorithm>

#include "common/base/text.h"
#include "controller/base/list_faults.h"

namespace paddock::volumes {
namespace {

using contracts::MountedVolume;
using contracts::Volume;
using contracts::VolumeUse;
using contracts::VolumeVersion;

Error refusal(Reason reason, std::string message, const std::string& field) {
  return {Code::kFailedPrecondition, reason, message, {{field, message}}};
}

std::string version_numbers(const Volume& volume) {
  std::vector<std::string> all;
  for (const VolumeVersion& each : volume.status.versions) all.push_back(cat(each.version));
  return join(all, ", ");
}

Result<MountedVolume> resolve_one(const std::optional<Volume>& volume, const VolumeUse& use,
                                  const std::string& field) {
  if (!volume || volume->status.versions.empty()) {
    return refusal("VOLUME_NOT_FOUND",
                   cat("there is no volume ", use.name,
                       " in this namespace; publish one with a run's spec.publish"),
                   cat(field, ".name"));
  }
  const std::vector<VolumeVersion>& versions = volume->status.versions;
  if (!use.version) {
    const VolumeVersion& newest = versions.back();
    return MountedVolume{use.name, newest.version, newest.root};
  }
  const auto found = std::ranges::find(versions, *use.version, &VolumeVersion::version);
  if (found == versions.end()) {
    return refusal("VOLUME_VERSION_NOT_FOUND",
                   cat("volume ", use.name, " has no version ", *use.version, "; it has ",
                       version_numbers(*volume)),
                   cat(field, ".version"));
  }
  return MountedVolume{use.name, found->version, found->root};
}

}  // namespace

Result<std::vector<MountedVolume>> resolve(store::ReadTxn& txn, const contracts::Run& run) {
  std::vector<MountedVolume> out;
  ListFaults faults;
  for (size_t i = 0; i < run.spec.volumes.size(); ++i) {
    const VolumeUse& use = run.spec.volumes[i];
    ASSIGN_OR_RETURN(const std::optional<Volume> volume,
                     txn.find<Volume>({run.metadata.name_space, use.name}));
    Result<MountedVolume> mounted = resolve_one(volume, use, cat("spec.volumes[", i, "]"));
    if (mounted.ok())
      out.push_back(std::move(mounted).value());
    else
      faults.add(std::move(mounted).error());
  }
  TRY(std::move(faults).status());
  return out;
}

Status check_room(store::ReadTxn& txn, const contracts::Run& run, const VolumeLimits& limits) {
  if (run.spec.publish.empty()) return {};
  const std::string& name_space = run.metadata.name_space;
  ASSIGN_OR_RETURN(const std::optional<Volume> known,
                   txn.find<Volume>({name_space, run.spec.publish}));
  if (known) return {};
  // One that cannot be read is there all the same.
  constexpr const char* kBehindAllNames = "\x7f";
  ASSIGN_OR_RETURN(const auto names, txn.names(Volume::kKind, {name_space, ""}, kBehindAllNames));
  if (static_cast<int64_t>(names.size()) < limits.per_namespace) return {};
  const std::string message = cat("namespace ", name_space, " has its ", limits.per_namespace,
                                  " volumes; publish to one of them, or delete one");
  return Error{Code::kResourceExhausted, "VOLUME_LIMIT", message, {{"spec.publish", message}}};
}

}  // namespace paddock::volumes
