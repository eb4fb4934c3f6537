#include "node-agent/uplink/clock_watch.h"

#include "common/base/log.h"
#include "common/http/clock_gap.h"

namespace paddock::agent {

ClockNews clock_news(bool apart, Millis gap) {
  const Millis size = gap < Millis(0) ? -gap : gap;
  if (!apart && size > http::kClockTolerance) return ClockNews::kApart;
  if (apart && size <= http::kClockTolerance / 2) return ClockNews::kTogether;
  return ClockNews::kNone;
}

void ClockWatch::look(Millis gap) {
  const ClockNews news = apart_.with([gap](bool& apart) {
    const ClockNews found = clock_news(apart, gap);
    if (found != ClockNews::kNone) apart = found == ClockNews::kApart;
    return found;
  });
  if (news == ClockNews::kApart)
    log_warn(http::clock_gap_text(gap, "the controller"), {{"reason", http::kClockWrong}});
  if (news == ClockNews::kTogether) log_info("this host's clock is the controller's again");
}

}  // namespace paddock::agent
