#include "controller/workspaces/sweeper.h"

#include "common/base/log.h"
#include "controller/workspaces/trees.h"

namespace paddock::workspaces {
namespace {

using contracts::Digest;

}  // namespace

Result<NamedBlobs> named_blobs(store::Store& store, Unreadable unreadable) {
  NamedBlobs out;
  std::set<Digest>& roots = out.trees;
  TRY(visit_objects<contracts::Workspace>(
      store, {}, unreadable,
      [&](const contracts::Workspace& each) { roots.insert(each.status.root); }));
  TRY(visit_objects<contracts::Volume>(store, {}, unreadable, [&](const contracts::Volume& volume) {
    for (const contracts::VolumeVersion& each : volume.status.versions) roots.insert(each.root);
  }));
  TRY(visit_objects<contracts::Run>(store, {}, unreadable, [&](const contracts::Run& run) {
    for (const contracts::Artifact& each : run.status.artifacts) out.files.insert(each.digest);
    if (contracts::is_terminal(run.status.phase)) return;
    roots.insert(run.status.workspace_root);
    for (const contracts::MountedVolume& each : run.status.volumes) roots.insert(each.root);
  }));
  roots.erase(Digest());  // of what has no files yet
  return out;
}

Result<std::set<Digest>> needed_blobs(store::Store& store, const cas::Blobs& blobs) {
  ASSIGN_OR_RETURN(NamedBlobs named, named_blobs(store, Unreadable::kRefused));
  std::set<Digest> needed = std::move(named.files);
  for (const Digest& root : named.trees) {
    const Result<contracts::Tree> tree = stored_tree(blobs, root);
    if (!tree && tree.error().code == Code::kNotFound) continue;
    if (!tree) return tree.error();  // what cannot be read now may need anything
    needed.insert(root);
    for (const contracts::TreeEntry& entry : tree->entries) needed.insert(entry.digest);
  }
  return needed;
}

Result<Swept> Sweeper::sweep(WallTime now) {
  ASSIGN_OR_RETURN(const std::vector<cas::Blobs::Stored> stored, blobs_.list());
  ASSIGN_OR_RETURN(const std::set<Digest> needed, needed_blobs(store_, blobs_));
  const int64_t unused_since_s = (now.ms - keep_.count()) / 1000;
  Swept out;
  std::set<Digest> unneeded;
  for (const cas::Blobs::Stored& each : stored) {
    if (needed.contains(each.digest)) continue;
    bool gone = false;
    if (unneeded_before_.contains(each.digest)) {
      // Another one that leads by now may need what this one's record did not name.
      TRY(store_.read([](store::ReadTxn&) { return Status(); }));
      ASSIGN_OR_RETURN(gone, blobs_.remove_unused(each.digest, unused_since_s));
    }
    if (!gone) {
      unneeded.insert(each.digest);
      continue;
    }
    ++out.blobs;
    out.bytes += each.size;
  }
  unneeded_before_ = std::move(unneeded);
  return out;
}

}  // namespace paddock::workspaces
