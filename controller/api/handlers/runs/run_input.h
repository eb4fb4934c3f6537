// Takes what is typed to a command in a running run, and the size of its terminal.
#pragma once

#include <string>

#include "common/contracts/run_exec.h"
#include "controller/api/server/call.h"

namespace paddock::api {

// An InputPiece: an InputTaken. Only the caller that began the command may send it.
// COMMAND_NOT_FOUND, COMMAND_NOT_YOURS, COMMAND_TAKES_NO_INPUT, INPUT_WAITS, INPUT_OUT_OF_ORDER.
// Nothing of it is recorded.
Result<Response> put_command_input(Call& call);

// The command under way that input is for.
struct CommandInput {
  std::string call;  // calls::CallId: this command, and not a later one of its name
  std::string name;
  std::string run_uid;
  std::string command_id;
  std::string node;
  std::string caller;
  std::string name_space;  // that the caller is bound to; empty: none
};
// Gives the command one piece of its input. Errors are those of put_command_input() except those
// about the caller.
Result<contracts::InputTaken> give_input(Services& services, const CommandInput& to,
                                         contracts::InputPiece piece,
                                         const DisconnectToken& client);

}  // namespace paddock::api
