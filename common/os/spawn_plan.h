// What starting a program takes, as the plain pointers that the kernel wants. For common/os only.
#pragma once

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/process.h"

namespace paddock::os {

// Pointers into `texts`, which stay as they are, and a null one.
inline std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Lives in one place, for the pointers go into it.
struct SpawnPlan {
  explicit SpawnPlan(const SpawnOptions& options)
      : argv_texts(options.argv), doing(cat("starting ", base_name(options.argv[0]))) {
    for (const auto& [name, value] : options.env) env_texts.push_back(cat(name, "=", value));
    argv = pointers_to(argv_texts);
    env = pointers_to(env_texts);
    null.reset(::open("/dev/null", O_RDWR | O_CLOEXEC));
    stdio = {options.stdin_fd, options.stdout_fd, options.stderr_fd};
    for (int& fd : stdio) fd = fd < 0 ? null.get() : fd;
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  std::vector<std::string> argv_texts;
  std::vector<std::string> env_texts;
  std::vector<char*> argv;
  std::vector<char*> env;
  Fd null;  // not valid: nothing can be started
  std::array<int, 3> stdio{};
  std::string doing;  // for errors
};

inline Status check(const SpawnOptions& options) {
  if (options.argv.empty()) return invalid_argument("NO_PROGRAM", "there is no program to start");
  for (const int fd : options.keep_fds) {
    if (fd < 3) return invalid_argument("BAD_DESCRIPTOR", "kept descriptors start at 3");
  }
  return {};
}

}  // namespace paddock::os
