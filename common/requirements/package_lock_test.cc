#include "common/requirements/package_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::requirements {
namespace {

using testing::HasSubstr;
using testing::Not;

NodePackages packages() {
  return *check_package_json(R"({"dependencies":{"a":"^1.0.0"},"scripts":{"install":"id"}})");
}

Result<std::string> locked(const std::string& entry, int version = 3) {
  return check_package_lock(
      cat(R"({"name":"x","lockfileVersion":)", version,
          R"(,"packages":{"":{"name":"x","scripts":{"install":"id"}},)", entry, "}}"),
      packages());
}

TEST(PackageLock, VersionsAndIntegritiesPassAndUrlsAndScriptsDoNot) {
  const auto lock =
      locked(R"("node_modules/a":{"version":"1.2.0","resolved":"https://r.test/a/-/a-1.2.0.tgz",)"
             R"("integrity":"sha512-ab+/==","hasInstallScript":true,"dependencies":{"@s/b":"2"}},)"
             R"("node_modules/a/node_modules/@s/b":{"version":"2.0.0-rc.1","dev":true,)"
             R"("resolved":"https://r.test/@s/b/-/b-2.0.0-rc.1.tgz"})");
  ASSERT_TRUE(lock.ok()) << lock.error().describe();
  EXPECT_THAT(*lock,
              HasSubstr(R"("node_modules/a":{"version":"1.2.0","integrity":"sha512-ab+/==")"));
  EXPECT_THAT(*lock, HasSubstr(R"("node_modules/a/node_modules/@s/b")"));
  EXPECT_THAT(*lock, HasSubstr(R"("":{"name":"environment")"));
  for (const char* gone : {"https://", "cript", "\"x\""}) EXPECT_THAT(*lock, Not(HasSubstr(gone)));
}

TEST(PackageLock, WhatIsNoPackageOfARegistryIsRefusedByItsEntry) {
  const struct {
    const char* entry;
    const char* says;
  } kCases[] = {
      {R"("node_modules/a":{"resolved":"packages/a","link":true})", "links and workspaces"},
      {R"("packages/a":{"version":"1.0.0"})", "folders of the project"},
      {R"("../a":{"version":"1.0.0"})", "folders of the project"},
      {R"("node_modules/../../a":{"version":"1.0.0"})", "folders of the project"},
      {R"("node_modules/a/b":{"version":"1.0.0"})", "folders of the project"},
      {R"("node_modules/":{"version":"1.0.0"})", "folders of the project"},
      {R"("node_modules/a":{"name":"evil","version":"1.0.0"})", "aliases"},
      {R"("node_modules/a":{"version":"file:../x"})", "the version"},
      {R"("node_modules/a":{"version":"1.0.0","resolved":"git+ssh://git@h.test/a.git#1"})", "git"},
      {R"("node_modules/a":{"version":"1.0.0","resolved":"https://evil.test/a.tgz"})", "registry"},
      {R"("node_modules/a":{"version":"1.0.0","resolved":"file:a/-/a-1.0.0.tgz"})", "registry"},
      {R"("node_modules/a":{"version":"1.0.0","resolved":7})", "registry"},
      {R"("node_modules/a":{"version":"1.0.0","integrity":"md5-x"})", "integrity"},
      {R"("node_modules/a":7)", "object"}};
  for (const auto& each : kCases) {
    const auto lock = locked(each.entry);
    ASSERT_FALSE(lock.ok()) << each.entry;
    EXPECT_EQ(lock.error().reason, "REQUIREMENTS_INVALID");
    EXPECT_THAT(lock.error().message, HasSubstr(each.says)) << each.entry;
  }
}

TEST(PackageLock, OldOrDamagedOnesSayWhatToDo) {
  EXPECT_THAT(locked(R"("node_modules/a":{"version":"1.0.0"})", 1).error().message,
              HasSubstr("npm 7"));
  EXPECT_FALSE(check_package_lock("[]", packages()).ok());
  EXPECT_FALSE(check_package_lock("{", packages()).ok());
  EXPECT_FALSE(check_package_lock(R"({"lockfileVersion":3,"packages":[]})", packages()).ok());
}

}  // namespace
}  // namespace paddock::requirements
