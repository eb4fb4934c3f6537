#include "node-agent/sessions/service.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "common/base/log.h"
#include "common/base/system_failure.h"
#include "common/base/text.h"
#include "common/contracts/ceilings.h"
#include "common/contracts/disk_end.h"
#include "common/contracts/node.h"
#include "common/contracts/sandbox_refusal.h"
#include "common/os/file.h"
#include "common/wire/json.h"
#include "node-agent/sessions/session_record.h"

namespace paddock::sessions {
namespace {

constexpr const char* kOrderFile = "session.json";
constexpr size_t kMostOrderBytes = size_t{4} << 20;
constexpr int kAskedBefore = 2;  // answers that may be of before it was opened: one of each lane
constexpr Millis kEndTime{5'000};
constexpr Millis kReadAgain{5'000};

Error no_session() {
  return {Code::kNotFound, contracts::kSessionLost, "the node has no such session"};
}

Error unread_now() {
  return {Code::kUnavailable, contracts::kDiskFails,
          "the node cannot read the session's record for now, as its log says; the session's files "
          "stay, and it goes on once they can be read"};
}

Error ended_for_disk(const std::string& why) {
  return {Code::kNotFound, contracts::kDiskRequestExceeded, why};
}

// It becomes the name of a folder.
bool is_uid(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

// Whether the policy names something of which only this host can tell whether it exists.
bool names_the_hosts_own(const contracts::SandboxPolicy& policy) {
  static const auto kUsual = contracts::session_programs(contracts::default_session_tools());
  return policy.tools != kUsual || !policy.host_mounts.empty();
}

int64_t bytes_of(const std::optional<wire::Quantity>& limit) { return limit ? limit->bytes : 0; }

}  // namespace

Service::Service(Setting setting, Dependencies dependencies)
    : setting_(std::move(setting)),
      dependencies_(std::move(dependencies)),
      prelaunched_(dependencies_.deferred_teardown, dependencies_.clock) {}

Service::~Service() = default;

std::string Service::folder_of(const std::string& uid) const {
  return os::join_path(setting_.folder, uid);
}

Result<Service::Shared> Service::make(const contracts::SessionOrder& order) const {
  auto out = std::make_shared<Session>();
  out->uid = order.uid;
  out->folder = folder_of(order.uid);
  if (!out->ending.valid()) return system_error("making a session's event", errno);
  contracts::LaunchRequest& base = out->base;
  // By its path: each name that is tried on the way there would be judged. What is to be run comes
  // with each command.
  base.command = {cat("/bin/", contracts::kSessionShell), "-c", "--"};
  base.workdir = order.workdir;
  base.env = order.environment;
  base.policy = order.policy;
  base.policy.limits.command_bytes.reset();  // of the text, which the controller looked at
  base.uid = setting_.uid;
  base.network = setting_.network;
  base.cancel_grace_ms = base.limit_grace_ms = order.grace_ms;
  base.whole_workspace = true;
  base.brief_result = true;
  base.inline_output_bytes = std::max(bytes_of(order.policy.limits.stdout_bytes),
                                      bytes_of(order.policy.limits.stderr_bytes));
  base.mounts.push_back({.host_path = out->workspace(),
                         .sandbox_path = std::string(contracts::kSandboxWorkspace),
                         .mode = contracts::MountMode::kReadWrite});
  return out;
}

Result<Service::Shared> Service::load(const std::string& uid) const {
  if (!is_uid(uid)) return invalid_argument("BAD_NAME", "no session has such a name");
  const std::string order_file = os::join_path(folder_of(uid), kOrderFile);
  ASSIGN_OR_RETURN(const bool made, os::is_there(order_file));
  if (!made) return invalid_argument("BAD_NAME", "no session was made there");
  ASSIGN_OR_RETURN(const std::string text, os::read_file(order_file, kMostOrderBytes));
  ASSIGN_OR_RETURN(const wire::Value document, wire::parse_json(text));
  ASSIGN_OR_RETURN(const auto order, wire::decode<contracts::SessionOrder>(document));
  if (order.uid != uid) return invalid_argument("BAD_NAME", "the folder is another session's");
  ASSIGN_OR_RETURN(Shared session, make(order));
  ASSIGN_OR_RETURN(const bool ended, os::is_there(session->end_file()));
  if (ended) {
    auto why = os::read_file(session->end_file());
    session->why_ended =
        why.ok() && !why->empty() ? std::move(*why) : "the disk of its node came to its end";
    session->end();
  }
  return session;
}

Status Service::recover() {
  TRY(os::make_dirs(setting_.folder));
  ASSIGN_OR_RETURN(const auto names, os::list_dir(setting_.folder));
  for (const std::string& name : names) {
    if (!take_over(name)) state_.with([&](State& state) { state.unread.insert(name); });
  }
  return {};
}

// False: it cannot be read for now. Its files are its owner's, and whatever fails may be mended.
bool Service::take_over(const std::string& name) {
  auto session = load(name);
  if (session.ok()) {
    (*session)->listed = true;  // if the controller does not name it, it is no session any more
    state_.with([&](State& state) { state.sessions[name] = std::move(*session); });
    return true;
  }
  const std::string why = session.error().describe();
  if (is_system_failure(session.error())) {
    const bool known = state_.with([&](const State& state) { return state.unread.contains(name); });
    if (!known)
      log_error("a session cannot be read for now; its files stay, and its calls are refused",
                {{"name", name}, {"error", why}});
    return false;
  }
  log_warn("removing what cannot be read as a session", {{"name", name}, {"error", why}});
  if (const Status gone = os::remove_tree(os::join_path(setting_.folder, name)); !gone.ok())
    log_warn("what was no session could not be removed; remove it by hand",
             {{"name", name}, {"error", gone.error().describe()}});
  return true;
}

// Whether there are still some.
bool Service::take_over_unread() {
  const auto names = state_.with([](const State& state) { return state.unread; });
  bool some = false;
  for (const std::string& name : names) {
    if (!take_over(name)) {
      some = true;
      continue;
    }
    log_info("a session can be read again", {{"name", name}});
    state_.with([&](State& state) { state.unread.erase(name); });
  }
  return some;
}

Status Service::open(const contracts::SessionOrder& order) {
  if (!is_uid(order.uid)) return invalid_argument("BAD_NAME", "no session has such a name");
  if (auto known = find(order.uid); known.ok()) {
    return {};
  } else if (known.error().reason != contracts::kSessionLost) {
    return std::move(known).error();
  }
  TRY(contracts::check_node_bounds(order.policy, setting_.bounds));
  if (static_cast<int64_t>(count()) >= setting_.config.max_sessions)
    return Error{Code::kResourceExhausted, "TOO_MANY_SESSIONS", "the node has no room for it now"};
  ASSIGN_OR_RETURN(Shared session, make(order));
  TRY(os::make_dirs(session->workspace(), 0755));
  if (setting_.uid) {
    const auto uid = static_cast<uid_t>(*setting_.uid);
    if (::chown(session->workspace().c_str(), uid, uid) != 0)
      return system_error("giving the workspace to the session", errno);
  }
  TRY(os::write_file_atomic(os::join_path(session->folder, kOrderFile), wire::encode_json(order)));
  state_.with([&](State& state) { state.sessions.try_emplace(order.uid, session); });
  return names_the_hosts_own(order.policy) ? try_out(*session) : Status();
}

// Tries a command when a session is made. If the session asks for a tool or folder that is not
// here, no command could ever run in it, so its maker is told. Any other failure now may be over by
// the first command.
Status Service::try_out(const Session& session) {
  const auto tried = run({session.uid, ":"}, session.ending.fd(), {});
  if (!tried.ok()) return {};
  auto refused = contracts::refusal_of(*tried);
  if (!refused) return {};
  if (const Status closed = close(session.uid); !closed.ok())
    log_warn("a refused session could not be closed", {{"error", closed.error().describe()}});
  return std::move(*refused);
}

Result<Service::Shared> Service::find(const std::string& uid) const {
  return state_.with([&](const State& state) { return find(state, uid); });
}

Result<Service::Shared> Service::find(const State& state, const std::string& uid) {
  const auto found = state.sessions.find(uid);
  if (found == state.sessions.end() && state.unread.contains(uid)) return unread_now();
  if (found == state.sessions.end()) return no_session();
  if (!found->second->why_ended.empty()) return ended_for_disk(found->second->why_ended);
  return found->second;
}

// Nobody finds it from now on, and what runs in it ends.
void Service::end(State& state, const std::string& uid) {
  auto node = state.sessions.extract(uid);
  if (node.empty()) return;
  node.mapped()->end();
  prelaunched_.forget(uid);
  state.ended.push_back(std::move(node.mapped()));
}

Status Service::close(const std::string& uid) {
  const Shared session = state_.with([&](State& state) {
    const auto found = state.sessions.find(uid);
    Shared out = found == state.sessions.end() ? Shared() : found->second;
    end(state, uid);
    return out;
  });
  if (!session) return no_session();
  state_.wait_for(
      unused_, kEndTime, [&](State&) { return session->uses == 0; }, [](State&, bool) {});
  if (!remove_unused(session)) dependencies_.wake(kAtOnce);
  return {};
}

// False: somebody still works in it, or the disk does not let it go.
bool Service::remove_unused(const Shared& session) {
  if (state_.with([&](State&) { return session->uses > 0; })) return false;
  if (const Status gone = os::remove_tree(session->folder); !gone.ok()) {
    log_warn("a session's files could not be removed", {{"error", gone.error().describe()}});
    return false;
  }
  state_.with([&](State& state) { std::erase(state.ended, session); });
  return true;
}

Millis Service::clean_up() {
  std::vector<Shared> ended;
  std::vector<Shared> full;  // of files, and nobody's any more
  state_.with([&](const State& state) {
    ended = state.ended;
    for (const auto& [uid, session] : state.sessions) {
      if (!session->why_ended.empty() && !session->emptied && session->uses == 0)
        full.push_back(session);
    }
  });
  for (const Shared& session : ended) remove_unused(session);
  for (const Shared& session : full) empty(session);
  const Millis next =
      prelaunched_.maintain([this](const std::string& uid) -> Result<launch::AttachedLaunch> {
        ASSIGN_OR_RETURN(const Shared session, find(uid));
        return order_next(*session, false);
      });
  return take_over_unread() ? std::min(next, kReadAgain) : next;
}

void Service::keep(const std::vector<std::string>& uids) {
  const std::set<std::string_view> named(uids.begin(), uids.end());
  const bool some = state_.with([&](State& state) {
    std::vector<std::string> gone;
    for (const auto& [uid, session] : state.sessions) {
      if (named.contains(uid)) {
        session->listed = true;
      } else if (session->listed || ++session->unnamed > kAskedBefore) {
        gone.push_back(uid);
      }
    }
    for (const std::string& uid : gone) end(state, uid);
    return !state.ended.empty();
  });
  if (some) dependencies_.wake(kAtOnce);
}

size_t Service::count() const {
  return state_.with(
      [](const State& state) { return state.sessions.size() + state.unread.size(); });
}

}  // namespace paddock::sessions
