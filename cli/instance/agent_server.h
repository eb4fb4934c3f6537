// Reads which controller an agent shall call: --server and --ca-file of `paddock node join` and
// `move`.
#pragma once

#include <string>

#include "cli/options/command_row.h"
#include "common/base/result.h"

namespace paddock::cli {

// Without a slash at its end. InvalidArgument (INVALID_SERVER): a credential is sent over TLS, or
// not beyond this host.
Result<std::string> agent_server(const Parsed& parsed);
// The PEM text; empty where none was named. InvalidArgument (CA_FILE_UNREADABLE).
Result<std::string> agent_ca(const Parsed& parsed);

}  // namespace paddock::cli
