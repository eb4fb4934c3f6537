// Sandboxes: sessions that are created, used and destroyed. Their commands and files.
#pragma once

#include "common/contracts/sandbox.h"
#include "controller/api/server/call.h"

namespace paddock::api {

struct DeleteOptions;
struct Removal;

Result<Response> destroy_sandbox(Call& call);
// The same for handlers that show a session as another kind.
using DeletionAnswer = Response (*)(const contracts::Sandbox& session, const DeleteOptions& wish,
                                    const Removal& removal);
Result<Response> destroy_session(Call& call, DeletionAnswer answer);

Result<Response> run_session_command(Call& call);
Result<Response> cancel_session_command(Call& call);

Result<Response> read_session_file(Call& call);
Result<Response> write_session_file(Call& call);
Result<Response> remove_session_file(Call& call);

}  // namespace paddock::api
