#include "node-agent/executor/launch_server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include <utility>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/packet_socket.h"

namespace paddock::executor {
namespace {

constexpr Millis kRestartAfter{10'000};  // one that cannot live is not started for every run

// The process with this pid, if it still is the launcher that answered: that one holds the run's
// lock as long as it lives.
LauncherProcess identify_launcher(pid_t pid, const std::string& lock) {
  const auto identity = os::identify(pid);
  if (identity && os::LockFile::held(lock)) return {identity, false};
  return {os::ProcessIdentity{.pid = pid, .start_ticks = 0, .boot_id = {}}, false};  // gone already
}

// The order was given up, so this one will never run it: it stands still, and holds the run's lock.
void end_stopped(const std::string& lock) {
  const auto holder = find_lock_holder(lock);
  if (!holder) return;
  (void)os::signal_process(*holder, SIGKILL);
  reap_launcher({holder, false});
}

void end_server(const std::optional<os::ProcessIdentity>& server) {
  if (!server) return;
  (void)os::signal_process(*server, SIGTERM);
  reap_launcher({server, true});
}

}  // namespace

LaunchServer::LaunchServer(std::string program, std::string folder, const Clock& clock,
                           std::vector<std::string> options, int patience_ms)
    : program_(std::move(program)),
      folder_(std::move(folder)),
      options_(std::move(options)),
      patience_ms_(patience_ms),
      clock_(clock) {}

LaunchServer::~LaunchServer() {
  end_server(state_.with([](State& state) { return std::exchange(state.server, std::nullopt); }));
}

std::string LaunchServer::file(std::string_view name) const {
  return os::join_path(folder_, std::string(name));
}

// Without packet sockets nobody could be asked: each run starts a launcher of its own.
void LaunchServer::start() {
  if (!os::kPacketSockets) return;
  end_leftover(file("lock"));  // another version of it, perhaps
  start_again();
}

void LaunchServer::start_again() {
  std::optional<os::ProcessIdentity> old;
  const bool due = state_.with([&](State& state) {
    const MonoTime now = clock_.mono();
    if (state.started && now - *state.started < kRestartAfter) return false;
    state.started = now;
    old = std::exchange(state.server, std::nullopt);
    return true;
  });
  if (due) put_in_place_of(old);
}

void LaunchServer::replace() {
  if (!os::kPacketSockets) return;
  put_in_place_of(state_.with([&](State& state) {
    state.started = clock_.mono();
    return std::exchange(state.server, std::nullopt);
  }));
}

void LaunchServer::put_in_place_of(const std::optional<os::ProcessIdentity>& old) {
  end_server(old);
  auto server = spawn_server();
  if (!server) {
    log_warn("no serving launcher; each run starts its own",
             {{"error", server.error().describe()}});
    return;
  }
  state_.with([&](State& state) { state.server = std::move(*server); });
}

Result<os::ProcessIdentity> LaunchServer::spawn_server() const {
  const os::Fd log(
      ::open(file("log").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
  if (!log.valid()) return system_error("opening the launcher's log", errno);
  os::SpawnOptions options;
  options.argv = {program_, "serve", "--socket", file("socket"), "--lock", file("lock")};
  options.argv.insert(options.argv.end(), options_.begin(), options_.end());
  options.env = launcher_environment();
  options.stdout_fd = log.get();
  options.stderr_fd = log.get();
  options.new_session = true;
  ASSIGN_OR_RETURN(const pid_t pid, os::spawn(options));
  const auto identity = os::identify(pid);
  if (identity) return *identity;
  return os::ProcessIdentity{.pid = pid, .start_ticks = 0, .boot_id = {}};  // gone already
}

std::optional<LauncherProcess> LaunchServer::launch(const LaunchFiles& files, int request) {
  if (!os::kPacketSockets) return std::nullopt;
  const os::Fd events(
      ::open(files.events.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  os::Fd lock(::open(files.events.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!events.valid() || !lock.valid()) return std::nullopt;
  auto launched =
      launch::order_launch(file("socket"), {request, events.get(), lock.get()}, patience_ms_);
  lock.reset();  // from here on the launcher alone holds it
  if (launched) return identify_launcher(launched->launcher, files.events);
  const Error& error = launched.error();
  if (launch::may_have_started(error)) {
    log_warn("an order was answered unclearly; it is not given again",
             {{"error", error.describe()}});
    return LauncherProcess{find_lock_holder(files.events), false};
  }
  log_info("a run starts a launcher of its own", {{"why", error.describe()}});
  if (error.reason == "NOT_LISTENING") start_again();
  if (error.reason == "NO_ANSWER") end_stopped(files.events);
  return std::nullopt;
}

Result<LauncherProcess> start_launch(LaunchServer* server, const std::string& program,
                                     const LaunchFiles& files,
                                     const contracts::LaunchRequest& request) {
  ASSIGN_OR_RETURN(const os::Fd order, launch::request_file(request));
  if (server != nullptr) {
    if (auto served = server->launch(files, order.get())) return std::move(*served);
  }
  return start_launcher(program, files, order.get());
}

}  // namespace paddock::executor
