// Whether the folders of the data folder that all work needs can be used: each may have a disk of
// its own, which is full, read-only or gone while the data folder's own disk is well.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "common/base/result.h"

namespace paddock::agent {

class KnownFolders {
 public:
  // `cache`: whether the folder of cached files is still the one that was opened.
  KnownFolders(std::string data_dir, std::function<Status()> cache)
      : data_dir_(std::move(data_dir)), cache_(std::move(cache)) {}
  // The fault, once two looks in a row have seen one: what is replaced is absent for a moment. A
  // folder on the data folder's own disk costs no write. From one thread; takes as long as the
  // disks take.
  std::optional<Error> look();

 private:
  std::optional<Error> look_once() const;
  Status try_folder(const std::string& path, dev_t own_disk, std::set<dev_t>& tried) const;

  const std::string data_dir_;
  const std::function<Status()> cache_;
  bool was_faulty_ = false;
};

}  // namespace paddock::agent
