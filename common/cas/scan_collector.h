// Collects what of a project folder belongs to its tree, and whether all of it is acceptable:
// everything but the digests.
#pragma once

#include <sys/stat.h>

#include <set>
#include <string>
#include <vector>

#include "common/cas/ignore.h"
#include "common/cas/tree.h"
#include "common/os/file.h"

namespace paddock::cas {

struct Found {
  std::string path;
  struct stat stat;
};

class ScanCollector {
 public:
  ScanCollector(int root, const ScanLimits& limits);
  Status collect();

  std::vector<Found>& files() { return files_; }
  std::vector<contracts::TreeLink>& links() { return links_; }
  // Every folder, with something in it or not.
  const std::set<std::string>& folders() const { return folders_; }
  void move_left_out(Scan& scan);
  void leave_out(const std::string& path, Reason reason, std::string rule);
  // A file that is a key by what is in it; whoever calls it drops it from the tree.
  void leave_out_key(const std::string& path);
  // Whether a rule takes this file in though it is a secret.
  bool named(const std::string& path) const;
  // Links that lead to one of these, which are left out after all.
  void leave_out_links_to(const std::set<std::string>& gone);
  // Whether the project's own rules ask for this path.
  bool asked_for(const std::string& path) const;

 private:
  bool visit(const os::WalkEntry& entry, Status& failure);
  bool enter(const std::string& path, Status& failure);
  const IgnoreRule* excluded_by(const std::string& path, bool is_folder) const;
  Status read_rules(const std::string& folder);
  void accept(Found file);
  void accept_link(const std::string& path);
  void leave_out_secret(const std::string& path, std::string rule);
  void keep_asked_folders();
  bool will_be_made(const std::string& path) const;
  bool has_file(const std::string& folder, std::string_view name) const;
  std::string environment_rule(const std::string& folder) const;
  std::string own_data_rule(const std::string& folder) const;
  void refuse(const std::string& path, std::string why);
  bool over_limit() const;
  Error too_large() const;
  Status refused();
  void check_names();

  const int root_;
  const ScanLimits& limits_;
  IgnoreRules rules_;
  // Taken back in by .paddockignore alone, which never comes back from a run: so no run can ask for
  // secrets or for .git.
  IgnoreRules built_in_;
  IgnoreRules secrets_;  // which files are told first, whatever rule leaves them out
  std::vector<Found> files_;
  std::vector<contracts::TreeLink> links_;
  std::set<std::string> folders_;
  std::vector<contracts::LeftOut> left_out_;
  std::vector<contracts::LeftOut> secrets_left_out_;
  std::vector<Cause> causes_;
  int64_t bytes_ = 0;
};

// `folders` without those of `made` that hold nothing of the tree and no other folder.
std::set<std::string> without_made(const std::set<std::string>& folders,
                                   const std::set<std::string>& made, const contracts::Tree& tree);

// The folders that have no other folder, no file and no link below them.
std::vector<contracts::TreeFolder> empty_folders(const std::set<std::string>& folders,
                                                 const contracts::Tree& tree);

}  // namespace paddock::cas
