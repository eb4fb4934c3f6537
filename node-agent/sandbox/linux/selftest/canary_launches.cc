#include "node-agent/sandbox/linux/selftest/canary_launches.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <utility>

#include "common/base/text.h"
#include "common/contracts/profile.h"
#include "node-agent/sandbox/backend/launch.h"
#include "node-agent/sandbox/linux/launcher/launcher_context.h"
#include "node-agent/sandbox/linux/launcher/prepared_sandbox.h"
#include "node-agent/sandbox/linux/selftest/canary_bait.h"

namespace paddock::sandbox {
namespace {

using contracts::LaunchRequest;
using contracts::SandboxResult;
using contracts::SandboxStatus;

constexpr Millis kPatience{60'000};  // for a loaded host; an attempt never takes so long

std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t n = readlink("/proc/self/exe", path.data(), path.size());
  return n > 0 ? std::string(path.data(), static_cast<size_t>(n)) : std::string();
}

LaunchRequest make_request(std::vector<std::string> words) {
  LaunchRequest request;
  request.trace_id = "canary";
  request.command = {kCanaryFile, "canary"};
  request.command.insert(request.command.end(), words.begin(), words.end());
  request.workdir = "/";
  request.env = contracts::minimal_environment(false);
  request.policy = *contracts::profile_policy("test");
  request.policy.allow_partial = true;  // one limit that is missing must not hide the others
  auto& limits = request.policy.limits;
  limits.wall_time = wire::Duration{kPatience};
  limits.memory = wire::Quantity{CanaryLimits::kMemoryBytes};
  limits.pids = CanaryLimits::kPids;
  limits.open_files = CanaryLimits::kOpenFiles;
  limits.file_size = wire::Quantity{CanaryLimits::kFileBytes};
  limits.fs_bytes = wire::Quantity{CanaryLimits::kScratchBytes};
  limits.file_count = CanaryLimits::kScratchFiles;
  limits.stderr_bytes = wire::Quantity{CanaryLimits::kOutputBytes};
  request.policy.network = contracts::NetworkPolicy{.loopback = false};
  request.mounts = {{own_program(), kCanaryFile, contracts::MountMode::kReadOnly}};
  return request;
}

os::Fd no_reader() { return os::Fd(open("/dev/null", O_WRONLY | O_CLOEXEC)); }

SandboxResult run(const LaunchRequest& request, const Clock& clock) {
  EventWriter events(no_reader(), clock);
  Remains remains;
  return launch(request, events, clock, remains);
}

// With a descriptor of that file as the command's standard input, which can only read.
SandboxResult run_with_input(const LaunchRequest& request, const std::string& file,
                             const Clock& clock) {
  os::Fd input(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  auto launcher = make_launcher_context();
  if (!launcher.ok() || !input.valid())
    return run(request, clock);  // fails the same way, and says how
  EventWriter events(no_reader(), clock);
  return launch_with(*launcher, nullptr, {.input = std::move(input)}, request, events, clock);
}

// How a sandbox ended that was to end in one way only.
std::string ending(const SandboxResult& result) {
  if (result.status == SandboxStatus::kOk) return "nothing stopped it";
  const std::string status(wire::enum_name(result.status));
  const bool known =
      result.status != SandboxStatus::kInternalError && result.status != SandboxStatus::kFailed;
  return known ? status : cat(status, ": ", result.reason);
}

void note_failure(const SandboxResult& result, CanaryFindings& findings) {
  if (result.status != SandboxStatus::kInternalError && result.status != SandboxStatus::kFailed)
    return;
  if (findings.why_not.empty()) findings.why_not = result.reason;
}

std::string output_kept(const SandboxResult& result) {
  constexpr auto kKept = static_cast<size_t>(CanaryLimits::kOutputBytes);
  const auto kept = static_cast<size_t>(std::ranges::count(result.err, 'x'));
  const bool marked = kept < result.err.size();
  if (result.truncated.err && marked && kept == kKept) return cat("cut at ", kept);
  return cat(kept, " kept");
}

bool names_the_connection(const SandboxResult& result, const CanaryBait& bait) {
  for (const contracts::Denial& denial : result.denials) {
    if (denial.target == cat("127.0.0.1:", bait.port())) return true;
  }
  return false;
}

void try_surface(const CanaryBait& bait, const Clock& clock, CanaryFindings& findings) {
  LaunchRequest request =
      make_request({"surface", bait.host_file(), cat(bait.port()), bait.abstract_name(),
                    own_namespaces(), cat(contracts::minimal_environment(false).size())});
  request.mounts.push_back({bait.shown_folder(), kCanaryFolder, contracts::MountMode::kReadOnly});
  const SandboxResult result = run_with_input(request, bait.given_file(), clock);
  note_failure(result, findings);
  findings.enforced = result.enforced;
  take_answers(result.out, findings);
  if (result.status != SandboxStatus::kOk) return;
  findings.answers["output"] = output_kept(result);
  findings.answers["report"] =
      names_the_connection(result, bait) ? "named in the result" : "not in the result";
  if (bait.was_reached()) findings.answers["connect"] = "reached the host";
}

void try_survivors(const CanaryBait& bait, const Clock& clock, CanaryFindings& findings) {
  LaunchRequest request = make_request({"survivors", cat(kCanaryFolder, "/held")});
  request.mounts.push_back({bait.shown_folder(), kCanaryFolder, contracts::MountMode::kReadWrite});
  const SandboxResult result = run(request, clock);
  if (result.status != SandboxStatus::kOk) return note_failure(result, findings);
  findings.answers["kill"] = bait.is_held() ? "a process is left" : "nothing left";
}

void try_memory(const Clock& clock, CanaryFindings& findings) {
  const SandboxResult result = run(make_request({"memory"}), clock);
  note_failure(result, findings);
  if (result.status == SandboxStatus::kMemLimit) findings.answers["memory"] = ending(result);
  take_answers(result.out, findings);
}

void try_times(const Clock& clock, CanaryFindings& findings) {
  LaunchRequest cpu = make_request({"cpu"});
  cpu.policy.limits.cpu_time = wire::Duration{CanaryLimits::kCpu};
  const SandboxResult used = run(cpu, clock);
  findings.answers["cpu-time"] = ending(used);
  if (const auto entry = used.enforced.find("cpuTime"); entry != used.enforced.end())
    findings.enforced.insert(*entry);
  LaunchRequest wall = make_request({"wall"});
  wall.policy.limits.wall_time = wire::Duration{CanaryLimits::kWall};
  findings.answers["wall-time"] = ending(run(wall, clock));
}

void try_caller(const Clock& clock, CanaryFindings& findings) {
  auto pipe = os::make_pipe();
  if (!pipe.ok()) return;
  pipe->read.reset();
  EventWriter events(std::move(pipe->write), clock);
  Remains remains;
  findings.answers["caller-gone"] = ending(launch(make_request({"wall"}), events, clock, remains));
}

void keep_enforcement(const SandboxResult& result, const char* from, const char* to,
                      CanaryFindings& findings) {
  if (const auto entry = result.enforced.find(from); entry != result.enforced.end())
    findings.enforced.emplace(to, entry->second);
}

void try_workspace(const CanaryBait& bait, const Clock& clock, CanaryFindings& findings) {
  LaunchRequest request = make_request({"workspace", cat(kCanaryFolder, "/held")});
  request.policy.limits.file_size.reset();
  request.mounts.push_back({bait.shown_folder(), kCanaryFolder, contracts::MountMode::kReadWrite});
  const SandboxResult result = run(request, clock);
  keep_enforcement(result, "workspaceBytes", "workspaceBytes", findings);
  findings.answers["workspace-bytes"] = ending(result);
  take_answers(result.out, findings);
}

// A host that cannot narrow its view refuses such runs and is none the worse for all others.
void note_refusal(const SandboxResult& result, const char* canary, CanaryFindings& findings) {
  if (result.status == SandboxStatus::kInternalError)
    findings.answers[canary] = cat("not tried: ", result.reason);
}

// The exit code of a shell that tries to execute something: 127 if it does not exist, 126 if it may
// not be executed.
constexpr const char* kTryTools = R"sh(
answer() {
  name=$1; shift; "$@" >/dev/null 2>&1
  case $? in 126) got=EACCES;; 127) got=ENOENT;; *) got=succeeded;; esac
  printf '%s\t%s\n' $name $got
}
answer other-tool /usr/bin/env
for loader in /lib64/ld-linux*.so* /lib/ld-linux*.so* /lib/ld-musl*.so*; do
  [ -e $loader ] && answer loader $loader /bin/sh -c :
done
printf 'loader\tno loader\n'
exec $0 canary memory-file)sh";

// The launcher's path in the view. Installed among the system's programs it is there already, and a
// mount of their folder would be taken for the place of all of them: `sh` would not be where it is
// looked for.
std::string show_own_program(LaunchRequest& request) {
  const std::string program = own_program();
  request.mounts.clear();
  if (program.starts_with("/usr/")) return program;
  const size_t slash = program.rfind('/');
  request.mounts = {
      {program.substr(0, slash + 1), kCanaryPrograms, contracts::MountMode::kReadOnly}};
  return cat(kCanaryPrograms, program.substr(slash));
}

void try_tools(const Clock& clock, CanaryFindings& findings) {
  LaunchRequest request = make_request({});
  const std::string inside = show_own_program(request);
  request.command = {"sh", "-c", kTryTools, inside};
  request.policy.tools = {"sh", inside};
  const SandboxResult result = run(request, clock);
  keep_enforcement(result, "tools", "tools", findings);
  for (const char* canary : {"other-tool", "loader", "memory-file"})
    note_refusal(result, canary, findings);
  take_answers(result.out, findings);
}

void try_devices(const Clock& clock, CanaryFindings& findings) {
  LaunchRequest request = make_request({"device"});
  request.policy.devices = {"/dev/null"};
  const SandboxResult result = run(request, clock);
  keep_enforcement(result, "devices", "devices", findings);
  note_refusal(result, "other-device", findings);
  take_answers(result.out, findings);
}

void try_loopback(const CanaryBait& bait, const Clock& clock, CanaryFindings& findings) {
  LaunchRequest request = make_request({"loopback", cat(bait.port())});
  request.policy.network->loopback = true;
  const SandboxResult result = run(request, clock);
  keep_enforcement(result, "network", "loopback", findings);
  for (const char* canary : {"own-loopback", "past-loopback", "change-network"})
    note_refusal(result, canary, findings);
  take_answers(result.out, findings);
  if (bait.was_reached()) findings.answers["past-loopback"] = "reached the host";
}

// The broker gets a name server that nobody serves, so that nothing outside this host is asked.
void try_broker(const CanaryBait& bait, const Clock& clock, CanaryFindings& findings) {
  LaunchRequest request = make_request({"connect", cat(bait.port())});
  request.policy.network = contracts::NetworkPolicy{true, {"canary.invalid"}};
  request.network = contracts::NetworkSettings{.resolvers = {"127.0.0.1"}};
  const SandboxResult result = run(request, clock);
  keep_enforcement(result, "network", "allowDomains", findings);
  note_refusal(result, "past-broker", findings);
  take_answers(result.out, findings);
  if (bait.was_reached()) findings.answers["past-broker"] = "reached the host";
}

// The process that asked for a probe ends it by no longer reading. The attempt that is under way is
// then ended by a signal.
bool nobody_reads() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace

CanaryFindings run_canaries(const Clock& clock) {
  hold_cancel_signals();
  CanaryFindings findings;
  const auto bait = CanaryBait::lay();
  if (!bait.ok()) {
    findings.no_bait = bait.error();
    return findings;
  }
  try_surface(*bait, clock, findings);
  if (!findings.why_not.empty()) return findings;  // none of the others would do better
  const std::initializer_list<std::function<void()>> others = {
      [&] { try_survivors(*bait, clock, findings); },
      [&] { try_tools(clock, findings); },
      [&] { try_devices(clock, findings); },
      [&] { try_loopback(*bait, clock, findings); },
      [&] { try_broker(*bait, clock, findings); },
      [&] { try_memory(clock, findings); },
      [&] { try_times(clock, findings); },
      [&] { try_workspace(*bait, clock, findings); },
      [&] { try_caller(clock, findings); }};
  for (const auto& attempt : others) {
    if (nobody_reads()) break;
    attempt();
  }
  return findings;
}

}  // namespace paddock::sandbox
