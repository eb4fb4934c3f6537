#include "common/base/percent.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(Percent, EncodesEverythingThatIsNotUnreserved) {
  EXPECT_EQ(percent_encode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encode("a b/c?\xFF%"), "a%20b%2Fc%3F%FF%25");
  EXPECT_EQ(percent_encode_path("a?b/c#d/\xC3\xBC%"), "a%3Fb/c%23d/%C3%BC%25");
}

TEST(Percent, DecodesWhatIsWholeOnly) {
  EXPECT_EQ(percent_decode("a%20%2f%C3%bc"), "a /\xC3\xBC");
  for (const char* text : {"%", "%1", "%zz", "a%2", "%%41"})
    EXPECT_FALSE(percent_decode(text)) << text;
}

}  // namespace
}  // namespace paddock
