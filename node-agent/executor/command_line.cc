#include "node-agent/executor/command_line.h"

#include "node-agent/code/launch.h"

namespace paddock::executor {
namespace {

constexpr const char* kGradleHome = ".gradle-home";

std::vector<std::string> gradle_options(const contracts::SandboxPolicy& policy) {
  std::vector<std::string> out = {"--no-daemon", "--console=plain", "--gradle-user-home",
                                  kGradleHome};
  if (!policy.network || !policy.network->enabled) out.emplace_back("--offline");
  return out;
}

// The log is read while the run lives. A variable would do the same, but a compute run has exactly
// the documented ones.
bool is_buffered_python(const std::vector<std::string>& command) {
  return command[0] == "python3" || command[0] == "python";
}

}  // namespace

std::vector<std::string> command_line(const contracts::RunSpec& spec,
                                      const contracts::SandboxPolicy& policy) {
  using contracts::RunType;
  std::vector<std::string> out = spec.command.argv;
  if (spec.type == RunType::kCode) return code::command();
  if (out.empty()) return out;
  if (spec.type == RunType::kCompute && is_buffered_python(out)) {
    out.insert(out.begin() + 1, "-u");
  } else if (spec.type == RunType::kGradle) {
    const std::vector<std::string> options = gradle_options(policy);
    out.insert(out.begin() + 1, options.begin(), options.end());
  } else if (spec.type == RunType::kTest && out[0] == "pytest") {
    out[0] = "python3";
    out.insert(out.begin() + 1, {"-m", "pytest"});
  }
  return out;
}

}  // namespace paddock::executor
