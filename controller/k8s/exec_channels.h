// The messages on the WebSocket of `kubectl exec`, v5.channel.k8s.io and v4: the first byte of a
// message says its channel. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/contracts/run_exec.h"
#include "common/contracts/sandbox.h"
#include "common/wire/value.h"

namespace paddock::k8s {

// The second knows no end of the input.
inline constexpr std::array<std::string_view, 2> kExecProtocols = {"v5.channel.k8s.io",
                                                                   "v4.channel.k8s.io"};

enum class ExecChannel : uint8_t {
  kInput = 0,
  kOutput = 1,
  kErrors = 2,
  kStatus = 3,  // one Status, at the end
  kResize = 4,
  kClose = 255,  // of the channel that its byte names
};

// What a client may send.
struct ExecWants {
  bool input = false;
  bool terminal = false;
};
// The meaning of a client's message; empty if it has none here.
struct ExecInput {
  std::string_view data;  // of the message
  bool end = false;       // of the input
  std::optional<contracts::TerminalSize> size;
};
// Reads a client's message; nothing if no client may send it.
std::optional<ExecInput> exec_input(std::string_view message, ExecWants wants);
std::string exec_message(ExecChannel channel, std::string_view data);

// The Status of a command that ended. kubectl ends with the exit code that it names.
wire::Value exec_status(const contracts::RunResult& result);

}  // namespace paddock::k8s
