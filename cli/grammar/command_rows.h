// The rows that command_table.cc puts together, and what they share.
#pragma once

#include <vector>

#include "cli/grammar/command_table.h"

namespace paddock::cli {

inline const OptionRow kNamespace{"-n,--namespace", "NS", "namespace; `default` unless given"};
inline const OptionRow kVerbose{"-v,--verbose", "", "say more"};

// Commands that run code, and `plan`, which says beforehand how a run would go.
std::vector<CommandRow> run_commands();

// Objects of any kind: shown, made from files, changed, explained.
std::vector<CommandRow> object_commands();

// Hosts that join and leave.
std::vector<CommandRow> membership_commands();

// Sandbox sessions.
std::vector<CommandRow> session_commands();

// Tool tokens and grants.
std::vector<CommandRow> permission_commands();

}  // namespace paddock::cli
