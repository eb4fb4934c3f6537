// A folder in which things lose their names, and a child that holds them. Linux.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "common/os/fd.h"
#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::os {

class WithoutAName : public testing::Test {
 protected:
  // A file that this process alone can reach, if it is kept open.
  Fd nameless(const std::string& bytes) const {
    const std::string path = dir_ / "short-lived";
    Fd file(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::unlink(path.c_str());
    return file;
  }

  test::TempDir dir_;
  Fd root_ = std::move(*open_root(dir_.path()));
};

// A child that holds what `hold` takes until it is killed.
class Holder {
 public:
  explicit Holder(const std::function<bool()>& hold) {
    Pipe ready = std::move(*make_pipe());
    pid_ = ::fork();
    if (pid_ < 0) std::abort();
    if (pid_ == 0) {
      if (hold()) (void)!::write(ready.write.get(), "y", 1);
      for (;;) ::pause();
    }
    char byte = 0;
    ready.write.reset();
    EXPECT_EQ(::read(ready.read.get(), &byte, 1), 1) << "it does not hold it";
  }
  ~Holder() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

}  // namespace paddock::os
