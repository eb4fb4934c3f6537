#include "controller/projects/manifest.h"

#include <algorithm>
#include <set>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/projects/files.h"

namespace paddock::projects {
namespace {

using contracts::Tree;
using contracts::TreeEntry;

// The role of a file, with every reason for it.
struct Standing {
  bool entry = false;
  bool artifact = false;
  bool artifact_entry = false;
  bool supporting = false;
  std::string artifact_kind;
};
using Standings = std::map<std::string, Standing>;

std::string described_file(std::string_view sidecar) {
  return std::string(sidecar.substr(0, sidecar.size() - kArtifactSidecar.size()));
}

bool has_file(const Tree& tree, const std::string& path) {
  return std::ranges::binary_search(tree.entries, path, {}, &TreeEntry::path) && is_shown(path);
}

std::string beside(const std::string& file, const std::string& name) {
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? name : cat(file.substr(0, slash + 1), name);
}

ExportArtifact artifact_of(const Tree& tree, const std::string& file, const ArtifactSidecar& said) {
  ExportArtifact out{file,        said.title,   said.kind, said.renderer,
                     said.status, said.exports, {},        said.updated_at};
  std::set<std::string> seen;
  for (const std::string& name : said.supporting_files) {
    const std::string path = beside(file, name);
    if (has_file(tree, path) && seen.insert(path).second) out.supporting_files.push_back(path);
  }
  return out;
}

std::optional<std::string> entry_of(const Tree& tree, const Sidecars& sidecars) {
  for (const auto& [file, said] : sidecars)
    if (said.entry) return file;
  return entry_file(tree);
}

std::string_view role_of(const Standing& standing, std::string_view kind) {
  if (standing.entry) return "entry";
  if (standing.artifact) return "artifact";
  if (standing.supporting) return "supporting";
  for (const std::string_view asset : {"image", "video", "audio", "font", "style"})
    if (kind == asset) return "asset";
  for (const std::string_view source : {"script", "html", "text", "data"})
    if (kind == source) return "source";
  return "other";
}

ExportFile file_of(const TreeEntry& entry, const Standing& standing) {
  const MediaType type = media_type(entry.path);
  ExportFile file;
  file.name = entry.path;
  file.size = entry.size;
  file.kind = type.kind;
  file.mime = type.mime;
  file.artifact_kind = standing.artifact_kind;
  file.role = role_of(standing, type.kind);
  file.reasons.emplace_back("visible-project-file");
  if (standing.entry) file.reasons.emplace_back("project-entry-file");
  if (standing.artifact) {
    file.reasons.emplace_back("artifact-manifest");
    file.reasons.emplace_back(standing.artifact_entry ? "artifact-entry" : "artifact-primary");
  }
  if (standing.supporting) file.reasons.emplace_back("artifact-supporting-file");
  return file;
}

}  // namespace

std::vector<TreeEntry> sidecars_of(const Tree& tree) {
  std::vector<TreeEntry> out;
  for (const TreeEntry& entry : tree.entries) {
    if (!entry.path.ends_with(kArtifactSidecar) || entry.size > kMostSidecarBytes) continue;
    if (out.size() < kMostSidecars && has_file(tree, described_file(entry.path)))
      out.push_back(entry);
  }
  return out;
}

void add_sidecar(Sidecars& sidecars, const std::string& path, std::string_view text) {
  const auto parsed = wire::parse_json(text);
  if (!parsed) return;
  std::vector<std::string> unknown;  // other programs' words are none of our business
  auto said = wire::decode<ArtifactSidecar>(*parsed, unknown);
  if (said) sidecars.emplace(described_file(path), std::move(*said));
}

ExportManifest export_manifest(const contracts::Workspace& workspace, const Tree& tree,
                               const Sidecars& sidecars, WallTime now) {
  ExportManifest manifest;
  manifest.project_id = workspace.metadata.name;
  if (!workspace.spec.source.empty()) manifest.project_name = {workspace.spec.source};
  manifest.generated_at = {now};
  manifest.entry_file = {entry_of(tree, sidecars)};
  Standings standings;
  for (const auto& [file, said] : sidecars) {
    ExportArtifact artifact = artifact_of(tree, file, said);
    standings[file].artifact = true;
    standings[file].artifact_entry = said.entry;
    standings[file].artifact_kind = said.kind;
    for (const std::string& path : artifact.supporting_files) standings[path].supporting = true;
    manifest.artifacts.push_back(std::move(artifact));
  }
  if (manifest.entry_file.text) standings[*manifest.entry_file.text].entry = true;
  for (const TreeEntry& entry : tree.entries)
    if (is_shown(entry.path)) manifest.files.push_back(file_of(entry, standings[entry.path]));
  return manifest;
}

}  // namespace paddock::projects
