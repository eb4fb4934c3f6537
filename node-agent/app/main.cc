// paddock-node-agent: runs what the controller assigns to this host. Exit codes: 0 stopped by
// SIGTERM or SIGINT, 1 could not start or go on, 2 usage, 3 another agent took this node's place.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/os/environment.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/packet_socket.h"
#include "common/os/process.h"
#include "common/os/signals.h"
#include "common/os/start_report.h"
#include "node-agent/app/agent.h"
#include "node-agent/app/lent_host.h"
#include "node-agent/host/host_look.h"

namespace paddock::agent {
namespace {

int fail(const os::Fd& starter, const Error& cause) {
  const Error error = contracts::name_full_disk(cause);
  os::report_start_failure(starter, error);
  (void)os::write_all(STDERR_FILENO,
                      cat("paddock-node-agent: ", error.reason, ": ", error.describe(), "\n"));
  if (error.reason == "USAGE") (void)os::write_all(STDERR_FILENO, usage());
  if (error.reason == "SESSION_SUPERSEDED") return 3;
  return error.reason == "USAGE" ? 2 : 1;
}

void fill_in(AgentConfig& config) {
  char host[256] = {};
  if (config.name.empty() && ::gethostname(host, sizeof host - 1) == 0)
    config.name = node_name_from(host);
  config.name = node_name(config.name);
  if (config.sandbox_program.empty()) {
    config.sandbox_program = os::join_path(os::program_dir(), "paddock-sandbox");
  }
  take_only_what_ends(config);
  if (!os::kPacketSockets) {  // no serving launcher, which both of these need
    config.sessions.max_sessions = 0;
    config.snippets.enabled = false;
  }
}

int start(std::span<char* const> arguments) {
  const os::Fd starter = os::take_start_report();
  for (const std::string_view word : arguments) {
    if (word == "--help" || word == "-h") return os::write_all(STDOUT_FILENO, usage()).ok() ? 0 : 1;
    if (word == "--gpus") return os::write_all(STDOUT_FILENO, gpus_as_json()).ok() ? 0 : 1;
    if (word == "--version") {
      return os::write_all(STDOUT_FILENO, cat("paddock-node-agent ", kAgentVersion, "\n")).ok() ? 0
                                                                                                : 1;
    }
  }
  os::ignore_signals_of_writes();
  ::umask(077);
  auto config = config_from_arguments(arguments, os::environment());
  if (!config) return fail(starter, config.error());
  fill_in(*config);
  set_log_level(static_cast<LogLevel>(config->log_level));
  const auto stop = os::signals_as_file({SIGTERM, SIGINT});
  if (!stop) return fail(starter, stop.error());
  const SystemClock clock;
  SystemRandom random;
  const Status ended = run_agent(*config, clock, random, stop->get());
  return ended.ok() ? 0 : fail(starter, ended.error());
}

}  // namespace
}  // namespace paddock::agent

int main(int argc, char** argv) { return paddock::agent::start({argv + 1, argv + argc}); }
