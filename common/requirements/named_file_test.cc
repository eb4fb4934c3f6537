#include "common/requirements/named_file.h"

#include <tuple>

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::requirements {
namespace {

TEST(NamedFile, IsReadByItsName) {
  for (const auto& [path, kind, read] :
       {std::tuple{"requirements.txt", FileKind::kRequirements, "requirements.txt"},
        {"a/dev.in", FileKind::kRequirements, "a/dev.in"},
        {"pyproject.toml", FileKind::kProject, "pyproject.toml"},
        {"a/uv.lock", FileKind::kProject, "a/pyproject.toml"},
        {"my-uv.lock", FileKind::kRequirements, "my-uv.lock"},
        {"package.json", FileKind::kPackageJson, "package.json"},
        {"web/package-lock.json", FileKind::kPackageJson, "web/package.json"}}) {
    const auto named = named_file(path);
    ASSERT_TRUE(named.ok()) << path;
    EXPECT_EQ(named->kind, kind) << path;
    EXPECT_EQ(named->path, read);
  }
}

TEST(NamedFile, OfALockAloneSaysWhatBelongsToIt) {
  const Error python = lacks_its_file("a/uv.lock", *named_file("a/uv.lock"));
  EXPECT_EQ(python.reason, "REQUIREMENTS_INVALID");
  EXPECT_NE(python.message.find("a/pyproject.toml"), std::string::npos) << python.message;
  const Error node = lacks_its_file("package-lock.json", *named_file("package-lock.json"));
  EXPECT_NE(node.message.find("package.json"), std::string::npos) << node.message;
}

TEST(NamedFile, OfAnotherToolSaysWhatToDoInstead) {
  for (const char* path : {"poetry.lock", "a/Pipfile", "Pipfile.lock", "pdm.lock", "pylock.toml",
                           "environment.yml", "setup.py", "yarn.lock", "pnpm-lock.yaml"}) {
    const auto named = named_file(path);
    ASSERT_FALSE(named.ok()) << path;
    EXPECT_EQ(named.error().reason, "REQUIREMENTS_INVALID");
    EXPECT_EQ(named.error().message.find(cat(path, ": ")), 0U);
    EXPECT_NE(named.error().message.find(" name"), std::string::npos) << named.error().message;
  }
}

}  // namespace
}  // namespace paddock::requirements
