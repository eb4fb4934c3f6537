#include "controller/projects/files.h"

#include <algorithm>
#include <array>

#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "controller/projects/export_manifest.h"

namespace paddock::projects {
namespace {

using contracts::Tree;
using contracts::TreeEntry;

struct ExtensionType {
  std::string_view extension;
  MediaType type;
};
constexpr std::array kExtensionTypes = {
    ExtensionType{"html", {"html", "text/html; charset=utf-8"}},
    ExtensionType{"htm", {"html", "text/html; charset=utf-8"}},
    ExtensionType{"css", {"style", "text/css; charset=utf-8"}},
    ExtensionType{"js", {"script", "text/javascript; charset=utf-8"}},
    ExtensionType{"mjs", {"script", "text/javascript; charset=utf-8"}},
    ExtensionType{"json", {"data", "application/json"}},
    ExtensionType{"csv", {"data", "text/csv; charset=utf-8"}},
    ExtensionType{"xml", {"data", "application/xml"}},
    ExtensionType{"wasm", {"data", "application/wasm"}},
    ExtensionType{"txt", {"text", "text/plain; charset=utf-8"}},
    ExtensionType{"md", {"text", "text/markdown; charset=utf-8"}},
    ExtensionType{"py", {"script", "text/plain; charset=utf-8"}},
    ExtensionType{"ts", {"script", "text/plain; charset=utf-8"}},
    ExtensionType{"sh", {"script", "text/plain; charset=utf-8"}},
    ExtensionType{"png", {"image", "image/png"}},
    ExtensionType{"jpg", {"image", "image/jpeg"}},
    ExtensionType{"jpeg", {"image", "image/jpeg"}},
    ExtensionType{"gif", {"image", "image/gif"}},
    ExtensionType{"webp", {"image", "image/webp"}},
    ExtensionType{"avif", {"image", "image/avif"}},
    ExtensionType{"ico", {"image", "image/x-icon"}},
    ExtensionType{"svg", {"image", "image/svg+xml"}},
    ExtensionType{"mp4", {"video", "video/mp4"}},
    ExtensionType{"webm", {"video", "video/webm"}},
    ExtensionType{"mov", {"video", "video/quicktime"}},
    ExtensionType{"mp3", {"audio", "audio/mpeg"}},
    ExtensionType{"wav", {"audio", "audio/wav"}},
    ExtensionType{"ogg", {"audio", "audio/ogg"}},
    ExtensionType{"woff", {"font", "font/woff"}},
    ExtensionType{"woff2", {"font", "font/woff2"}},
    ExtensionType{"ttf", {"font", "font/ttf"}},
    ExtensionType{"otf", {"font", "font/otf"}},
    ExtensionType{"pdf", {"other", "application/pdf"}},
};

// The server decoded the path once; what still looks encoded is meant for somebody who decodes
// twice.
bool is_attack(std::string_view path) {
  const std::string lower = ascii_lower(path);
  for (const std::string_view encoded : {"%2e", "%2f", "%5c", "%00", "%25"})
    if (lower.find(encoded) != std::string::npos) return true;
  const bool drive = path.size() >= 2 && path[1] == ':';
  if (drive || path.starts_with('/') ||
      path.find_first_of(std::string_view("\\\0", 2)) != path.npos)
    return true;
  return std::ranges::any_of(split(path, '/'), [](const std::string& part) {
    return part.empty() || part == "." || part == "..";
  });
}

}  // namespace

Result<TreeEntry> find_file(const Tree& tree, const std::string& path) {
  if (is_attack(path)) {
    return invalid_argument("PATH_INVALID",
                            "a path has plain names between slashes, each encoded once", "path");
  }
  const auto found = std::ranges::lower_bound(tree.entries, path, {}, &TreeEntry::path);
  if (found == tree.entries.end() || found->path != path || !is_shown(path))
    return Error{Code::kNotFound, "FILE_NOT_FOUND", "the workspace shows no file of this path"};
  return *found;
}

bool is_shown(std::string_view path) {
  if (path.ends_with(kArtifactSidecar)) return false;
  return path.front() != '.' && path.find("/.") == std::string_view::npos;
}

MediaType media_type(std::string_view path) {
  const size_t dot = path.rfind('.');
  const size_t slash = path.rfind('/');
  const bool has =
      dot != std::string_view::npos && (slash == std::string_view::npos || dot > slash);
  const std::string extension = has ? ascii_lower(path.substr(dot + 1)) : std::string();
  const auto found = std::ranges::find(kExtensionTypes, extension, &ExtensionType::extension);
  return found == kExtensionTypes.end() ? MediaType{"other", "application/octet-stream"}
                                        : found->type;
}

std::optional<std::string> entry_file(const Tree& tree) {
  std::optional<std::string> only;
  int64_t count = 0;
  for (const TreeEntry& entry : tree.entries) {
    const bool top = entry.path.find('/') == std::string::npos;
    if (!top || !is_shown(entry.path) || media_type(entry.path).kind != "html") continue;
    if (entry.path == "index.html") return entry.path;
    only = entry.path;
    ++count;
  }
  return count == 1 ? only : std::nullopt;
}

std::string raw_url(const std::string& name_space, const std::string& workspace,
                    std::string_view path) {
  return cat(contracts::paths::workspace(name_space, workspace), "/raw/",
             percent_encode_path(path));
}

}  // namespace paddock::projects
