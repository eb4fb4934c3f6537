#include "common/requirements/package_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::requirements {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string fault(std::string_view file) {
  const auto checked = check_package_json(file);
  return checked ? "" : checked.error().message;
}

std::string depends_on(std::string_view name, std::string_view version) {
  return cat(R"({"dependencies":{")", name, R"(":")", version, R"("}})");
}

TEST(PackageJson, OneWithoutDependenciesNeedsNothing) {
  EXPECT_EQ(check_package_json(R"({"name":"x","dependencies":{}})")->count, 0);
  EXPECT_EQ(check_package_json(R"({"name":"x","dependencies":null})")->count, 0);
  EXPECT_EQ(check_package_json("{}")->count, 0);
}

TEST(PackageJson, NamesWithRangesAndTagsPass) {
  for (const char* range : {"1", "1.2.3", "^1.2.3", "~1.2", ">=1.0.0 <2", "1.x || >=2.5.0", "*", "",
                            "1.0.0 - 2.0.0", "latest", "1.0.0-beta.1+build", "v1.2.3", "=1.0.0"}) {
    EXPECT_EQ(fault(depends_on("left-pad", range)), "") << range;
  }
  for (const char* name :
       {"onnxruntime-node", "@scope/name", "JSONStream", "lodash.merge", "7zip"}) {
    EXPECT_EQ(fault(depends_on(name, "1")), "") << name;
  }
}

// proves: ORB-68
TEST(PackageJson, NpmGetsNothingButNamesAndVersions) {
  const auto checked = check_package_json(R"({
    "name": "@evil/x", "version": "9", "scripts": {"preinstall": "touch canary", "install": "id"},
    "bin": {"ls": "./x"}, "config": {"registry": "https://evil.example"}, "main": "x.js",
    "publishConfig": {"registry": "https://evil.example"}, "bundleDependencies": ["b"],
    "dependencies": {"a": "^1", "b": " 2 ", "c": ""}, "devDependencies": {"d": "4", "a": "9"},
    "optionalDependencies": {"b": "3"}})");
  ASSERT_TRUE(checked.ok()) << checked.error().describe();
  EXPECT_EQ(checked->text,
            R"({"name":"environment","version":"0.0.0","private":true,)"
            R"("dependencies":{"a":"^1","c":"*","d":"4"},"optionalDependencies":{"b":"3"}})");
  EXPECT_EQ(checked->count, 4);
}

// proves: ORB-123
TEST(PackageJson, ReferencesThatLeaveTheRegistryAreRefusedByField) {
  for (const char* range : {"git+https://evil.example/x.git",
                            "git://evil.example/x",
                            "git@evil.example:x.git",
                            "github:evil/x",
                            "evil/x",
                            "evil/x#main",
                            "gist:0123",
                            "bitbucket:evil/x",
                            "https://evil.example/x.tgz",
                            "http://evil.example/x.tgz",
                            "file:../x",
                            "file:/etc/passwd",
                            "link:../x",
                            "workspace:*",
                            "npm:evil@1",
                            "./x",
                            "../x",
                            ".",
                            "..",
                            "/etc",
                            "~/x",
                            "x.tgz",
                            "X.TAR.GZ",
                            "x.tar",
                            "C:x",
                            "a\\\\b",
                            "1;id",
                            "$(id)",
                            "1\\n2",
                            "1\\u0000"}) {
    EXPECT_THAT(fault(depends_on("a", range)), HasSubstr("dependencies.a")) << range;
  }
}

TEST(PackageJson, NamesThatAreNoneAreRefused) {
  for (const char* name : {"", ".", "..", "../x", "/x", "a/b", "@/x", "@a/", "@a/../b", "@a/b/c",
                           "node_modules", "-g", "--registry=x", "a b", "_x", "@a", "a:b"}) {
    EXPECT_THAT(fault(depends_on(name, "1")), HasSubstr("not a package's name")) << name;
  }
}

TEST(PackageJson, WhatSaysMoreThanNamesIsRefused) {
  EXPECT_THAT(fault(R"({"workspaces":["../x"]})"), HasSubstr("workspaces"));
  EXPECT_THAT(fault(R"({"overrides":{"a":"file:x"}})"), HasSubstr("overrides"));
  EXPECT_THAT(fault(R"({"peerDependencies":{"a":"1"}})"), HasSubstr("peerDependencies"));
  EXPECT_EQ(fault(R"({"workspaces":[],"overrides":{},"peerDependencies":{}})"), "");
}

TEST(PackageJson, WhatIsNoPackageJsonIsRefused) {
  EXPECT_THAT(fault("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(fault("{"), HasSubstr("not a JSON object"));
  EXPECT_THAT(fault(R"({"dependencies":{"a":"1","a":"2"}})"), HasSubstr("not a JSON object"));
  EXPECT_THAT(fault(R"({"dependencies":"odd"})"), HasSubstr("dependencies"));
  EXPECT_THAT(fault(R"({"dependencies":{"a":{}}})"), HasSubstr("must be a string"));
  EXPECT_THAT(fault(std::string(2 << 20, ' ')), Not(""));
  std::string many = R"({"dependencies":{"a":"1")";
  for (int i = 0; i < 1'100; ++i) many += cat(R"(,"p)", i, R"(":"1")");
  EXPECT_THAT(fault(many + "}}"), HasSubstr("too many packages"));
}

}  // namespace
}  // namespace paddock::requirements
