// Brings a controller and a node agent up on this host, for `paddock up`. A program that runs
// already stays; one that does not is started, and one whose settings have changed is started
// again.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/instance/instance.h"
#include "cli/instance/pointer.h"
#include "cli/terminal/env.h"
#include "common/base/suspension.h"
#include "common/os/fd.h"

namespace paddock::cli {

// One start at work. Its instance is locked by the caller meanwhile.
struct InstanceStart {
  const Env& env;
  std::optional<int64_t> port;  // that was asked for
  InstancePaths paths;
  InstanceSettings settings;
  LivedDeadline deadline;
  InstancePointer pointer = {};
  bool new_sources = false;                    // an agent that runs knows others
  bool new_network = false;                    // both programs that run know otherwise
  bool was_complete = true;                    // nothing had to be started
  std::map<std::string, os::Fd> reports = {};  // by program: of its start by this command
};

// Until both programs are ready, or the deadline is over. A start that fails leaves nothing behind
// that it made itself. Errors: START_FAILED with the last lines of the program's log, PORT_IN_USE,
// PROGRAM_MISSING, and what the disk says.
Status bring_up(InstanceStart& start);

// The port in an instance's URL; 0 if there is none.
int64_t port_of(const std::string& url);

}  // namespace paddock::cli
