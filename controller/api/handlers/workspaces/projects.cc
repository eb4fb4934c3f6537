#include "controller/api/handlers/workspaces/projects.h"

#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/cas/blobs.h"
#include "controller/api/handlers/workspaces/workspace_kind.h"
#include "controller/api/objects/objects.h"
#include "controller/api/server/blob_response.h"
#include "controller/projects/files.h"
#include "controller/projects/inline_html.h"
#include "controller/projects/manifest.h"
#include "controller/projects/preview_policy.h"
#include "controller/projects/preview_scopes.h"
#include "controller/reconciler/reconciler.h"
#include "controller/workspaces/trees.h"

namespace paddock::api {
namespace {

using contracts::Tree;
using contracts::TreeEntry;
using contracts::Workspace;

constexpr int kMostExportsAtOnce = 2;  // each holds up to some 140 MiB

// The clock by which links end: it stands still while this controller is away.
MonoTime lived(const Services& services) {
  return services.reconciler.lived({services.clock.wall(), services.clock.mono()});
}

// The path as it was asked for. With a slash at its end it names a folder, and so no file.
std::string asked_file(const Call& call) {
  return cat(call.param("path"), call.request.path.ends_with('/') ? "/" : "");
}

struct Project {
  Workspace workspace;
  Tree tree;
};

Result<Tree> tree_of(Services& services, const Workspace& workspace) {
  if (workspace.status.root.empty()) return Tree();
  return workspaces::stored_tree(services.blobs, workspace.status.root);
}

Result<Project> read_project(Call& call) {
  Project project;
  ASSIGN_OR_RETURN(project.workspace, read_object<Workspace>(call));
  ASSIGN_OR_RETURN(project.tree, tree_of(call.services, project.workspace));
  return project;
}

// A page in a frame of its own has the origin `null`, and loads the scripts and fonts beside it
// with that. A page of another site is told nothing.
bool from_opaque_origin(const Request& request) { return request.header("origin") == "null"; }

void confine(Response& response, const char* policy) {
  response.headers.emplace_back("content-security-policy", policy);
  response.headers.emplace_back("cache-control", "no-store");
  response.headers.emplace_back("referrer-policy", "no-referrer");
}

Result<Response> show(Call& call, const Tree& tree, const std::string& path) {
  ASSIGN_OR_RETURN(const TreeEntry entry, projects::find_file(tree, path));
  ASSIGN_OR_RETURN(Response response, media_response(call.request, call.services, entry.digest,
                                                     projects::media_type(entry.path).mime));
  confine(response, projects::kPagePolicy);
  response.headers.emplace_back("connection-allowlist", projects::kConnections);
  response.headers.emplace_back("vary", "Origin");
  if (from_opaque_origin(call.request))
    response.headers.emplace_back("access-control-allow-origin", "*");
  return response;
}

bool wants_inline(const Request& request) {
  const std::string text = ascii_lower(request.parameter("inline").value_or(""));
  return text == "1" || text == "true" || text == "yes" || text == "on";
}

// Takes one of the few places for exports that run at the same time.
class ExportSlot {
 public:
  explicit ExportSlot(std::atomic<int>& taken) : taken_(taken) {
    free_ = ++taken_ <= kMostExportsAtOnce;
  }
  ~ExportSlot() { --taken_; }
  ExportSlot(const ExportSlot&) = delete;
  ExportSlot& operator=(const ExportSlot&) = delete;
  bool free() const { return free_; }

 private:
  std::atomic<int>& taken_;
  bool free_ = false;
};

Result<TreeEntry> inline_owner(const Tree& tree, const std::string& path) {
  ASSIGN_OR_RETURN(TreeEntry entry, projects::find_file(tree, path));
  if (entry.size > projects::kMostOwnerBytes)
    return Error{Code::kTooLarge, "DOCUMENT_TOO_LARGE",
                 "a document to export in one piece has at most 2 MiB"};
  if (projects::media_type(entry.path).kind != "html")
    return invalid_argument("MEDIA_TYPE_UNSUPPORTED",
                            "only HTML documents are exported in one piece; others are at …/raw/",
                            "path");
  return entry;
}

Result<projects::Sidecars> read_sidecars(Services& services, const Tree& tree) {
  projects::Sidecars sidecars;
  for (const TreeEntry& entry : projects::sidecars_of(tree)) {
    ASSIGN_OR_RETURN(const std::string text,
                     services.blobs.read(entry.digest, projects::kMostSidecarBytes));
    projects::add_sidecar(sidecars, entry.path, text);
  }
  return sidecars;
}

Error no_scope() {
  return {Code::kNotFound, "PREVIEW_SCOPE_NOT_FOUND",
          "this preview is over; ask for a new one at …/workspaces/{name}/preview-url"};
}

}  // namespace

Result<Response> get_raw_file(Call& call) {
  ASSIGN_OR_RETURN(const Project project, read_project(call));
  ASSIGN_OR_RETURN(Response response, show(call, project.tree, asked_file(call)));
  response.headers.emplace_back("cross-origin-resource-policy", "same-origin");
  return response;
}

Result<Response> get_export_manifest(Call& call) {
  ASSIGN_OR_RETURN(const Project project, read_project(call));
  ASSIGN_OR_RETURN(const auto sidecars, read_sidecars(call.services, project.tree));
  return object_response(
      projects::export_manifest(project.workspace, project.tree, sidecars, call.now()));
}

Result<Response> get_inline_export(Call& call) {
  if (from_opaque_origin(call.request))
    return Error{Code::kPermissionDenied, "ORIGIN_DENIED",
                 "a page in a frame may not take a document with everything in it"};
  if (!wants_inline(call.request))
    return invalid_argument("INLINE_REQUIRED", "query parameter 'inline=1' is required", "inline");
  ASSIGN_OR_RETURN(const Project project, read_project(call));
  ASSIGN_OR_RETURN(const TreeEntry owner, inline_owner(project.tree, asked_file(call)));
  const ExportSlot slot(*call.services.exports);
  if (!slot.free())
    return Error{Code::kResourceExhausted, "EXPORTS_BUSY",
                 "other exports are being made; ask again"};
  const cas::Blobs& blobs = call.services.blobs;
  ASSIGN_OR_RETURN(const std::string html, blobs.read(owner.digest, projects::kMostOwnerBytes));
  Status read;  // a document is whole, or it is not answered with
  const projects::Fetch fetch = [&](const std::string& path,
                                    int64_t most) -> std::optional<std::string> {
    const auto entry = projects::find_file(project.tree, path);
    if (!entry || entry->size > most) return std::nullopt;
    auto content = blobs.read(entry->digest, static_cast<size_t>(entry->size));
    if (content) return std::move(*content);
    if (content.error().code != Code::kNotFound) read = content.error();
    return std::nullopt;
  };
  Response response;
  response.content_type = "text/html; charset=utf-8";
  response.body = projects::inline_html(html, owner.path, fetch);
  TRY(read);
  response.headers.emplace_back("x-content-type-options", "nosniff");
  confine(response, projects::kExportPolicy);
  response.headers.emplace_back("cross-origin-resource-policy", "same-origin");
  return response;
}

Result<Response> get_preview_url(Call& call) {
  ASSIGN_OR_RETURN(const Project project, read_project(call));
  const auto wanted = call.request.parameter("file");
  const std::optional<std::string> file = wanted ? wanted : projects::entry_file(project.tree);
  if (!file)
    return Error{Code::kNotFound, "FILE_NOT_FOUND", "the workspace has no entry file; name one"};
  ASSIGN_OR_RETURN(const TreeEntry entry, projects::find_file(project.tree, *file));
  const contracts::ObjectMeta& meta = project.workspace.metadata;
  const std::string scope = call.services.previews->open(
      {meta.name_space, meta.name, meta.uid}, lived(call.services), call.services.random);
  Response response = json_response(
      wire::Value::Object{{"url", cat("/preview/", scope, "/", percent_encode_path(entry.path))},
                          {"file", entry.path},
                          {"csp", projects::kPagePolicy},
                          {"iframeSandbox", projects::kFrameSandbox},
                          {"opaqueOrigin", true}});
  response.headers.emplace_back("cache-control", "no-store");
  return response;
}

Result<Response> get_preview(Call& call) {
  const auto target = call.services.previews->find(call.param("scope"), lived(call.services));
  if (!target) return no_scope();
  std::optional<Workspace> workspace;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(workspace, txn.find<Workspace>({target->name_space, target->workspace}));
    return {};
  }));
  if (!workspace || workspace->metadata.uid != target->uid) return no_scope();
  ASSIGN_OR_RETURN(const Tree tree, tree_of(call.services, *workspace));
  ASSIGN_OR_RETURN(Response response, show(call, tree, asked_file(call)));
  // The page is of no origin, so nothing would be of its own; the link's scope is what it needs.
  response.headers.emplace_back("cross-origin-resource-policy", "cross-origin");
  return response;
}

}  // namespace paddock::api
