#include "cli/client/run_tree.h"

#include "cli/options/run_path.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

struct Folder {
  std::string path;
  size_t depth = 0;
};

Status check_room(const Folder& folder, size_t entries) {
  if (folder.depth > kMostTreeDepth)
    return Error{Code::kTooLarge, "TREE_TOO_DEEP",
                 cat("at most ", kMostTreeDepth, " folders within each other are copied")};
  if (entries > kMostTreeEntries)
    return invalid_argument("TOO_MANY_FILES",
                            cat("at most ", kMostTreeEntries,
                                " files are copied at once: name a folder that holds fewer"),
                            "FROM");
  return {};
}

// A folder may go between its parent's list and its own; the first one has to be there.
Result<contracts::SessionFileList> list_of(const ListFolder& list, const Folder& folder) {
  auto listed = list(folder.path);
  if (!listed.ok() && folder.depth > 0 && listed.error().code == Code::kNotFound &&
      listed.error().reason == "FILE_NOT_FOUND")
    return contracts::SessionFileList{};
  return listed;
}

}  // namespace

Result<RunTree> read_run_tree(const ListFolder& list) {
  RunTree tree;
  size_t entries = 0;
  std::vector<Folder> left{{}};
  while (!left.empty()) {
    const Folder folder = std::move(left.back());
    left.pop_back();
    ASSIGN_OR_RETURN(const auto listed, list_of(list, folder));
    entries += listed.files.size();
    TRY(check_room(folder, entries));
    if (listed.files.empty()) tree.folders.push_back(folder.path);
    for (const contracts::SessionFile& each : listed.files) {
      if (!is_plain_name(each.name))
        return Error{Code::kUnavailable, "UNEXPECTED_ANSWER",
                     "the node names a file that is in another folder"};
      std::string path = folder.path.empty() ? each.name : cat(folder.path, "/", each.name);
      if (each.type == "folder")
        left.push_back({std::move(path), folder.depth + 1});
      else
        (each.type == "file" ? tree.files : tree.others).push_back(std::move(path));
    }
  }
  return tree;
}

}  // namespace paddock::cli
