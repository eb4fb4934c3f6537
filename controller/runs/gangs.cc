#include "controller/runs/gangs.h"

#include <algorithm>
#include <optional>

#include "common/base/text.h"
#include "controller/runs/array_transitions.h"
#include "controller/runs/gang_members.h"
#include "controller/runs/index_set.h"
#include "controller/runs/retry.h"

namespace paddock::runs {

using contracts::Run;
using contracts::RunPhase;
using What = GangMove::What;

namespace {

bool waits(const Run& member) { return member.status.phase == RunPhase::kPending; }
// Whether the member's last attempt is over and it waits for the next one.
bool waits_again(const Run& member) { return waits(member) && member.status.attempt > 0; }
bool waits_counted(const Run& member) { return waits_again(member) && member.status.retry_at; }
bool is_free(const Run& member) { return !waits(member) && !member.status.eviction; }
bool has_begun(const Run& member) {
  return member.status.started_at || member.status.phase == RunPhase::kRunning;
}

std::string attempt_text(const Run& member) {
  return cat("of member ", member.metadata.name, " ", member.status.message);
}

// Names the members, so that a reader can look them up.
std::string canceled_text(const std::string& gang, const std::string& indexes) {
  constexpr size_t kMostNamed = 3;
  const auto set = IndexSet::parse(indexes);
  if (!set.ok() || set->size() == 0) return "a member was canceled";
  std::vector<std::string> names;
  for (const int64_t index : set->first(kMostNamed))
    names.push_back(contracts::element_name(gang, index));
  if (names.size() == 1) return cat("member ", names.front(), " was canceled");
  const int64_t more = set->size() - static_cast<int64_t>(names.size());
  return cat("members ", join(names, ", "), more > 0 ? cat(" and ", more, " more") : "",
             " were canceled");
}

// Why the gang cannot go on.
std::string end_text(const Run& gang) {
  const contracts::ArrayStatus& status = *gang.status.array;
  if (const auto& first = status.first_failure)
    return cat("member ", first->run, " has failed", first->rc ? cat(", rc ", *first->rc) : "",
               first->message.empty() ? "" : cat(" (", first->message, ")"),
               ", and a gang ends as one");
  return cat(canceled_text(gang.metadata.name, status.canceled_indexes),
             ", and a gang ends as one");
}

// All attempts of members are equal: whether a further one may follow is the same for all, unless
// the one that came to nothing was counted for nobody. Then what has begun decides.
GangMove restart(const Run& again, const std::vector<Run>& live) {
  const bool counted = again.status.retry_at.has_value();
  const std::string why = attempt_text(again);
  const auto begun =
      std::ranges::find_if(live, [](const Run& each) { return is_free(each) && has_begun(each); });
  if (counted || begun == live.end()) return {What::kRestart, why, counted};
  if (may_retry(*begun, contracts::RetryCause::kStartFailed)) return {What::kRestart, why, true};
  return {What::kEnd,
          cat(why, "; member ", begun->metadata.name,
              " has begun, and spec.retry does not allow that it is tried again"),
          false};
}

template <class T>
void raise(std::optional<T>& most, const std::optional<T>& one) {
  if (one && (!most || *most < *one)) most = one;
}

// Each member needs as much disk as the one that needs most, since they have the same files.
void share_needs(std::vector<Run>& live) {
  const auto needs = [](const Run& run) {
    return run.status.disk_needed ? run.status.disk_needed->bytes : 0;
  };
  const auto most = std::ranges::max_element(live, {}, needs);
  if (most == live.end() || needs(*most) == 0) return;
  const wire::Quantity bytes{needs(*most)};
  for (Run& member : live) member.status.disk_needed = bytes;
}

// Gives all members the same counts. One member's attempt may have been counted, because it ended
// for a cause of its own, while those of the others were not; with different counts they would be
// tried again a different number of times.
void share_counts(std::vector<Run>& live) {
  if (std::ranges::none_of(live, waits_counted)) return;
  std::optional<wire::Timestamp> at;
  int64_t refusals = live.front().status.refusals;
  for (const Run& member : live) {
    raise(at, member.status.retry_at);
    refusals = std::min(refusals, member.status.refusals);
  }
  for (Run& member : live) {
    member.status.refusals = refusals;
    member.status.retry_at = at;
  }
}

void restart_all(const GangMove& move, std::vector<Run>& live, GangChanges& out, WallTime now) {
  std::optional<wire::Timestamp> at;
  int64_t refusals = 0;
  for (const Run& member : live) {
    raise(at, waits(member) ? member.status.retry_at : std::nullopt);
    if (is_free(member)) refusals = member.status.refusals + (move.counted ? 0 : 1);
  }
  for (size_t i = 0; i < live.size(); ++i) {
    Run& member = live[i];
    const bool ended = is_free(member);
    if (!ended && !waits_again(member)) continue;
    out.members[i] = restart_member(member, move.why, now);
    member.status.refusals = refusals;
    if (move.counted && member.spec.retry && !at)
      at = wire::Timestamp{now + retry_delay(*member.spec.retry, counted_attempts(member))};
    if (move.counted) member.status.retry_at = at;
  }
  share_needs(live);
}

}  // namespace

GangMove next_move(const Run& gang, const std::vector<Run>& live) {
  const ArrayStop stop = stop_of(gang);
  if (stop == ArrayStop::kMemberEnded) return {What::kEnd, end_text(gang), false};
  if (stop != ArrayStop::kNone || live.empty()) return {};
  auto again = std::ranges::find_if(live, waits_counted);
  if (again == live.end()) again = std::ranges::find_if(live, waits_again);
  const bool placed = std::ranges::none_of(live, waits);
  if (again == live.end()) return {placed ? What::kBegin : What::kNothing, {}, false};
  if (gang.status.array->succeeded > 0)
    return {What::kEnd,
            cat(attempt_text(*again),
                "; members that have succeeded are not tried again, so "
                "none is"),
            false};
  if (std::ranges::any_of(live, is_free)) return restart(*again, live);
  return {std::ranges::all_of(live, waits) ? What::kWait : What::kNothing, {}, false};
}

GangChanges make_move(const GangMove& move, Run& gang, std::vector<Run>& live, WallTime now) {
  GangChanges out{std::vector<Events>(live.size()), {}};
  switch (move.what) {
    case What::kNothing:
      break;
    case What::kBegin:
      gang.status.attempt = live.front().status.attempt;
      out.gang = start_array(gang, now);
      break;
    case What::kRestart:
      restart_all(move, live, out, now);
      break;
    case What::kWait:
      share_needs(live);
      share_counts(live);
      out.gang = gang_waits_again(gang, live.front(), now);
      break;
    case What::kEnd:
      for (size_t i = 0; i < live.size(); ++i)
        out.members[i] = waits_again(live[i]) && stop_of(gang) == ArrayStop::kNone
                             ? fail_member(live[i], move.why, now)
                             : end_member(live[i], move.why, now);
      break;
  }
  return out;
}

}  // namespace paddock::runs
