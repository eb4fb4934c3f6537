// A command's output as it comes, as server-sent events: `started`, `stdout` and `stderr` with
// base64, and `result` or `error` last.
#pragma once

#include <functional>
#include <string>

#include "common/contracts/sandbox.h"
#include "controller/api/server/http.h"

namespace paddock::api {

// Runs the command to its end. Pieces are CommandPieces; from the start on it can be canceled.
using OnPiece = std::function<void(const wire::Value&)>;
using OnStart = std::function<void()>;
using CarryOut = std::function<Result<contracts::RunResult>(
    const DisconnectToken& client, const OnPiece& on_piece, const OnStart& on_start)>;

// `carry_out` is called while the answer is sent, when its handler has returned.
Response stream_command(std::string command_id, CarryOut carry_out);

}  // namespace paddock::api
