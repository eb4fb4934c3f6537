// Any text as the launcher's request: refused, or planned for every kind of host without leaving a
// wall out. What the command reads of its policy names no path of the host.
#include "common/base/text.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/plan/plan.h"

namespace {

using namespace paddock;
using sandbox::MountEntry;

sandbox::HostFacts host(bool privileged, sandbox::CgroupFacts::Version version) {
  sandbox::HostFacts out;
  out.privileged = privileged;
  out.uid = out.gid = privileged ? 0 : 1234;
  out.kernel_major = 6;
  out.landlock = privileged ? 7 : 0;
  out.cgroup.version = version;
  if (version != sandbox::CgroupFacts::Version::kNone)
    out.cgroup.memory = out.cgroup.pids = out.cgroup.cpu = out.cgroup.bandwidth = "/cg";
  out.system = {{"/usr", ""}, {"/bin", "usr/bin"}};
  return out;
}

void check(const contracts::LaunchRequest& request, const sandbox::SandboxPlan& plan) {
  for (const char* wall : {"filesystem", "network", "processes", "privileges", "syscalls"}) {
    const auto found = plan.enforced.find(wall);
    if (found == plan.enforced.end() || found->second.mechanism.empty()) panic("a wall is missing");
    if (found->second.applied) panic("applied before it is");
  }
  for (const MountEntry& entry : plan.mounts) {
    if (entry.kind == MountEntry::Kind::kBind && !sandbox::may_be_target(entry.target))
      panic("a mount over the system");
    if (entry.kind == MountEntry::Kind::kSystem && entry.writable) panic("a writable system");
    if (entry.target != contracts::kSandboxPolicyFile) continue;
    for (const auto& mount : request.policy.host_mounts) {
      if (mount.host_path.size() > 60 && entry.source.find(mount.host_path) != std::string::npos)
        panic("the policy inside names a path of the host");
    }
  }
  (void)sandbox::describe_mounts(plan.mounts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using Version = sandbox::CgroupFacts::Version;
  const auto value = wire::parse_json({reinterpret_cast<const char*>(data), size});
  if (!value.ok()) return 0;
  const auto request = wire::decode<contracts::LaunchRequest>(*value);
  if (!request.ok()) return 0;
  for (const bool privileged : {true, false}) {
    for (const Version version : {Version::kNone, Version::kV1, Version::kV2}) {
      if (const auto plan = make_plan(*request, host(privileged, version)); plan.ok())
        check(*request, *plan);
    }
  }
  return 0;
}
