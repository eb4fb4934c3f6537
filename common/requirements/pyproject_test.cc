#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/requirements/requirements.h"

namespace paddock::requirements {
namespace {

using testing::HasSubstr;

Result<Requirements> check_project(const std::map<std::string, std::string>& files) {
  return check_python(
      "app/pyproject.toml",
      [&](const std::string& path) -> Result<std::string> {
        const auto found = files.find(path);
        if (found != files.end()) return found->second;
        return invalid_argument("REQUIREMENTS_MISSING", "no such file");
      },
      std::nullopt);
}

constexpr const char* kProject =
    "[project]\nname = 'x'\ndependencies = [\n  \"numpy>=1.26\",  # arrays\n"
    "  'tomli ; python_version < \"3.11\"', \"uvicorn[standard]~=0.30\" ]\n"
    "[build-system]\nrequires = ['evil @ file:///etc']\n";

TEST(Pyproject, ItsDependenciesAreTheRequirements) {
  const auto checked = check_project({{"app/pyproject.toml", kProject}});
  ASSERT_TRUE(checked.ok()) << checked.error().describe();
  EXPECT_EQ(checked->text,
            "numpy>=1.26\ntomli ; python_version < \"3.11\"\nuvicorn[standard]~=0.30\n");
  EXPECT_EQ(checked->count, 3);
  EXPECT_EQ(checked->content, kProject);
  EXPECT_EQ(check_project({{"app/pyproject.toml", "[project]\nname='x'"}})->count, 0);
}

TEST(Pyproject, UvLockGivesTheVersions) {
  const auto checked = check_project(
      {{"app/pyproject.toml", kProject},
       {"app/uv.lock",
        "version = 1\n[[package]]\nname = \"x\"\nversion = \"0.1\"\nsource = { virtual = \".\" }\n"
        "[[package]]\nname = \"numpy\"\nversion = \"1.26.4\"\n"
        "source = { registry = \"https://pypi.org/simple\" }\n"
        "resolution-markers = [\"python_full_version < '3.12'\"]\n"
        "wheels = [\n  { url = \"https://x.test/n.whl\", hash = \"sha256:aa\", size = 1 },\n]\n"}});
  ASSERT_TRUE(checked.ok()) << checked.error().describe();
  EXPECT_EQ(checked->constraints, "numpy==1.26.4 ; (python_full_version < '3.12')\n");
  EXPECT_NE(checked->content, kProject);
}

TEST(Pyproject, EverythingElseIsRefusedByItsPlace) {
  const auto fault = [](const std::string& text, const std::string& lock = "") {
    std::map<std::string, std::string> files = {{"app/pyproject.toml", text}};
    if (!lock.empty()) files["app/uv.lock"] = lock;
    const auto checked = check_project(files);
    return checked ? "" : checked.error().message;
  };
  const std::string start = "[project]\ndependencies = [";
  EXPECT_THAT(fault(start + "'a', 'x @ file:///etc/passwd', '-r /etc/passwd']"),
              testing::AllOf(HasSubstr("project.dependencies[1]: "),
                             HasSubstr("project.dependencies[2]: ")));
  for (const char* entry : {"'--index-url=https://evil.test'", "'a\\n-r /etc/passwd'", "''",
                            "\"a\\n--pre\"", "\"a\\u2028b\"", "'a==${HOME}'", "['a']"})
    EXPECT_NE(fault(start + entry + "]"), "") << entry;
  EXPECT_THAT(fault("[tool.poetry.dependencies]\na = '1'"), HasSubstr("poetry export"));
  EXPECT_THAT(fault("[project]\ndynamic = ['dependencies']"), HasSubstr("dynamic"));
  EXPECT_THAT(fault("[build-system]"), HasSubstr("[project]"));
  EXPECT_THAT(fault("[project\n"), HasSubstr("line 1"));
  EXPECT_THAT(fault(kProject, "[[package]]\nname='a'\nversion='1'\nsource={git='https://x'}"),
              HasSubstr("app/uv.lock a: "));
  EXPECT_NE(fault(kProject, "[[package]]\nname='-r'\nversion='/etc'\nsource={registry='r'}"), "");
  EXPECT_NE(fault(kProject, "package = 1"), "");
}

}  // namespace
}  // namespace paddock::requirements
