#include "common/contracts/run_exec.h"

#include "common/base/base64_fault.h"
#include "common/base/text.h"
#include "common/contracts/names.h"

namespace paddock::contracts {

void RunCommandRequest::validate(wire::Check& check) const {
  size_t bytes = 0;
  for (size_t i = 0; i < command.size(); ++i) {
    bytes += command[i].size() + 1;
    if (command[i].find('\0') != std::string::npos)
      check.fail(cat("command[", i, "]"), "must not have a NUL byte");
  }
  if (!command.empty() && command.front().empty())
    check.fail("command", "must begin with a program");
  if (bytes > run_exec::kMostCommandBytes)
    check.fail("command",
               "must have at most 131072 bytes in all: larger input is a file of the run");
  if (const auto fault = base64_fault(input); !fault.empty())
    check.fail("stdin", std::string(fault));
  if (!command_id.empty() && !is_dns_label(command_id))
    check.fail("commandId", "must be lower-case letters, digits and '-', at most 63");
  if (timeout_ms > run_exec::kMostTimeMs && !terminal)
    check.fail("timeoutMs", "must be at most 3600000 of a command without a terminal");
  if (!input.empty() && (input_comes || terminal))
    check.fail("stdin", "must not be there where input comes while it runs");
  if (input_comes && command_id.empty())
    check.fail("commandId", "must be there: its input is sent to it by this name");
}

void InputPiece::validate(wire::Check& check) const {
  const auto bytes = decode_base64(data);
  if (!bytes)
    check.fail("data", std::string(base64_fault(data)));
  else if (bytes->size() > run_exec::kMostPieceBytes)
    check.fail("data", "must be at most 32768 bytes: send more pieces");
  if (data.empty() && !end && !terminal) check.fail("data", "must say something");
}

}  // namespace paddock::contracts

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::RunCommandRequest);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::InputPiece);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::InputOrder);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::InputTaken);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::ExecOrder);
