// A file that is being written in its folder, and has its name only once it is whole.
#pragma once

#include <string>
#include <string_view>

#include "common/os/fd.h"

namespace paddock::cli {

// Until finish() it is beside its name, and goes with this object.
class NewFile {
 public:
  static Result<NewFile> make(const std::string& path);
  static Result<NewFile> make_in(os::Fd folder, const std::string& name);
  NewFile(NewFile&&) = default;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  Status add(std::string_view bytes) const;
  Status begin_anew();
  // Replaces a file of its name.
  Status finish();

 private:
  NewFile() = default;
  os::Fd folder_;
  std::string name_;
  std::string part_;
  os::Fd file_;
  bool whole_ = false;
};

}  // namespace paddock::cli
