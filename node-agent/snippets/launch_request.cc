#include "node-agent/snippets/launch_request.h"

#include <algorithm>
#include <map>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "node-agent/code/launch.h"

namespace paddock::contracts {
const std::map<std::string, std::string>& snippet_programs();  // embedded: python/*.py
}

namespace paddock::snippets {
namespace {

using contracts::LaunchRequest;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr Millis kFence{5'000};  // beyond the request's own time
constexpr Millis kValidatorCpu = std::chrono::hours(1);

LaunchRequest base_request(const Setting& setting, const contracts::SandboxPolicy& policy) {
  LaunchRequest out;
  out.workdir = setting.profile.workdir;
  out.env = setting.profile.environment;
  out.policy = policy;
  out.uid = setting.uid;
  out.cancel_grace_ms = 0;  // what nobody waits for any more has nothing to tidy up
  out.limit_grace_ms = 0;
  out.brief_result = true;
  out.inline_output_bytes =
      std::max(policy.limits.stdout_bytes ? policy.limits.stdout_bytes->bytes : kMiB,
               policy.limits.stderr_bytes ? policy.limits.stderr_bytes->bytes : kMiB);
  if (!setting.library_dir.empty()) {
    out.mounts.push_back(contracts::LaunchMount{setting.library_dir, setting.library_dir,
                                                contracts::MountMode::kReadOnly});
  }
  return out;
}

const std::string& program(const char* name) { return contracts::snippet_programs().at(name); }

}  // namespace

bool fits_warm(const Needs& needs, const contracts::SandboxLimits& limits) {
  const bool memory = limits.memory && limits.memory->bytes == needs.memory_mb * kMiB;
  const bool cpu = !limits.cpu_time || limits.cpu_time->value >= Millis(needs.timeout_ms);
  const bool wall = !limits.wall_time || limits.wall_time->value >= Millis(needs.timeout_ms);
  return memory && cpu && wall;
}

contracts::SandboxPolicy policy_for(const Needs& needs, const contracts::SandboxPolicy& profile) {
  contracts::SandboxPolicy out = profile;
  const Millis time(needs.timeout_ms);
  out.limits.memory = wire::Quantity{needs.memory_mb * kMiB};
  if (out.limits.address_space) out.limits.address_space = wire::Quantity{needs.memory_mb * kMiB};
  if (out.limits.cpu_time && out.limits.cpu_time->value < time)
    out.limits.cpu_time = wire::Duration{time};
  if (out.limits.wall_time && out.limits.wall_time->value < time)
    out.limits.wall_time = wire::Duration{time + kFence};
  return out;
}

LaunchRequest look_request(const Setting& setting) {
  LaunchRequest out = base_request(setting, setting.profile.policy);
  out.trace_id = "snippet-look";
  out.command = {"python3",
                 "-I",
                 "-B",
                 "-c",
                 program("look"),
                 cat(code::program_head(), "\n\n", program("worker"))};
  for (const std::string& each : setting.config.libraries) out.command.push_back(each);
  return out;
}

LaunchRequest validator_request(const Setting& setting) {
  contracts::SandboxPolicy policy = setting.profile.policy;
  policy.limits.cpu_time = wire::Duration{kValidatorCpu};  // it serves many; each has its own time
  LaunchRequest out = base_request(setting, policy);
  out.trace_id = "snippet-validator";
  out.command = {"python3", "-I", "-S", "-B", "-W", "ignore", "-c", program("validator")};
  return out;
}

LaunchRequest worker_request(const Setting& setting, const Interpreter& interpreter,
                             const std::vector<std::string>& modules,
                             const contracts::SandboxPolicy& policy) {
  LaunchRequest out = base_request(setting, policy);
  out.trace_id = "snippet";
  // Without `site`, which takes a third of the start: the path it would make is known.
  out.command = {"python3", "-I", "-S", "-B", "-u", "-X", "utf8", "-c"};
  for (const std::string& each : interpreter.worker) out.command.push_back(each);
  out.command.push_back(join(interpreter.path, ":"));
  for (const std::string& each : modules) out.command.push_back(each);
  return out;
}

std::string worker_input(const contracts::SnippetOrder& order) {
  std::string out = cat(order.code.size(), "\n", order.code);
  if (!order.input_data.is_null()) out += wire::to_json(order.input_data);
  return out;
}

}  // namespace paddock::snippets
