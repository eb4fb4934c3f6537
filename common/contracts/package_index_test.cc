#include "common/contracts/package_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::contracts {
namespace {

using testing::HasSubstr;

TEST(PackageIndex, AHostNameWithPortAndPathPasses) {
  const auto index = parse_package_index("https://Packages.example.org/simple");
  ASSERT_TRUE(index.ok()) << index.error().describe();
  EXPECT_EQ(index->domain(), "packages.example.org:443");
  EXPECT_TRUE(index->tls);
  const auto plain = parse_package_index("http://mirror.test:8081");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->domain(), "mirror.test:8081");
  EXPECT_FALSE(plain->tls);
}

TEST(PackageIndex, ThePublicOnesBringTheHostOfTheirFiles) {
  const auto pypi = parse_package_index("https://pypi.org/simple");
  ASSERT_TRUE(pypi.ok());
  EXPECT_THAT(pypi->domains(), testing::ElementsAre("pypi.org:443", "files.pythonhosted.org:443"));
  const auto mirror = parse_package_index("https://pypi.org.example.org/simple");
  ASSERT_TRUE(mirror.ok());
  EXPECT_THAT(mirror->domains(), testing::ElementsAre("pypi.org.example.org:443"));
}

TEST(PackageIndex, ARefusalDoesNotRepeatCredentials) {
  const auto index = parse_package_index("https://user:word@x.test/");
  ASSERT_FALSE(index.ok());
  EXPECT_THAT(index.error().describe(), testing::Not(HasSubstr("word")));
}

TEST(PackageIndex, EverythingElseIsRefusedWithItsFault) {
  const struct {
    const char* url;
    const char* says;
  } kCases[] = {{"ftp://x.test", "starts with neither"},
                {"x.test/simple", "starts with neither"},
                {"https://user:word@x.test/", "credentials"},
                {"https://127.0.0.1:8081/", "host is not a name"},
                {"https://[::1]/", "port"},
                {"https://0x7f.1/", "host is not a name"},
                {"https:///simple", "host is not a name"},
                {"https://x.test:0/", "port"},
                {"https://x.test:53/", "port"},
                {"https://x.test:99999/", "port"},
                {"https://x.test:/", "port"},
                {"https://x.test/?a=b", "path"},
                {"https://x.test/ --extra-index-url", "path"},
                {"https://x.test/\nx", "path"},
                {"https://*.x.test/", "host is not a name"}};
  for (const auto& each : kCases) {
    const auto index = parse_package_index(each.url);
    ASSERT_FALSE(index.ok()) << each.url;
    EXPECT_EQ(index.error().reason, "PACKAGE_INDEX_INVALID");
    EXPECT_THAT(index.error().message, HasSubstr(each.says)) << each.url;
  }
}

}  // namespace
}  // namespace paddock::contracts
