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

}  // namespace

ReturnedList::ReturnedList(const Env& env, const std::string& folder)
    : folder_(folder), path_(list_path(env, folder)) {
  load();
}

// A line each: digest, run, path.
void ReturnedList::load() {
  const Result<std::string> text = os::read_file(path_);
  if (!text) return;
  const std::vector<std::string> lines = split(*text, '\n');
  if (lines.empty() || lines[0] != kHeader) return;
  for (const std::string& line : lines) {
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

void ReturnedList::add(const std::string& run, const std::string& output,
                       const std::vector<contracts::Artifact>& artifacts,
                       const contracts::Tree& sent) {
  if (path_.empty() || !contracts::is_within(output, folder_)) return;
  const std::string before = output == folder_ ? "" : output.substr(folder_.size() + 1);
  for (const contracts::Artifact& each : artifacts) {
    const std::string path = os::join_path(before, each.path);
    if (!std::ranges::binary_search(sent.entries, path, {}, &contracts::TreeEntry::path))
      files_[path] = {each.digest, run};
  }
  std::erase_if(files_, [&](const auto& each) {
    return !contracts::tree_path_fault(each.first).empty() ||
           !os::exists(os::join_path(folder_, each.first));
  });
  save();
}

void ReturnedList::save() const {
  std::string text = cat(kHeader, "\n");
  for (const auto& [path, file] : files_) text += cat(file.digest, " ", file.run, " ", path, "\n");
  (void)os::write_file_atomic(path_, text, 0600);
}

}  // namespace paddock::cli
