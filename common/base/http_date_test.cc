#include "common/base/http_date.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(HttpDate, IsWrittenAsTheStandardShowsIt) {
  EXPECT_EQ(format_http_date(*parse_time("1994-11-06T08:49:37Z")), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(format_http_date(WallTime{999}), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(HttpDate, IsReadBack) {
  for (const char* each : {"2024-02-29T23:59:59Z", "1970-01-01T00:00:00Z", "2099-12-31T12:00:00Z"})
    EXPECT_EQ(parse_http_date(format_http_date(*parse_time(each))), parse_time(each)) << each;
}

TEST(HttpDate, NothingElseIsOne) {
  for (const char* each :
       {"", "now", "Sun, 06 Nov 1994 08:49:37 CET", "Mon, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:3a GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT "}) {
    EXPECT_FALSE(parse_http_date(each)) << each;
  }
}

}  // namespace
}  // namespace paddock
