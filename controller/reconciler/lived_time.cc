// Judges the controller's clocks: for how long the process stood still, and whether the calendar
// has leapt. Nothing may be ended or forgotten for a time that did not pass.
#include "controller/reconciler/reconciler.h"

namespace paddock::reconciler {
namespace {

// Between two starts; by no more can a calendar have leapt that is believed at the start.
constexpr Millis kLongestRest = std::chrono::hours(24);

}  // namespace

Millis Reconciler::look(nodes::Now now) {
  const Millis away = away_.with([&](Away& known) {
    if (!known.suspension) {  // from now on somebody listens
      known.suspension.emplace(look_every() * 2, now.wall, now.mono);
      leases_.begin_anew(now.mono);
    }
    const Millis found = known.suspension->look(now.wall, now.mono);
    known.owed += found;
    known.total += found;
    if (found > Millis(0)) known.leap.note(known.owed, now.mono);
    return found;
  });
  if (away > Millis(0)) leases_.begin_anew(now.mono);
  return away;
}

// This call may be the first one after a standstill, so it looks for one itself.
MonoTime Reconciler::lived(nodes::Now now) {
  const bool begun = away_.with([](const Away& known) { return known.suspension.has_value(); });
  if (begun) (void)look(now);
  return now.mono + away_.with([](const Away& known) { return -known.total; });
}

// A laptop that was shut overnight is no leap: one that is opened for less than an hour at a time
// would never forget anything.
Result<Millis> Reconciler::look_back(nodes::Now now) {
  std::vector<contracts::AuditEvent> newest;
  const Status read = store_.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(newest, txn.audit_events({.limit = 1}));
    return {};
  });
  if (read.ok() && newest.empty()) return Millis(0);
  // A record that cannot be read tells no time, so the calendar may have leapt.
  const Millis ahead = read.ok() ? now.wall - newest.front().time.value : LeapGuard::kHold;
  const bool leapt = ahead > kLongestRest || !read.ok();
  if (leapt) away_.with([&](Away& known) { known.leap.note(ahead, now.mono); });
  if (!read.ok()) return read.error();
  return leapt ? ahead : Millis(0);
}

bool Reconciler::may_forget(nodes::Now now) {
  (void)lived(now);
  return !leapt_lately(now.mono);
}

bool Reconciler::leapt_lately(MonoTime now) const {
  return away_.with([&](const Away& known) { return known.leap.holds(now); });
}

}  // namespace paddock::reconciler
