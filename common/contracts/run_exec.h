// A command in the sandbox of a run that runs: what a caller asks for (`paddock exec`), and what
// the controller asks of the run's node, as a call of calls.h. The agent hands the same order to
// the run's launcher (launch.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/wire/describe.h"

namespace paddock::contracts {

inline constexpr const char* kRunExec = "run.exec";  // ExecOrder -> SandboxResult

namespace run_exec {
inline constexpr int64_t kUsualTimeMs = 60'000;
inline constexpr int64_t kMostTimeMs = 3'600'000;
inline constexpr int64_t kMostOutputBytes = int64_t{4} << 20;  // of each stream
inline constexpr size_t kMostCommandBytes = size_t{128} << 10;
inline constexpr int kMostAtOnce = 4;                       // in one run
inline constexpr size_t kMostInputBytes = size_t{8} << 20;  // of its standard input
}  // namespace run_exec

struct RunCommandRequest {
  std::vector<std::string> command;
  std::string command_id;
  std::optional<int64_t> timeout_ms;
  std::string input;
  static constexpr auto describe() {
    using wire::field;
    return std::tuple{field("command", &RunCommandRequest::command,
                            "argv, executed as it is: no shell, looked up in the run's PATH",
                            {.required = true, .min_length = 1, .max_length = 4096}),
                      field("commandId", &RunCommandRequest::command_id,
                            "to cancel it by, chosen by the caller; one is made unless given",
                            {.omit_empty = true, .max_length = 63}),
                      field("timeoutMs", &RunCommandRequest::timeout_ms,
                            "the most that it may take; a minute unless given",
                            {.omit_empty = true, .min = 1, .max = run_exec::kMostTimeMs}),
                      field("stdin", &RunCommandRequest::input,
                            "what it reads as its standard input, as base64: 8 MiB at most. It "
                            "reads the end of its input at once unless given",
                            {.omit_empty = true})};
  }
  void validate(wire::Check& check) const;
};

struct ExecOrder {
  std::string run_uid;
  std::string command_id;
  std::vector<std::string> command;
  int64_t time_ms = run_exec::kUsualTimeMs;
  bool stream = false;  // its output is sent on as CommandPieces while it runs
  std::string input;    // base64; the agent hands it over as a pipe, and not with the order
  static constexpr auto describe() {
    using wire::field;
    return std::tuple{
        field("runUid", &ExecOrder::run_uid, "of the run", {.required = true, .max_length = 64}),
        field("commandId", &ExecOrder::command_id, "what its denials are told apart by",
              {.required = true, .min_length = 1, .max_length = 63}),
        field("command", &ExecOrder::command, "argv",
              {.required = true, .min_length = 1, .max_length = 4096}),
        field("timeMs", &ExecOrder::time_ms, "the most that it may take",
              {.min = 1, .max = run_exec::kMostTimeMs}),
        field("stream", &ExecOrder::stream, "whether output is sent on", {.omit_empty = true}),
        field("stdin", &ExecOrder::input, "its standard input, as base64", {.omit_empty = true})};
  }
};

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::RunCommandRequest);
PADDOCK_EXTERN_CODEC(paddock::contracts::ExecOrder);
