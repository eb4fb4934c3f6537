// The folders of the data folder that runs and sessions need: each may have a disk of its own, or
// be removed, mounted over or made read-only while the data folder itself is well.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/os/file_identity.h"

namespace paddock::agent {

class KnownFolders {
 public:
  // As they are now; those that are not there are not missed later.
  explicit KnownFolders(const std::string& data_dir);
  // Why one of them cannot be used: it is another one or gone, or takes no byte; nothing: all can.
  // Takes as long as their disks take. From one thread.
  std::optional<Error> fault() const;

 private:
  struct Folder {
    std::string name;
    std::string path;
    os::FileIdentity identity;
  };
  std::vector<Folder> folders_;
};

}  // namespace paddock::agent
