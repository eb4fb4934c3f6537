#include "cli/client/returned_files.h"

#include <algorithm>

#include "cli/instance/instance.h"
#include "common/contracts/inner_paths.h"
#include "common/contracts/tree_path.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

constexpr std::string_view kHeader = "paddock returned 1";
constexpr std::string_view kFolder = "folder ";

std::string list_path(const Env& env, const std::string& folder) {
  const Result<std::string> root = state_root(env.vars, env.root);
  if (!root.ok()) return {};
  const std::string lists = os::join_path(*root, "returned");
  if (!os::make_dirs(lists).ok()) return {};
  return os::join_path(lists, crypto::sha256_hex(folder).substr(0, 32));
}

std::string plain_dir(std::string dir) {
  while (dir.starts_with("./")) dir.erase(0, 2);
  while (dir.ends_with('/')) dir.pop_back();
  return dir.empty() ? "." : dir;
}

void insert_with_parents(std::string folder, std::set<std::string>& into) {
  for (; folder != "." && into.insert(folder).second;) folder = os::folder_of(folder);
}

std::set<std::string> folders_of(const contracts::Tree& tree) {
  std::set<std::string> out;
  for (const auto& entry : tree.entries) insert_with_parents(os::folder_of(entry.path), out);
  for (const auto& link : tree.links) insert_with_parents(os::folder_of(link.path), out);
  for (const auto& folder : tree.folders) insert_with_parents(folder.path, out);
  return out;
}

}  // namespace

ReturnedList::ReturnedList(const Env& env, const std::string& folder)
    : folder_(folder), path_(list_path(env, folder)) {
  load();
}

// A line each: digest, run, path; or `folder` and its path.
void ReturnedList::load() {
  const Result<std::string> text = os::read_file(path_);
  if (!text) return;
  const std::vector<std::string> lines = split(*text, '\n');
  if (lines.empty() || lines[0] != kHeader) return;
  for (const std::string& line : lines) {
    if (line.starts_with(kFolder)) folders_.insert(line.substr(kFolder.size()));
    const size_t run = line.find(' ');
    const size_t path = line.find(' ', run == std::string::npos ? run : run + 1);
    if (path == std::string::npos || !contracts::is_digest(line.substr(0, run))) continue;
    files_[line.substr(path + 1)] = {line.substr(0, run), line.substr(run + 1, path - run - 1)};
  }
}

cas::ReturnedFiles ReturnedList::below(const std::vector<std::string>& dirs) const {
  cas::ReturnedFiles out;
  for (const auto& [path, file] : files_) {
    const bool asked = std::ranges::any_of(dirs, [&path = path](const std::string& dir) {
      const std::string plain = plain_dir(dir);
      return plain == "." || contracts::is_within(path, plain);
    });
    if (asked) out.emplace(path, file);
  }
  return out;
}

std::set<std::string> ReturnedList::folders_made(const std::vector<std::string>& dirs) const {
  std::set<std::string> out;
  for (const std::string& folder : folders_) {
    const bool near = std::ranges::any_of(dirs, [&](const std::string& dir) {
      const std::string plain = plain_dir(dir);
      return plain == "." || contracts::is_within(folder, plain) ||
             contracts::is_within(plain, folder);
    });
    if (near) out.insert(folder);
  }
  return out;
}

void ReturnedList::add_folders(const std::string& path, const std::set<std::string>& sent) {
  for (std::string folder = os::folder_of(path); folder != "." && !sent.contains(folder);
       folder = os::folder_of(folder))
    folders_.insert(folder);
}

void ReturnedList::add(const std::string& run, const std::string& output,
                       const std::vector<contracts::Artifact>& artifacts,
                       const contracts::Tree& sent) {
  if (path_.empty() || !contracts::is_within(output, folder_)) return;
  const std::string before = output == folder_ ? "" : output.substr(folder_.size() + 1);
  const std::set<std::string> folders = folders_of(sent);
  for (const contracts::Artifact& each : artifacts) {
    const std::string path = os::join_path(before, each.path);
    if (!std::ranges::binary_search(sent.entries, path, {}, &contracts::TreeEntry::path))
      files_[path] = {each.digest, run};
    add_folders(path, folders);
  }
  const auto gone = [&](const std::string& path) {
    return !contracts::tree_path_fault(path).empty() || !os::exists(os::join_path(folder_, path));
  };
  std::erase_if(files_, [&](const auto& each) { return gone(each.first); });
  std::erase_if(folders_, gone);
  save();
}

void ReturnedList::save() const {
  std::string text = cat(kHeader, "\n");
  for (const auto& [path, file] : files_) text += cat(file.digest, " ", file.run, " ", path, "\n");
  for (const std::string& folder : folders_) text += cat(kFolder, folder, "\n");
  (void)os::write_file_atomic(path_, text, 0600);
}

}  // namespace paddock::cli
