// The instructions for the command's process, which waits inside a finished sandbox, before it
// executes the command. They travel as one block of bytes between two processes of the same
// program.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node-agent/sandbox/plan/request_facts.h"
#include "node-agent/sandbox/plan/rlimits.h"

namespace paddock::sandbox {

struct CommandSpec {
  std::vector<std::string> command;
  std::map<std::string, std::string> env;
  std::string workdir;
  std::string stdin_file;  // empty: as it is
  std::vector<RlimitSetting> rlimits;
  std::vector<std::string> scratch_folders;
  std::map<std::string, std::string> scratch_files;
  std::vector<FileId> tools;         // what may be executed; none: it is asked about if it matters
  std::vector<int> processors = {};  // of the host, to be scheduled on; none: any
  uint64_t no_tcp = 0;               // Landlock's rights to it that are given up
};

std::string pack(const CommandSpec& spec);
// Reads the spec; nothing if these are not the bytes of one.
std::optional<CommandSpec> unpack(std::string_view bytes);

}  // namespace paddock::sandbox
