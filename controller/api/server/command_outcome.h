// What became of a command that a node was asked to execute, in a session or in a run.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "common/base/reason.h"
#include "common/base/result.h"
#include "common/contracts/sandbox.h"
#include "common/contracts/sandbox_result.h"
#include "common/wire/value.h"

namespace paddock::api {

// What the node answered. Unavailable (UNEXPECTED_ANSWER).
Result<contracts::SandboxResult> result_in(const wire::Value& answer);
// That, as the caller is told it. FailedPrecondition (SANDBOX_FAILED); DeadlineExceeded
// (NO_ANSWER).
Result<contracts::RunResult> told_to_caller(contracts::SandboxResult result,
                                            const std::string& command_id);
// It was under way when the store said that its beginning was not kept: nobody may take that for a
// change that was not made.
Error unrecorded(const Error& why);
// What a caller is told of an error behind the answer's head: of a failure of ours our log has the
// details, as where errors are answered (pipeline.cc).
Error told_in_stream(const Error& error);
// It was canceled before it began.
contracts::RunResult canceled_before_start(const std::string& command_id);

// The audit event of one that brought no result: it was canceled before it began, or it never
// began, for one of the reasons `refused`, or nobody knows.
std::string_view event_without_result(const Error& error, std::initializer_list<Reason> refused);

}  // namespace paddock::api
