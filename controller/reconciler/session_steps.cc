#include <algorithm>

#include "controller/reconciler/steps.h"
#include "controller/sessions/life.h"

namespace paddock::reconciler {

Status sweep_sessions(store::WriteTxn& txn, WallTime now, TickReport& report) {
  constexpr int64_t kMostAtOnce = 200;
  constexpr Millis kNever = std::chrono::hours(1);
  constexpr Millis kAgain{5'000};  // a use that ends early brings the time nearer
  ASSIGN_OR_RETURN(const auto due, txn.sessions_due(now.ms, kMostAtOnce));
  for (const store::Key& key : due) TRY(sessions::sweep(txn, key, now));
  ASSIGN_OR_RETURN(const auto next, txn.next_session_due());
  report.next_session =
      next ? std::clamp<Millis>(Millis(*next - now.ms), Millis(0), kAgain) : kNever;
  return {};
}

}  // namespace paddock::reconciler
