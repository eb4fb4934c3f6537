#include "cli/options/pytest_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

using testing::ElementsAre;

class PytestOptions : public testing::Test {
 protected:
  Result<Parsed> run(std::map<std::string, std::vector<std::string>> values) {
    return pytest_as_sandbox_run({"pytest", std::move(values)}, env_);
  }
  ManualClock clock_;
  SeededRandom random_{1};
  Env env_{{}, "/home/me/project", "/usr/bin", false, false, {}, {}, clock_, random_};
};

// proves: VLT-91
TEST_F(PytestOptions, PathsBecomeThoseInside) {
  const auto parsed = run({{"PATH", {"tests/./a_test.py::T::t", "/home/me/project/b", "-x.py"}},
                           {"timeout", {"60"}},
                           {"policy", {"-"}}});
  ASSERT_TRUE(parsed.ok());
  EXPECT_THAT(parsed->list("CMD"),
              ElementsAre("python3", "-m", "pytest", "-v", "-p", "no:cacheprovider",
                          "/workspace/tests/a_test.py::T::t", "/workspace/b", "/workspace/-x.py"));
  EXPECT_EQ(parsed->text("wall-time"), "60s");
  EXPECT_EQ(parsed->text("profile"), "test");
  EXPECT_EQ(parsed->text("policy"), "-");
}

TEST_F(PytestOptions, APathThatTheTestsWouldNotSeeIsRefused) {
  for (const char* path : {"", "..", "a/../../b", "/etc", "/home/me/project2", "../x::t"}) {
    const auto parsed = run({{"PATH", {path}}});
    ASSERT_FALSE(parsed.ok()) << path;
    EXPECT_EQ(parsed.error().reason, "INVALID_PATH");
  }
}

TEST_F(PytestOptions, AnActiveVirtualEnvironmentIsUsedReadOnly) {
  env_.vars["VIRTUAL_ENV"] = "/home/me/venv";
  const auto parsed = run({{"PATH", {"a"}}});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->text("venv"), "/home/me/venv");
}

}  // namespace
}  // namespace paddock::cli
