// Any document decodes to a Tree or to an error with causes. What decodes can be put on a disk:
// every path is relative and clean, no two meet on a file system that folds case, no file is a
// folder too, and no link leads out however others lie.
#include <algorithm>
#include <set>

#include "common/contracts/tree.h"
#include "common/wire/json.h"

namespace {

using namespace paddock;

void check_path(const std::string& path, const std::set<std::string>& files) {
  if (path.empty() || path.front() == '/' || path.back() == '/') panic("not a relative path");
  if (path.find('\0') != std::string::npos) panic("a NUL byte in a path");
  for (const std::string& part : split(path, '/')) {
    if (part.empty() || part == "." || part == "..") panic("a part that is no name");
  }
  for (size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    if (files.contains(ascii_lower(path.substr(0, slash)))) panic("a file is a folder too");
  }
}

// Its folder is a real one, so that going up is counted there; behind that it only goes down.
void check_link(const contracts::TreeLink& link) {
  auto depth = std::ranges::count(link.path, '/');
  bool down = false;
  for (const std::string& part : split(link.target, '/')) {
    if (part.empty() || part == ".") panic("a part of a target that is no name");
    if (part == ".." && (down || depth-- == 0)) panic("a link that leads out");
    down = down || part != "..";
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto value = wire::parse_json({reinterpret_cast<const char*>(data), size});
  if (!value) return 0;
  const auto tree = wire::decode<contracts::Tree>(*value);
  if (!tree) {
    if (tree.error().causes.empty()) panic("a refusal without a cause");
    return 0;
  }
  std::set<std::string> files;
  for (const auto& entry : tree->entries) {
    if (!files.insert(ascii_lower(entry.path)).second) panic("two files meet");
  }
  for (const auto& link : tree->links) {
    if (!files.insert(ascii_lower(link.path)).second) panic("a link meets a file");
  }
  for (const auto& folder : tree->folders) {
    if (!files.insert(ascii_lower(folder.path)).second) panic("a folder meets a file");
  }
  for (const auto& entry : tree->entries) check_path(entry.path, files);
  for (const auto& folder : tree->folders) check_path(folder.path, files);
  for (const auto& link : tree->links) {
    check_path(link.path, files);
    check_link(link);
  }
  return 0;
}
