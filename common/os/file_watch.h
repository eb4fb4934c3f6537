// News of files, for who waits with poll(). It says that something may have changed, not what. Not
// thread-safe.
#pragma once

#include <string>
#include <vector>

#include "common/os/fd.h"

namespace paddock::os {

class FileWatch {
 public:
  FileWatch();  // not valid() if the process has no descriptor left
  bool valid() const { return fd_.valid(); }
  // Tells when the file's content changes. False: it cannot be watched.
  bool add_file(const std::string& path);
  // Tells when names in the folder come, go or are replaced; on Linux also when a file in it was
  // written to, and is closed, or given other attributes.
  bool add_folder(const std::string& path);
  // Readable while there is news.
  int fd() const { return fd_.get(); }
  void take_news();

 private:
  Fd fd_;
  std::vector<Fd> watched_;  // macOS watches what is open
};

}  // namespace paddock::os
