#include "common/contracts/run_exec.h"

#include "common/base/text.h"
#include "common/contracts/names.h"

namespace paddock::contracts {

void RunCommandRequest::validate(wire::Check& check) const {
  size_t bytes = 0;
  for (const std::string& word : command) {
    bytes += word.size() + 1;
    if (word.find('\0') != std::string::npos) check.fail("command", "must not have a NUL byte");
  }
  if (!command.empty() && command.front().empty())
    check.fail("command", "must begin with a program");
  if (bytes > run_exec::kMostCommandBytes)
    check.fail("command",
               "must have at most 131072 bytes in all: larger input is a file of the run");
  if (!input.empty() && !decode_base64(input)) check.fail("stdin", "must be base64");
  if (!command_id.empty() && !is_dns_label(command_id))
    check.fail("commandId", "must be lower-case letters, digits and '-', at most 63");
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::RunCommandRequest);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::ExecOrder);
