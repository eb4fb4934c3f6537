#include "common/base/units.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock {
namespace {

int64_t millis_of(std::string_view text) {
  const auto parsed = parse_duration(text);
  return parsed.ok() ? parsed->count() : -1;
}
int64_t bytes_of(std::string_view text) {
  const auto parsed = parse_quantity(text);
  return parsed.ok() ? *parsed : -1;
}

TEST(Duration, ReadsUnitsInOrderEachOnce) {
  EXPECT_EQ(millis_of("30m"), 1'800'000);
  EXPECT_EQ(millis_of("1h30m"), 5'400'000);
  EXPECT_EQ(millis_of("250ms"), 250);
  EXPECT_EQ(millis_of("1h2m3s4ms"), 3'723'004);
  EXPECT_EQ(millis_of("90s"), 90'000);
}

TEST(Duration, RefusesWhatIsNoDurationAndSaysWhatWouldPass) {
  for (const char* text :
       {"", "0s", "-1s", "+1s", "1", "m", "1 h", "1.5h", "30m1h", "1s1s", "1d", "5M", "1h ",
        "99999999999999999999s", "9223372036854775807h", "9223372036854775807ms1ms"}) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().reason, "DURATION_INVALID");
    EXPECT_NE(parsed.error().message.find("30m"), std::string::npos);
  }
}

TEST(Duration, SaysTheRangeOfWhatIsADurationButTooLongOrNone) {
  for (const char* text : {"0s", "0h0m", "999999999999999h", "99999999999999999999s",
                           "9223372036854775807h", "9223372036854775807ms", "1000000000h1ms"}) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().reason, "DURATION_INVALID");
    EXPECT_NE(parsed.error().message.find("from 1ms to 1000000000h"), std::string::npos);
  }
  EXPECT_EQ(millis_of("1000000000h"), 3'600'000'000'000'000);
  EXPECT_EQ(parse_duration("").error().reason, "DURATION_INVALID");
  EXPECT_EQ(parse_duration("99999999999999999999x").error().reason, "DURATION_INVALID");
}

TEST(Duration, IsWrittenAsItIsRead) {
  for (const char* text : {"1ms", "1s", "1m", "1h", "1h30m", "1m30s", "2s500ms", "100h"}) {
    EXPECT_EQ(format_duration(Millis(millis_of(text))), text);
  }
  EXPECT_EQ(format_duration(Millis(0)), "0s");
  EXPECT_EQ(format_duration(Millis(-5)), "0s");
  EXPECT_EQ(format_duration(Millis(90'000)), "1m30s");
}

TEST(Quantity, ReadsBothKindsOfUnits) {
  EXPECT_EQ(bytes_of("0"), 0);
  EXPECT_EQ(bytes_of("1000"), 1000);
  EXPECT_EQ(bytes_of("64Ki"), 65536);
  EXPECT_EQ(bytes_of("512Mi"), 536'870'912);
  EXPECT_EQ(bytes_of("8Gi"), 8'589'934'592);
  EXPECT_EQ(bytes_of("1Ti"), int64_t{1} << 40);
  EXPECT_EQ(bytes_of("3k"), 3000);
  EXPECT_EQ(bytes_of("2T"), 2'000'000'000'000);
}

TEST(Quantity, RefusesFractionsSignsOtherUnitsAndOverflow) {
  for (const char* text : {"", "-1", "+1", "1.5Gi", "8gi", "8GB", "8 Gi", "Gi",
                           "9223372036854775808", "8388608Ti", "1e3", "0x10"}) {
    const auto parsed = parse_quantity(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().reason, "QUANTITY_INVALID");
  }
}

TEST(Quantity, IsWrittenWithTheLargestUnitThatDivides) {
  EXPECT_EQ(format_quantity(8'589'934'592), "8Gi");
  EXPECT_EQ(format_quantity(1536 << 20), "1536Mi");
  EXPECT_EQ(format_quantity(1000), "1000");
  EXPECT_EQ(format_quantity(0), "0");
  for (const int64_t bytes : {1, 1023, 1024, 1025, 1 << 30})
    EXPECT_EQ(bytes_of(format_quantity(bytes)), bytes);
}

TEST(Bytes, AreShownForPeopleWithOneDecimal) {
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(7'549'747), "7.2 MiB");
}

}  // namespace
}  // namespace paddock
