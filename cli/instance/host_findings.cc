#include "cli/instance/host_findings.h"

#include "common/base/text.h"
#include "common/http/clock_gap.h"
#include "common/http/http_client.h"

namespace paddock::cli {
namespace {

Finding kernel(const HostFacts& facts) {
  return {"kernel", true, cat(facts.system, " ", facts.release, " ", facts.machine), ""};
}

Finding cgroups(const HostFacts& facts) {
  if (facts.cgroup_version > 0) return {"cgroup", true, cat("version ", facts.cgroup_version), ""};
  return {"cgroup", false, "none is mounted",
          "mount cgroup2 at /sys/fs/cgroup to limit memory and processes"};
}

Finding python(const HostFacts& facts) {
  if (!facts.python.empty()) return {"python3", true, facts.python, ""};
  return {"python3", false, "not found", "apt-get install python3"};
}

Finding venv(const HostFacts& facts) {
  if (facts.venv) return {"python3-venv", true, "present", ""};
  return {"python3-venv", false, "not found; runs with --requirements need it",
          "apt-get install python3-venv"};
}

Finding programs(const HostFacts& facts) {
  if (facts.missing_program.empty()) return {"programs", true, "all present", ""};
  return {"programs", false, cat(facts.missing_program, " is missing"),
          "install paddock's programs in one folder"};
}

// A finding about the clock; none if no controller answered for any other reason than the clock.
std::optional<Finding> clock(const HostFacts& facts) {
  if (facts.controller_error && facts.controller_error->reason == http::kNotValidNow)
    return Finding{"clock", false, facts.controller_error->message, http::kSetClock};
  if (!facts.clock_gap) return std::nullopt;
  const std::string apart = http::clock_gap_text(*facts.clock_gap, "the controller");
  if (apart.empty()) return Finding{"clock", true, "the controller's", ""};
  return Finding{"clock", false, cat(apart, " [", http::kClockWrong, "]"), http::kSetClock};
}

Finding disk(const DataDisk& disk) {
  const std::string files = disk.room.files ? cat(" and ", *disk.room.files, " files") : "";
  const std::string left = cat(format_bytes(disk.room.bytes), files, " are left at ", disk.folder);
  if (os::is_enough_to_start(disk.room)) return {"disk", true, left, ""};
  return {"disk", false, cat(left, " [", Reason("DISK_FULL"), "]"),
          "remove files beside that folder: df -h counts bytes, df -i files"};
}

}  // namespace

std::vector<Finding> host_findings(const HostFacts& facts) {
  std::vector<Finding> out = {kernel(facts)};
  if (facts.system == "Linux") out.push_back(cgroups(facts));  // nobody else has them
  out.push_back(python(facts));
  out.push_back(venv(facts));
  out.push_back(programs(facts));
  if (facts.agent_error)
    out.push_back({"agent", false, facts.agent_error->message,
                   "mend that file, or ask as a user who may read it"});
  for (const DataDisk& each : facts.disks) out.push_back(disk(each));
  if (auto found = clock(facts)) out.push_back(std::move(*found));
  return out;
}

}  // namespace paddock::cli
