// The findings of `paddock doctor` on this host beside its sandbox, each with what would mend it.
// Pure: the facts come in from outside.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/base/units.h"
#include "common/os/start_reserve.h"

namespace paddock::cli {

// Where an instance keeps its files.
struct DataDisk {
  std::string folder;
  os::DiskRoom room;
};

struct HostFacts {
  std::string system;  // as uname says it: Linux, Darwin
  std::string release;
  std::string machine;
  int cgroup_version = 0;       // 0: none is mounted
  std::string python;           // its version; empty: there is none
  bool venv = false;            // python3 can make environments
  std::string missing_program;  // of Paddock's own
  // How far the controller's clock is ahead of this host's; absent: no controller was asked.
  std::optional<Millis> clock_gap;
  std::optional<Error> controller_error;  // why it did not answer
  std::optional<Error> agent_error;       // why the agent's configuration is not known
  std::vector<DataDisk> disks;            // of folders that are there
};

struct Finding {
  std::string name;
  bool good = false;
  std::string details;
  std::string remedy;  // one line; never empty for what is not good
};

std::vector<Finding> host_findings(const HostFacts& facts);

}  // namespace paddock::cli
