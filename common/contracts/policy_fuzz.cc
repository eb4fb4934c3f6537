// Any text, as JSON and as YAML, is a policy or an error with its causes; a policy encodes to what
// decodes again, and so does its effective form on every profile.
#include "common/contracts/profile.h"
#include "common/wire/json.h"
#include "common/wire/yaml.h"

namespace {

using paddock::contracts::SandboxPolicy;
namespace wire = paddock::wire;

void check(const paddock::Result<wire::Value>& value) {
  if (!value.ok()) return;
  const auto policy = wire::decode<SandboxPolicy>(*value);
  if (!policy.ok()) {
    if (policy.error().causes.empty()) paddock::panic("a refusal without a cause");
    return;
  }
  for (const auto& [name, profile] : paddock::contracts::builtin_profiles()) {
    const SandboxPolicy effective = effective_policy(profile.policy, *policy);
    const wire::Value encoded = wire::encode(effective);
    const auto again = wire::decode<SandboxPolicy>(encoded);
    if (!again.ok() || !(wire::encode(*again) == encoded)) paddock::panic("not decoded as encoded");
    (void)command_environment(profile.environment, effective, true);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(wire::parse_json(text));
  check(wire::parse_yaml(text));
  return 0;
}
