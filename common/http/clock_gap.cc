#include "common/http/clock_gap.h"

#include "common/base/http_date.h"
#include "common/base/text.h"

namespace paddock::http {

std::optional<Millis> clock_gap(std::string_view date, WallTime sent, WallTime received) {
  constexpr Millis kSecond{1000};  // a Date has whole ones
  const std::optional<WallTime> theirs = parse_http_date(date);
  if (!theirs || received < sent) return std::nullopt;
  if (*theirs > received) return *theirs - received;
  if (*theirs + kSecond < sent) return *theirs - sent;
  return Millis(0);
}

std::string clock_gap_text(Millis gap, std::string_view peer) {
  const Millis apart = gap < Millis(0) ? -gap : gap;
  if (apart <= kClockTolerance) return "";
  return cat("this host's clock is ", format_age(apart),
             gap < Millis(0) ? " ahead of that of " : " behind that of ", peer,
             "; certificates are checked and times are shown by it. On the host that is wrong: ",
             kSetClock);
}

}  // namespace paddock::http
