// The part of the service that works in a session: its commands, and requests about its files.
#include <poll.h>

#include <array>
#include <mutex>

#include "common/base/text.h"
#include "common/contracts/disk_end.h"
#include "node-agent/files/session_files.h"
#include "node-agent/sessions/fullness.h"
#include "node-agent/sessions/session_record.h"

namespace paddock::sessions {
namespace {

constexpr int64_t kMostUses = 16;  // of one session at once
constexpr int kServerLooks = 120;
constexpr Millis kServerLookEvery{100};

bool readable_within(const std::array<int, 2>& fds, Millis limit) {
  std::array<pollfd, 2> asked = {pollfd{fds[0], POLLIN, 0}, pollfd{fds[1], POLLIN, 0}};
  return poll(asked.data(), asked.size(), static_cast<int>(limit.count())) > 0;
}

}  // namespace

// Keeps a session's folder for as long as somebody works in it.
class Service::Use {
 public:
  static Result<Use> begin(Service& service, const std::string& uid) {
    return service.state_.with([&](State& state) -> Result<Use> {
      ASSIGN_OR_RETURN(Shared session, Service::find(state, uid));
      if (session->uses >= kMostUses)
        return Error{Code::kResourceExhausted, "TOO_MANY_COMMANDS",
                     cat("the session does ", kMostUses,
                         " things now, as many as a session does at once: wait for one to end, or "
                         "cancel a command")};
      ++session->uses;
      return Use(service, std::move(session));
    });
  }
  Use(Use&& other) noexcept = default;
  Use& operator=(Use&&) = delete;
  ~Use() {
    if (!session_) return;
    Service& service = service_.get();
    const bool to_empty = service.state_.with(
        [&](State&) { return --session_->uses == 0 && !session_->why_ended.empty(); });
    service.unused_.notify_all();
    if (to_empty) service.dependencies_.wake(kAtOnce);
  }
  Session& session() const { return *session_; }
  // As long as this object lives, the command's launcher is counted with the session.
  class Launcher {
   public:
    Launcher(const Use& use, pid_t pid) : use_(use), pid_(pid) {
      use_.service_.get().state_.with([&](State&) { use_.session_->launchers.insert(pid_); });
    }
    ~Launcher() {
      use_.service_.get().state_.with(
          [&](State&) { use_.session_->launchers.erase(use_.session_->launchers.find(pid_)); });
    }
    Launcher(const Launcher&) = delete;
    Launcher& operator=(const Launcher&) = delete;

   private:
    const Use& use_;
    pid_t pid_;
  };

 private:
  Use(Service& service, Shared session) : service_(service), session_(std::move(session)) {}
  std::reference_wrapper<Service> service_;
  Shared session_;
};

// Whether its files are over its limits, so that its next command may add none. They are counted
// only if that is in doubt: it takes a while, and most commands end within their limits. Who comes
// while another one counts waits: until then the doubt is not gone, only taken up.
Result<bool> Service::is_overfull(Session& session) {
  const std::scoped_lock alone(session.counting);
  if (!session.doubted.exchange(false)) return false;
  auto full = fullness_of(session.workspace(), session.base.policy.limits);
  const bool within = full.ok() && *full == Fullness::kWithin;
  if (!within) session.doubted = true;
  if (!full.ok()) return std::move(full).error();
  return !within;
}

Result<launch::AttachedLaunch> Service::order_next(Session& session, bool overfull) const {
  contracts::LaunchRequest request = session.base;
  request.overfull_workspace = overfull;
  request.trace_id = cat(session.uid, "-", ++session.commands);
  return order_command(dependencies_.socket, request);
}

Result<launch::AttachedLaunch> Service::begin(Session& session,
                                              const contracts::CommandOrder& order, bool overfull) {
  const auto begins = [&](launch::AttachedLaunch& launch) {
    return launch.begin(session.wall_time(), order.command, order.stream).ok();
  };
  auto ready = prelaunched_.take(session.uid);
  if (ready && !overfull && begins(*ready)) return std::move(*ready);
  ASSIGN_OR_RETURN(auto made, order_next(session, overfull));
  (void)begins(made);  // one that has ended already says why
  return made;
}

Result<contracts::SandboxResult> Service::run(
    const contracts::CommandOrder& order, int stop,
    const std::function<void(contracts::FrameType, std::string_view)>& on_output,
    const std::function<bool()>& takes_output) {
  ASSIGN_OR_RETURN(const Use use, Use::begin(*this, order.uid));
  Session& session = use.session();
  ASSIGN_OR_RETURN(const bool overfull, is_overfull(session));
  const std::array<int, 2> stops = {stop, session.ending.fd()};
  const Millis grace(session.base.limit_grace_ms);
  // A server that nobody used for long has left: another one is there soon.
  for (int attempt = 0;; ++attempt) {
    auto head = dependencies_.deferred_teardown.begin();
    auto command = begin(session, order, overfull);
    if (command.ok()) {
      if (const Millis rest = dependencies_.deferred_teardown.rest(); rest > Millis(0))
        dependencies_.wake(rest);
      const Use::Launcher counted(use, command->launcher());
      auto result = follow(*command,
                           {.wall_time = session.wall_time(),
                            .grace = grace,
                            .stop = stop,
                            .kill = session.ending.fd(),
                            .on_output = on_output,
                            .takes_output = takes_output},
                           dependencies_.clock);
      if (!result.ok() || !ended_within(*result)) session.doubted = true;
      if (!result.ok()) return result;
      const auto living = find(session.uid);
      if (living.ok()) prelaunched_.want(session.uid);
      (void)head.keep(std::move(*command));
      dependencies_.wake(launch::DeferredTeardown::kAnswerSent);
      if (!living.ok() && living.error().reason == contracts::kDiskRequestExceeded)
        return living.error();
      return result;
    }
    if (command.error().reason != "NOT_LISTENING" || attempt == kServerLooks)
      return command.error();
    dependencies_.no_server();
    if (readable_within(stops, kServerLookEvery))
      return Error{Code::kFailedPrecondition, "CALL_CANCELED", "it was canceled before it began"};
  }
}

Result<contracts::FileAnswer> Service::file(const contracts::FileOrder& order) {
  ASSIGN_OR_RETURN(const Use use, Use::begin(*this, order.uid));
  Session& session = use.session();
  const contracts::SandboxLimits& limits = session.base.policy.limits;
  files::FileRules rules;
  rules.workspace = session.workspace();
  rules.uid = setting_.uid;
  if (limits.fs_bytes) rules.most_bytes = limits.fs_bytes->bytes;
  rules.most_files = limits.file_count;
  if (order.operation != contracts::FileOperation::kWrite) return files::do_with_file(rules, order);
  const auto turn = turns_.take(order.uid);
  auto written = files::do_with_file(rules, order);
  // A command beside it may have written meanwhile, and have been counted before this was there.
  if (state_.with([&](State&) { return session.uses > 1; })) session.doubted = true;
  return written;
}

}  // namespace paddock::sessions
