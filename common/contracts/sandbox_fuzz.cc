// Any document is a session's spec or is refused with a field; with its defaults it says everything
// that holds, comes back as it was, and asks the launcher for nothing that it does not say.
#include "common/contracts/profile.h"
#include "common/contracts/sandbox.h"
#include "common/wire/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const auto value = wire::parse_json({reinterpret_cast<const char*>(data), size});
  if (!value) return 0;
  const auto spec = wire::decode<contracts::SandboxSpec>(*value);
  if (!spec) {
    if (spec.error().causes.empty()) panic("a refusal without a cause");
    return 0;
  }
  const contracts::SandboxSpec whole = contracts::with_session_defaults(*spec);
  const wire::Value encoded = wire::encode(whole);
  const auto again = wire::decode<contracts::SandboxSpec>(encoded);
  if (!again || !(wire::encode(*again) == encoded)) panic("a spec is not read as it was written");
  if (!(wire::encode(contracts::with_session_defaults(*again)) == encoded))
    panic("defaults change what was said");
  const auto policy =
      contracts::session_policy(whole.security, contracts::builtin_profiles().at("session").policy);
  if (policy.allow_partial || !policy.devices.empty()) panic("more than a session may have");
  if (policy.network->enabled != spec->security.network.enabled) panic("another network");
  if (policy.host_mounts.size() != spec->security.host_mounts.size()) panic("other mounts");
  if (policy.tools.empty()) panic("all programs of the system");
  if (!policy.limits.wall_time || !policy.limits.memory || !policy.limits.fs_bytes)
    panic("a command without a limit");
  return 0;
}
