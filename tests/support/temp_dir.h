// A folder for one test, removed with it. For tests only.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/os/file.h"

namespace paddock::test {

class TempDir {
 public:
  TempDir() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string(base != nullptr ? base : "/tmp") + "/paddock-test-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~TempDir() { (void)os::remove_tree(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return os::join_path(path_, name); }

  // Writes a file below the folder and makes its parents.
  void write(const std::string& relative, std::string_view bytes, mode_t mode = 0644) const {
    const std::string path = *this / relative;
    if (const size_t slash = path.rfind('/'); !os::make_dirs(path.substr(0, slash), 0755))
      std::abort();
    if (!os::write_file_atomic(path, bytes, mode)) std::abort();
  }

 private:
  std::string path_;
};

}  // namespace paddock::test
