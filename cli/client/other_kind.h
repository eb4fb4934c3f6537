// A run and a sandbox session are easily taken for each other: where the name that a command was
// given is one of the other kind, the error says so, and what to type instead.
#pragma once

#include <string>
#include <utility>

#include "cli/options/command_row.h"
#include "cli/output/kinds.h"
#include "common/client/controller_client.h"

namespace paddock::cli {

// The command for `name`, which is a run's (kRun) or a session's (kSandbox), that does what
// `command` does for the other kind; empty if there is none. Pure.
std::string way_for(Kind kind, const std::string& command, const std::string& name);

// RUN_NOT_FOUND or SANDBOX_NOT_FOUND of `name` with that way, if the controller has one of the
// other kind in the command's namespace; any other error as it is.
Error with_other_kind(client::ControllerClient& client, const Parsed& parsed,
                      const std::string& name, Error error);

template <class T>
Result<T> or_other_kind(client::ControllerClient& client, const Parsed& parsed,
                        const std::string& name, Result<T> result) {
  if (result.ok()) return result;
  return with_other_kind(client, parsed, name, std::move(result).error());
}

}  // namespace paddock::cli
