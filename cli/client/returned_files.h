// Remembers which files of a project came back from a run, so that a result is not sent as input by
// the next run that makes it anew. A list per project and user; losing it costs an upload.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/terminal/env.h"
#include "common/cas/tree.h"

namespace paddock::cli {

// Remembers which files of a project's folder (an absolute path) came back from runs.
class ReturnedList {
 public:
  ReturnedList(const Env& env, const std::string& folder);

  // The files in folders of the project that the next run brings back too; "." is all of it.
  cas::ReturnedFiles below(const std::vector<std::string>& dirs) const;
  // Folders in, of and above these that were made for what came back.
  std::set<std::string> folders_made(const std::vector<std::string>& dirs) const;
  // Adds what `run` brought to `output`, if that is in the project and was no input of that run:
  // `sent`. What is not there any more is forgotten.
  void add(const std::string& run, const std::string& output,
           const std::vector<contracts::Artifact>& artifacts, const contracts::Tree& sent);

 private:
  void load();
  void add_folders(const std::string& path, const std::set<std::string>& sent);
  void save() const;

  const std::string folder_;
  std::string path_;  // empty: there is no place for it
  cas::ReturnedFiles files_;
  std::set<std::string> folders_;
};

}  // namespace paddock::cli
