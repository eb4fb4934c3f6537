// The command line of paddock-controller.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "controller/store/move_store.h"

namespace paddock::app {

struct Flags {
  std::string config_file;
  std::map<std::string, std::string>
      overrides;  // PADDOCK_CONTROLLER_… variables that flags stand for
  std::map<std::string, std::string> names;    // of each of these variables, the flag
  std::string restore;                         // a backup's file; not empty: restore it and end
  std::optional<store::MoveTo> migrate_store;  // move the store there and end
  std::string make_shared_files;               // a folder; not empty: make them there and end
  enum class Check { kNo, kText, kJson };
  Check check = Check::kNo;  // say whether a start would go well, and end
  bool help = false;
  bool version = false;
};
Result<Flags> parse_flags(const std::vector<std::string>& args);  // FLAG_INVALID
std::string usage();

}  // namespace paddock::app
