// Turns a node's answer about a command, in a session or in a run, into what is recorded and what
// its caller is told.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "common/base/reason.h"
#include "common/base/result.h"
#include "common/contracts/sandbox.h"
#include "common/contracts/sandbox_result.h"
#include "common/wire/value.h"

namespace paddock::api {

// How the end of a command is recorded. An error here is what the caller is told.
struct EndRecord {
  std::function<Status(const contracts::SandboxResult&)> ended;
  std::function<Status(const Error&)> lost;  // it brought no result
};
// The caller's answer, once the end is recorded. Unavailable (UNEXPECTED_ANSWER),
// FailedPrecondition (SANDBOX_FAILED), DeadlineExceeded (NO_ANSWER); other errors of the call stay
// as they are.
Result<contracts::RunResult> conclude_command(const Result<wire::Value>& answer,
                                              const std::string& command_id,
                                              const EndRecord& record);
// Says of a command that was ended by its time how much it had, and of which field.
void name_time(contracts::RunResult& result, std::string_view which);
// By CALL_EXISTS: a caller has named two commands alike. `where`: "run" or "session".
Error explain_command(const Error& error, std::string_view where);
// For a command that had begun when the store could not keep the record of its start: the caller
// must not think that nothing happened.
Error unrecorded(const Error& why);
// What a caller is told of an error behind the answer's head: of a failure of ours our log has the
// details, as where errors are answered (pipeline.cc).
Error told_in_stream(const Error& error);

// The audit event of one that brought no result: it was canceled before it began, or it never
// began, for one of the reasons `refused`, or nobody knows.
std::string_view event_without_result(const Error& error, std::initializer_list<Reason> refused);

}  // namespace paddock::api
