// The part of the service that measures what sessions take of the node's disk, and ends one that
// takes too much.
#include "common/base/log.h"
#include "node-agent/sessions/session_record.h"

namespace paddock::sessions {
namespace {

constexpr int64_t kMostNames = 1'000'000;  // beside what the session may have

}  // namespace

std::vector<Service::Written> Service::written() const {
  struct Look {
    Shared session;
    std::vector<pid_t> launchers;
    bool ending = false;
  };
  std::vector<Look> all;
  state_.with([&](const State& state) {
    for (const auto& [uid, each] : state.sessions) {
      if (each->emptied) continue;
      all.push_back(
          {each, {each->launchers.begin(), each->launchers.end()}, !each->why_ended.empty()});
    }
  });
  std::vector<Written> out;
  for (const Look& each : all) {
    const auto folder = os::open_root(each.session->folder);
    const int64_t most = each.session->base.policy.limits.file_count.value_or(0) + kMostNames;
    const MonoTime end = dependencies_.clock.mono() + os::kCountTime;
    const auto over = [&] { return dependencies_.clock.mono() >= end; };
    if (folder.ok())
      out.push_back(
          {each.session->uid,
           os::whole_use(folder->get(), each.launchers, {.most_names = most, .over = over}),
           each.ending});
  }
  return out;
}

void Service::end_for_disk(const std::string& uid, const std::string& why) {
  const Shared session = state_.with([&](State& state) {
    const auto found = state.sessions.find(uid);
    if (found == state.sessions.end() || !found->second->why_ended.empty()) return Shared();
    found->second->why_ended = why;
    return found->second;
  });
  if (!session) return;
  (void)note_end(*session, why);  // if there is room: else once its files are gone
  session->end();
  prelaunched_.forget(uid);
  dependencies_.wake(kAtOnce);
}

// A later agent is to know it too.
Status Service::note_end(const Session& session, const std::string& why) {
  if (os::exists(session.end_file())) return {};
  return os::write_file_atomic(session.end_file(), why);
}

// Its files make the room that the note of its end may need.
void Service::empty(const Shared& session) {
  Status done = os::remove_tree(session->workspace());
  const std::string why = state_.with([&](State&) { return session->why_ended; });
  if (done.ok()) done = note_end(*session, why);
  if (!done.ok())
    return log_warn("a session's files could not be removed", {{"error", done.error().describe()}});
  state_.with([&](State&) { session->emptied = true; });
}

}  // namespace paddock::sessions
