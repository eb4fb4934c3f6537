// Sleeps that a command in a run has started, seen from the host: inside, commands of a run do not
// see each other (Landlock). By the command line, as what a command starts has no environment of a
// test's.
#pragma once

#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::adversarial {

// Waits for it, with a generous bound.
inline bool no_sleep_is_left(const std::string& seconds) {
  const std::string wanted = cat(std::string_view("sleep\0", 6), seconds, std::string(1, '\0'));
  const auto sleeps = [&](const std::filesystem::directory_entry& process) {
    const auto words = os::read_file(process.path() / "cmdline", 65536);
    return words.ok() && *words == wanted;
  };
  for (int waited = 0; waited < 300'000; waited += 10) {
    std::error_code error;
    if (std::ranges::none_of(std::filesystem::directory_iterator("/proc", error), sleeps))
      return true;
    poll(nullptr, 0, 10);
  }
  return false;
}

}  // namespace paddock::adversarial
