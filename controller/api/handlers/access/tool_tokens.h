// Tool tokens: made for a run by hand, by another token or for its environment, and ended.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// A program can make tool tokens by itself, and ending them must take a bounded time:
// TOO_MANY_TOOL_TOKENS.
inline constexpr size_t kMostToolTokens = 64;  // usable ones of one run
inline constexpr size_t kMostToolTokensKept =
    1024;  // of one run, with those that were revoked or have expired
inline constexpr size_t kToolTokenDepth =
    8;  // how many tokens may stand above one: its maker, that one's maker, …

// POST runs/{name}/tool-tokens with a ToolTokenRequest: 201 and the token with its secret. The
// holder of a tool token makes narrower ones only (TOOL_TOKEN_NOT_NARROWER).
Result<Response> make_run_token(Call& call);
// POST tooltokens/{name}/revoke.
Result<Response> revoke_token(Call& call);
// For the agent that holds the run. A token that was made earlier for the same attempt ends.
// TOOL_TOKEN_NOT_WANTED if the run did not ask for one.
Result<Response> make_environment_token(Call& call);

}  // namespace paddock::api
