// What a workspace holds, for programs that take it elsewhere or show it: the files by role,
// without a path of any host. GET workspaces/{name}/export.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/contracts/meta.h"
#include "common/wire/nullable.h"

namespace paddock::projects {

inline constexpr const char* kExportManifestSchema = "paddock.workspace-export-manifest.v1";
// A file NAME.artifact.json describes the artifact NAME, and is itself never listed.
inline constexpr std::string_view kArtifactSidecar = ".artifact.json";

// What a sidecar says. It comes from a program's hand: nothing in it is taken on trust.
struct ArtifactSidecar {
  std::string title;
  std::string kind;
  std::string renderer;
  std::string status;
  std::vector<std::string> exports;
  std::vector<std::string> supporting_files;  // beside the sidecar
  std::string updated_at;
  bool entry = false;  // the project is shown from here
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("title", &ArtifactSidecar::title, "for people", {.max_length = 500}),
                 field("kind", &ArtifactSidecar::kind, "what it is", {.max_length = 64}),
                 field("renderer", &ArtifactSidecar::renderer, "what shows it", {.max_length = 64}),
                 field("status", &ArtifactSidecar::status, "draft, final, …", {.max_length = 64}),
                 field("exports", &ArtifactSidecar::exports, "formats", {.max_length = 32}),
                 field("supportingFiles", &ArtifactSidecar::supporting_files, "what it needs",
                       {.max_length = 500}),
                 field("updatedAt", &ArtifactSidecar::updated_at, "RFC 3339", {.max_length = 64}),
                 field("entry", &ArtifactSidecar::entry, "whether the project is shown from here"));
  }
};

struct ExportFile {
  std::string name;  // path within the workspace
  int64_t size = 0;
  wire::Value mtime;  // null: a tree holds content, not times
  std::string kind;
  std::string mime;
  std::string artifact_kind;
  bool included = true;
  std::string role;  // entry, artifact, supporting, asset, source or other
  std::vector<std::string> reasons;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("name", &ExportFile::name, "path within the workspace"),
        field("size", &ExportFile::size, "bytes"),
        field("mtime", &ExportFile::mtime, "null: a tree holds content, not times"),
        field("kind", &ExportFile::kind, "html, image, video, audio, font, style, script, …"),
        field("mime", &ExportFile::mime, "media type"),
        field("artifactKind", &ExportFile::artifact_kind, "of its sidecar", {.omit_empty = true}),
        field("included", &ExportFile::included, "whether it belongs to an export"),
        field("role", &ExportFile::role, "entry, artifact, supporting, asset, source or other"),
        field("reasons", &ExportFile::reasons, "why it has this role"));
  }
};

struct ExportArtifact {
  std::string file;
  std::string title;
  std::string kind;
  std::string renderer;
  std::string status;
  std::vector<std::string> exports;
  std::vector<std::string> supporting_files;
  std::string updated_at;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("file", &ExportArtifact::file, "path within the workspace"),
                 field("title", &ExportArtifact::title, "for people"),
                 field("kind", &ExportArtifact::kind, "what it is"),
                 field("renderer", &ExportArtifact::renderer, "what shows it"),
                 field("status", &ExportArtifact::status, "draft, final, …"),
                 field("exports", &ExportArtifact::exports, "formats"),
                 field("supportingFiles", &ExportArtifact::supporting_files, "those that exist"),
                 field("updatedAt", &ExportArtifact::updated_at, "as its sidecar says"));
  }
};

struct ExportManifest {
  std::string schema = kExportManifestSchema;
  std::string project_id;
  wire::NullableText project_name;
  wire::Timestamp generated_at;
  wire::NullableText entry_file;
  std::vector<ExportFile> files;  // by name
  std::vector<ExportArtifact> artifacts;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("schema", &ExportManifest::schema, "name and version of this shape"),
        field("projectId", &ExportManifest::project_id, "name of the workspace"),
        field("projectName", &ExportManifest::project_name, "its source, for people"),
        field("generatedAt", &ExportManifest::generated_at, "when this was made"),
        field("entryFile", &ExportManifest::entry_file, "what to show first; null: nothing"),
        field("files", &ExportManifest::files, "by name"),
        field("artifacts", &ExportManifest::artifacts, "files with a sidecar"));
  }
};

}  // namespace paddock::projects

PADDOCK_EXTERN_CODEC(paddock::projects::ArtifactSidecar);
PADDOCK_EXTERN_CODEC(paddock::projects::ExportManifest);
