// A command in the sandbox of a run that runs: what a caller asks for (`paddock exec`), and what
// the controller asks of the run's node, as a call of calls.h. The agent hands the same order to
// the run's launcher (launch.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/wire/describe.h"
#include "common/wire/flag.h"

namespace paddock::contracts {

inline constexpr const char* kRunExec = "run.exec";  // ExecOrder -> SandboxResult
// The same with a terminal, or with input that comes while it runs: a node that knows no such call
// has neither.
inline constexpr const char* kRunAttach = "run.attach";  // ExecOrder -> SandboxResult
inline constexpr const char* kRunInput = "run.input";    // InputOrder -> InputTaken

namespace run_exec {
inline constexpr int64_t kUsualTimeMs = 60'000;
inline constexpr int64_t kMostTimeMs = 3'600'000;
inline constexpr int64_t kMostOutputBytes = int64_t{4} << 20;  // of each stream
inline constexpr size_t kMostCommandBytes = size_t{128} << 10;
inline constexpr int kMostAtOnce = 4;                       // in one run
inline constexpr size_t kMostInputBytes = size_t{8} << 20;  // of its standard input
inline constexpr int64_t kMostTerminalTimeMs = 86'400'000;
inline constexpr size_t kMostPieceBytes = size_t{32} << 10;    // of input that comes in pieces
inline constexpr size_t kMostWaitingBytes = size_t{64} << 10;  // of it, until the command reads
inline constexpr int64_t kMostTerminalSide = 4096;             // rows, and columns
}  // namespace run_exec

struct TerminalSize {
  int64_t rows = 24;
  int64_t columns = 80;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("rows", &TerminalSize::rows, "24 unless given",
                       {.min = 1, .max = run_exec::kMostTerminalSide}),
                 field("columns", &TerminalSize::columns, "80 unless given",
                       {.min = 1, .max = run_exec::kMostTerminalSide}));
  }
};

struct RunCommandRequest {
  std::vector<std::string> command;
  std::string command_id;
  std::optional<int64_t> timeout_ms;
  std::string input;
  wire::Flag input_comes;
  std::optional<TerminalSize> terminal;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("command", &RunCommandRequest::command,
                       "argv, executed as it is: no shell, looked up in the run's PATH",
                       {.required = true, .min_length = 1, .max_length = 4096}),
                 field("commandId", &RunCommandRequest::command_id,
                       "to cancel it by, chosen by the caller; one is made unless given",
                       {.omit_empty = true, .max_length = 63}),
                 field("timeoutMs", &RunCommandRequest::timeout_ms,
                       "the most that it may take: an hour, with a terminal a day; a minute "
                       "unless given, with a terminal the most",
                       {.omit_empty = true, .min = 1, .max = run_exec::kMostTerminalTimeMs}),
                 field("stdin", &RunCommandRequest::input,
                       "what it reads as its standard input, as base64: 8 MiB at most. It "
                       "reads the end of its input at once unless given",
                       {.omit_empty = true}),
                 field("stdinComes", &RunCommandRequest::input_comes,
                       "its standard input comes while it runs, by `…/{command}/stdin`; "
                       "needs a commandId, and there is no `stdin`",
                       {.omit_empty = true}),
                 field("terminal", &RunCommandRequest::terminal,
                       "it has a terminal of this size, which is its standard input, output "
                       "and error: all that it writes is `stdout`, as it is",
                       {.omit_empty = true}));
  }
  void validate(wire::Check& check) const;
  int64_t time_ms() const {
    return timeout_ms.value_or(terminal ? run_exec::kMostTerminalTimeMs : run_exec::kUsualTimeMs);
  }
};

// A piece of a command's standard input, in order. One that is sent again is taken once.
struct InputPiece {
  int64_t seq = 0;
  std::string data;  // base64
  bool end = false;
  std::optional<TerminalSize> terminal;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("seq", &InputPiece::seq,
              "1 is the first, and each is one more than the one before: one that was taken "
              "already is not taken again",
              {.required = true, .min = 1}),
        field("data", &InputPiece::data, "what it reads, as base64: 32 KiB at most",
              {.omit_empty = true}),
        field("end", &InputPiece::end,
              "nothing comes behind it: the command reads the end of its input. Not of a terminal, "
              "which reads Ctrl-D",
              {.omit_empty = true}),
        field("terminal", &InputPiece::terminal, "its terminal has this size from here on",
              {.omit_empty = true}));
  }
  void validate(wire::Check& check) const;
};

struct InputOrder {
  std::string run_uid;
  std::string command_id;
  InputPiece piece;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("runUid", &InputOrder::run_uid, "of the run", {.required = true, .max_length = 64}),
        field("commandId", &InputOrder::command_id, "which command of it",
              {.required = true, .min_length = 1, .max_length = 63}),
        field("piece", &InputOrder::piece, "of its input", {.required = true}));
  }
};

struct InputTaken {
  int64_t next = 1;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("next", &InputTaken::next, "the `seq` of the piece that comes next"));
  }
};

struct ExecOrder {
  std::string run_uid;
  std::string command_id;
  std::vector<std::string> command;
  int64_t time_ms = run_exec::kUsualTimeMs;
  bool stream = false;     // its output is sent on as CommandPieces while it runs
  std::string input;       // base64; the agent hands it over as a pipe, and not with the order
  wire::Flag input_comes;  // as InputOrders
  std::optional<TerminalSize> terminal;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("runUid", &ExecOrder::run_uid, "of the run", {.required = true, .max_length = 64}),
        field("commandId", &ExecOrder::command_id, "what its denials are told apart by",
              {.required = true, .min_length = 1, .max_length = 63}),
        field("command", &ExecOrder::command, "argv",
              {.required = true, .min_length = 1, .max_length = 4096}),
        field("timeMs", &ExecOrder::time_ms, "the most that it may take",
              {.min = 1, .max = run_exec::kMostTerminalTimeMs}),
        field("stream", &ExecOrder::stream, "whether output is sent on", {.omit_empty = true}),
        field("stdin", &ExecOrder::input, "its standard input, as base64", {.omit_empty = true}),
        field("stdinComes", &ExecOrder::input_comes, "it comes while it runs",
              {.omit_empty = true}),
        field("terminal", &ExecOrder::terminal, "of which size, if it has one",
              {.omit_empty = true}));
  }
};

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::RunCommandRequest);
PADDOCK_EXTERN_CODEC(paddock::contracts::InputPiece);
PADDOCK_EXTERN_CODEC(paddock::contracts::InputOrder);
PADDOCK_EXTERN_CODEC(paddock::contracts::InputTaken);
PADDOCK_EXTERN_CODEC(paddock::contracts::ExecOrder);
