#include "controller/k8s/exec_channels.h"

#include <algorithm>

#include "common/base/reason.h"
#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::k8s {
namespace {

using wire::Value;

constexpr wire::ParseLimits kResizeLimits{.max_bytes = 256, .max_depth = 2, .max_values = 16};

// A window without an area is no size: kubectl has it of what is no terminal.
std::optional<ExecInput> resize(std::string_view json) {
  const auto size = wire::parse_json(json, kResizeLimits);
  if (!size.ok() || size->object() == nullptr) return std::nullopt;
  const auto side = [&](const char* name) -> int64_t {
    const Value* found = size->find(name);
    const int64_t* number = found == nullptr ? nullptr : found->integer();
    return number == nullptr
               ? 0
               : std::clamp<int64_t>(*number, 0, contracts::run_exec::kMostTerminalSide);
  };
  const contracts::TerminalSize told{side("Height"), side("Width")};
  if (told.rows == 0 || told.columns == 0) return ExecInput{};
  return ExecInput{{}, false, told};
}

// kubectl's own words, which it takes a command's exit code by.
constexpr std::string_view kNonZeroExit = "NonZeroExitCode";
constexpr std::string_view kExitCode = "ExitCode";

Value failure(std::string_view reason, std::string message) {
  return Value::Object{{"metadata", Value::Object{}},
                       {"status", "Failure"},
                       {"reason", reason},
                       {"message", std::move(message)}};
}

}  // namespace

std::optional<ExecInput> exec_input(std::string_view message, ExecWants wants) {
  if (message.empty()) return std::nullopt;
  const auto channel = static_cast<ExecChannel>(static_cast<uint8_t>(message.front()));
  const std::string_view data = message.substr(1);
  if (channel == ExecChannel::kInput && wants.input) return ExecInput{data, false, {}};
  if (channel == ExecChannel::kResize && wants.terminal) return resize(data);
  if (channel == ExecChannel::kClose && data.size() == 1) {
    const bool input = data.front() == static_cast<char>(ExecChannel::kInput);
    return ExecInput{{}, input && wants.input, {}};
  }
  return std::nullopt;
}

std::string exec_message(ExecChannel channel, std::string_view data) {
  return cat(std::string(1, static_cast<char>(channel)), data);
}

wire::Value exec_status(const contracts::RunResult& result) {
  if (result.exit_code != 0) {
    const bool shown = result.exit_code > 0 && result.exit_code <= 255;
    const std::string code = cat(shown ? result.exit_code : 1);
    Value out = failure(kNonZeroExit, cat("command terminated with exit code ", code));
    out.set("details", Value::Object{{"causes", Value::Array{Value::Object{{"reason", kExitCode},
                                                                           {"message", code}}}}});
    return out;
  }
  if (result.error_class) return failure(result.code.value_or(*result.error_class), result.reason);
  return Value::Object{{"metadata", Value::Object{}}, {"status", "Success"}};
}

}  // namespace paddock::k8s
