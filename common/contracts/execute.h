// POST /execute: one short piece of Python in a sandbox of profile `snippet`, answered at once.
// Its clients know it so: HTTP 200 with `success: false` is what the program did, 422 what the
// caller did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/wire/describe.h"

namespace paddock::contracts {

inline constexpr size_t kMaxCodeBytes = 100'000;
inline constexpr int64_t kDefaultTimeoutSeconds = 30;
inline constexpr int64_t kDefaultMemoryMb = 256;
inline constexpr int64_t kMaxMemoryMb = 512;
// `exit_code` where no program ended: refused, timed out, or it could not be run.
inline constexpr int64_t kNoExitCode = -1;

struct ExecuteRequest {
  std::string language = "python";
  std::string code;
  std::optional<int64_t> timeout_seconds;  // the server's default if absent
  std::optional<int64_t> memory_mb;
  wire::Value input_data;  // an object or null
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("language", &ExecuteRequest::language, "python", {.max_length = 64}),
        field("code", &ExecuteRequest::code, "the program", {.required = true, .min_length = 1}),
        field("timeout_seconds", &ExecuteRequest::timeout_seconds, "1 to 60, 30 unless given",
              {.min = 1, .max = 60}),
        field("memory_mb", &ExecuteRequest::memory_mb, "64 to 512, 256 unless given",
              {.min = 64, .max = kMaxMemoryMb}),
        field("input_data", &ExecuteRequest::input_data,
              "an object, which the program finds as `input_data`"));
  }
  void validate(wire::Check& check) const;
};

struct ExecuteAnswer {
  bool success = false;
  std::string out;
  std::string err;
  int64_t exit_code = kNoExitCode;
  int64_t execution_time_ms = 0;
  wire::Value error;              // null or a string
  wire::Value validation_errors;  // null or a list of strings
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("success", &ExecuteAnswer::success, "the program ended with exit code 0"),
        field("stdout", &ExecuteAnswer::out, "what the code printed on its standard output"),
        field("stderr", &ExecuteAnswer::err, "what the code printed on its standard error"),
        field("exit_code", &ExecuteAnswer::exit_code, "the program's; -1 where none ended"),
        field("execution_time_ms", &ExecuteAnswer::execution_time_ms,
              "from the request's arrival on the node to the end of its last process"),
        field("error", &ExecuteAnswer::error, "null, or why it did not succeed"),
        field("validation_errors", &ExecuteAnswer::validation_errors,
              "null, or everything that the validator refused"));
  }
};

// `error` of a program whose time was up.
inline constexpr const char* kTimedOut = "Execution timed out";

// A request that has been checked, on its way to a node.
struct SnippetOrder {
  std::string code;
  wire::Value input_data;
  int64_t timeout_ms = kDefaultTimeoutSeconds * 1000;
  int64_t memory_mb = kDefaultMemoryMb;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("code", &SnippetOrder::code, "Python",
                       {.required = true, .min_length = 1, .max_length = kMaxCodeBytes}),
                 field("inputData", &SnippetOrder::input_data, "an object or null"),
                 field("timeoutMs", &SnippetOrder::timeout_ms, "from its arrival on the node",
                       {.min = 1, .max = 60'000}),
                 field("memoryMb", &SnippetOrder::memory_mb, "of each process, and of all together",
                       {.min = 64, .max = kMaxMemoryMb}));
  }
};

// The answer of a request that never reached a sandbox.
ExecuteAnswer refused_answer(std::string error, std::vector<std::string> findings = {});

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::ExecuteRequest);
PADDOCK_EXTERN_CODEC(paddock::contracts::ExecuteAnswer);
PADDOCK_EXTERN_CODEC(paddock::contracts::SnippetOrder);
