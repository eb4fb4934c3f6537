#include "controller/standby/database_clock.h"

#include <cstdlib>
#include <utility>

#include "common/base/log.h"
#include "common/base/text.h"

namespace paddock::standby {

namespace {

constexpr Millis kMostGap{60'000};
constexpr Millis kLongestLook{10'000};

}  // namespace

std::optional<Millis> database_ahead(WallTime database, WallTime before, WallTime after) {
  if (database == WallTime{} || after < before || after - before > kLongestLook)
    return std::nullopt;
  return database - (before + (after - before) / 2);
}

bool is_wrong(Millis ahead) { return ahead > kMostGap || ahead < -kMostGap; }

std::string clock_words(Millis ahead) {
  return cat("the database's clock is ", format_duration(Millis(std::abs(ahead.count()))),
             ahead < Millis(0) ? " behind" : " ahead of", " this host's");
}

void ClockWatch::look(WallTime database, WallTime before, WallTime after) {
  const auto ahead = database_ahead(database, before, after);
  if (!ahead) return;
  const bool wrong = is_wrong(*ahead);
  if (std::exchange(wrong_, wrong) == wrong) return;
  if (wrong)
    log_warn("the clock of this host or of the database's is wrong",
             {{"reason", Reason("CLOCK_WRONG")},
              {"details", clock_words(*ahead)},
              {"remedy", std::string(Reason("CLOCK_WRONG").remedy())}});
  if (!wrong) log_info("the clock is right again", {{"details", clock_words(*ahead)}});
}

}  // namespace paddock::standby
