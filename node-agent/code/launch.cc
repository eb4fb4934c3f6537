#include "node-agent/code/launch.h"

#include "common/wire/json.h"

namespace paddock::contracts {
const std::map<std::string, std::string>& code_programs();  // embedded: python/*.py
}

namespace paddock::code {
namespace {

constexpr const char* kStart = "/tmp/.paddock/start.py";
constexpr const char* kInput = "/tmp/.paddock/input.json";
constexpr const char* kMain = "/tmp/.paddock/main/paddock_main.py";
constexpr const char* kCode = "/tmp/code.py";

}  // namespace

const std::string& program_head() { return contracts::code_programs().at("program"); }

std::vector<std::string> command() { return {"python3", "-B", "-u", "-X", "utf8", kStart}; }

std::map<std::string, std::string> files(const contracts::RunSpec& spec) {
  return {{kCode, spec.code},
          {kInput, wire::to_json(spec.input_data.value_or(wire::Value()))},
          {kMain, contracts::code_programs().at("main")},
          {kStart, cat(program_head(), "\n\n", contracts::code_programs().at("start"))}};
}

}  // namespace paddock::code
