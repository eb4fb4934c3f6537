// paddock-sandbox on macOS: what only this system can tell, and the launch that uses it.
// Compiled and linked for macOS in CI; never run there by us.
#include <fcntl.h>
#include <libproc.h>
#include <mach/mach_time.h>
#include <sys/proc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "common/os/file.h"
#include "common/os/process.h"
#include "node-agent/sandbox/backend/broker_mode.h"
#include "node-agent/sandbox/backend/canary_attempts.h"
#include "node-agent/sandbox/backend/launch.h"
#include "node-agent/sandbox/backend/serve.h"
#include "node-agent/sandbox/macos/backend.h"

namespace paddock::sandbox {
namespace {

uint64_t hard_limit(int resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 ? limit.rlim_max : 0;
}

SeatbeltHost this_host() {
  const char* temporary = std::getenv("TMPDIR");
  SeatbeltHost host;
  host.confine = os::join_path(os::program_dir(), "paddock-confine");
  host.runs = temporary != nullptr ? temporary : "/private/tmp";
  host.root = geteuid() == 0 || getuid() == 0;
  host.hard_open_files = hard_limit(RLIMIT_NOFILE);
  host.hard_file_size = hard_limit(RLIMIT_FSIZE);
  return host;
}

// The kernel counts in units of its own clock.
Millis from_kernel_time(uint64_t time) {
  mach_timebase_info_data_t base{};
  if (mach_timebase_info(&base) != KERN_SUCCESS || base.denom == 0) return Millis(0);
  return Millis(static_cast<int64_t>(time / base.denom * base.numer / 1'000'000));
}

GroupUse read_group(pid_t group) {
  std::vector<pid_t> pids(1024);
  while (true) {
    const int room = static_cast<int>(pids.size() * sizeof(pid_t));
    const int used = proc_listpids(PROC_PGRP_ONLY, static_cast<uint32_t>(group), pids.data(), room);
    if (used < room || pids.size() > (size_t{1} << 20)) {
      pids.resize(static_cast<size_t>(std::max(used, 0)) / sizeof(pid_t));
      break;
    }
    pids.resize(pids.size() * 2);
  }
  GroupUse out;
  for (const pid_t pid : pids) {
    proc_bsdinfo state{};
    const int size = proc_pidinfo(pid, PROC_PIDTBSDINFO, 0, &state, sizeof state);
    if (size != static_cast<int>(sizeof state) || state.pbi_status == SZOMB) continue;
    ++out.processes;
    rusage_info_v2 use{};
    if (proc_pid_rusage(pid, RUSAGE_INFO_V2, reinterpret_cast<rusage_info_t*>(&use)) != 0) continue;
    out.memory_bytes += static_cast<int64_t>(use.ri_phys_footprint);
    out.cpu += from_kernel_time(use.ri_user_time + use.ri_system_time + use.ri_child_user_time +
                                use.ri_child_system_time);
  }
  return out;
}

}  // namespace

void hold_cancel_signals() { hold_signals(); }

contracts::SandboxResult launch(const contracts::LaunchRequest& request, EventWriter& events,
                                const Clock& clock, Remains&) {
  return launch_confined(request, events, clock, this_host(), read_group);
}

contracts::SandboxProof probe(const Clock& clock) {
  contracts::LaunchRequest request;
  request.trace_id = "probe";
  request.command = {"/usr/bin/true"};
  request.workdir = "/";
  contracts::SandboxLimits& limits = request.policy.limits;
  limits.wall_time = limits.cpu_time = wire::Duration{Millis(10'000)};
  limits.memory = limits.file_size = limits.fs_bytes = wire::Quantity{int64_t{256} << 20};
  limits.pids = limits.open_files = limits.file_count = 64;
  request.policy.allow_partial = true;
  EventWriter events(os::Fd(open("/dev/null", O_WRONLY | O_CLOEXEC)), clock);
  Remains remains;
  const contracts::SandboxResult result = launch(request, events, clock, remains);
  const bool ran = result.status == contracts::SandboxStatus::kOk;
  contracts::SandboxProof out;
  out.canaries.push_back(
      {.name = "launch",
       .capability = "sandbox",
       .attempt = "run a command with every limit set",
       .expected = "OK",
       .got = ran ? "OK" : result.reason,
       .passed = ran,
       .level = ran ? contracts::EnforcementLevel::kKernel : contracts::EnforcementLevel::kNone,
       .remedy = ""});
  out.capabilities.push_back({"sandbox", ran, "seatbelt (sandbox-exec), rlimits",
                              ran ? "" : result.reason,
                              ran ? Reason() : Reason("SANDBOX_SETUP_FAILED")});
  for (const auto& [name, enforcement] : result.enforced) {
    out.capabilities.push_back({name, enforcement.applied, enforcement.mechanism,
                                ran ? enforcement.details : result.reason,
                                ran ? enforcement.reason : "SANDBOX_SETUP_FAILED"});
  }
  return out;
}

int try_canaries(std::span<char* const>) { return 2; }

void uncover_proc() {}  // there is no /proc

Status take_own_limits() { return {}; }  // nothing is counted across sandboxes

int serve(const ServeOptions&, const Clock&) {
  (void)os::write_all(STDERR_FILENO, "paddock-sandbox: serve is for Linux; use run\n");
  return 1;
}

int run_broker(const BrokerFds&, const Clock&) { return 1; }  // never started here

}  // namespace paddock::sandbox
