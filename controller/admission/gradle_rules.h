// Which commands a gradle run may have. Pure. A build file can do whatever it likes, and only the
// sandbox contains it; these rules keep the build within the workspace, without another project,
// init script, home or daemon.
//
//   first word   exactly ./gradlew, an executable file of the workspace, or gradle, the node's
//   other words  task names; -P<name>=<value>; options known to be harmless
//   every word   no shell metacharacter, no path outside the workspace
#pragma once

#include "common/contracts/tree.h"
#include "controller/admission/word_rules.h"

namespace paddock::admission {

// Every refusal, rule by rule; empty if the command may run. `tree` may be null: no files.
std::vector<Refusal> check_gradle_command(const std::vector<std::string>& argv,
                                          const contracts::Tree* tree);

}  // namespace paddock::admission
