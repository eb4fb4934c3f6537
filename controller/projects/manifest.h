// The export manifest of a tree. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/contracts/tree.h"
#include "common/contracts/workspace.h"
#include "controller/projects/export_manifest.h"

namespace paddock::projects {

inline constexpr int64_t kMostSidecarBytes = 64 << 10;
inline constexpr size_t kMostSidecars = 200;

// The sidecars in the tree: entries that each describe another file, which is in the tree and may
// be shown. Too large ones are left out.
std::vector<contracts::TreeEntry> sidecars_of(const contracts::Tree& tree);

// Sidecars by the path of the file that each describes. A sidecar that cannot be read says nothing.
using Sidecars = std::map<std::string, ArtifactSidecar>;
// Adds the sidecar at `path`, whose content is `text`.
void add_sidecar(Sidecars& sidecars, const std::string& path, std::string_view text);

ExportManifest export_manifest(const contracts::Workspace& workspace, const contracts::Tree& tree,
                               const Sidecars& sidecars, WallTime now);

}  // namespace paddock::projects
