// A path from outside names a file of the tree or nothing; the preview link of a file leads back to
// it, and the manifest of a tree has no path that the raw route would refuse.
#include "common/base/percent.h"
#include "common/base/result.h"
#include "common/base/text.h"
#include "controller/projects/files.h"
#include "controller/projects/manifest.h"

namespace {

using namespace paddock;

contracts::Tree tree_with(const std::string& path) {
  contracts::Tree tree;
  for (const std::string& each : {path, std::string("a/index.html"), std::string(".env")}) {
    contracts::TreeEntry entry;
    entry.path = each;
    tree.entries.push_back(std::move(entry));
  }
  return tree;
}

void check_found(const std::string& path, const std::string& found) {
  if (found != path) panic("another file than was asked for");
  if (!projects::is_shown(found)) panic("a file that is not shown");
  for (const std::string& part : split(found, '/'))
    if (part.empty() || part == "." || part == "..") panic("a path that leads elsewhere");
}

void check_link(const std::string& path) {
  const std::string url = projects::raw_url("default", "site", path);
  const std::string head = "/apis/paddock.dev/v1alpha1/namespaces/default/workspaces/site/raw/";
  if (!url.starts_with(head)) panic("a link to elsewhere");
  std::vector<std::string> parts;
  for (const std::string& part : split(url.substr(head.size()), '/')) {
    const auto decoded = percent_decode(part);
    if (!decoded) panic("a link that cannot be read");
    parts.push_back(*decoded);
  }
  if (join(parts, "/") != path) panic("a link to another file");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path(reinterpret_cast<const char*>(data), size);
  const contracts::Tree tree = tree_with(path);
  const auto found = projects::find_file(tree, path);
  if (!found) return 0;
  check_found(path, found->path);
  check_link(path);
  contracts::Workspace workspace;
  const auto manifest = projects::export_manifest(workspace, tree, {}, WallTime{0});
  for (const auto& file : manifest.files)
    if (!projects::find_file(tree, file.name)) panic("the manifest names what cannot be had");
  return 0;
}
