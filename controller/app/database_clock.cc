#include "controller/app/database_clock.h"

#include <cstdlib>

#include "common/base/text.h"

namespace paddock::app {

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

}  // namespace paddock::app
