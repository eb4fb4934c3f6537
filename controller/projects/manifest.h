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

// The entries of the tree that describe artifacts, by path: those that are small enough, of files
// that are there and shown.
std::vector<contracts::TreeEntry> sidecars_of(const contracts::Tree& tree);

// Sidecars by the path of the file that each describes. A sidecar that cannot be read says nothing.
using Sidecars = std::map<std::string, ArtifactSidecar>;
// Adds what `text` says of the file that the sidecar at `path` belongs to.
void add_sidecar(Sidecars& sidecars, const std::string& path, std::string_view text);

ExportManifest export_manifest(const contracts::Workspace& workspace, const contracts::Tree& tree,
                               const Sidecars& sidecars, WallTime now);

}  // namespace paddock::projects
