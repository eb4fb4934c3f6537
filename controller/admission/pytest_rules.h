// Which commands a test run may have. Pure. The workspace's own configuration and conftest files
// can do whatever they like, and only the sandbox contains them; these rules keep the run to the
// tests of the workspace, without another configuration, root folder or plugin.
//
//   first words  exactly pytest, or python3 -m pytest
//   other words  options known to be harmless; files and folders of the workspace, with ::names
//   every word   no shell metacharacter, no path outside the workspace, no @file of more words
#pragma once

#include "controller/admission/command_rules.h"

namespace paddock::admission {

// Every refusal, rule by rule; empty if the command may run.
std::vector<Refusal> check_pytest_command(const std::vector<std::string>& argv,
                                          const FileNames& files);

}  // namespace paddock::admission
