// Everything outside that a command may touch: filled in by main(), replaced by tests.
#pragma once

#include <map>
#include <string>

#include "cli/terminal/terminal.h"
#include "common/base/random.h"
#include "common/base/time.h"

namespace paddock::cli {

struct Env {
  std::map<std::string, std::string> vars;
  std::string cwd;
  std::string program_dir;  // where the sibling programs are
  bool root = false;
  bool stdin_tty = false;
  Stream out;  // data
  Stream err;  // everything else
  const Clock& clock;
  Random& random;
  // How long a lost connection is tried again before a command gives up; --patience.
  Millis patience{120'000};
  bool patience_given = false;  // or that is the default
  // The options that say which controller, as they would be typed for another command:
  // ` --server https://x`; empty: none was given.
  std::string connection = {};

  std::string var(const std::string& name) const {
    const auto found = vars.find(name);
    return found == vars.end() ? std::string() : found->second;
  }
  // A line for people, on stderr.
  void say(std::string_view line) const { err.write(std::string(line) + "\n"); }
};

}  // namespace paddock::cli
