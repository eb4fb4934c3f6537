#include "cli/commands/requirements_files.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

contracts::TreeEntry entry_at(const char* path, int64_t size = 10) {
  contracts::TreeEntry entry;
  entry.path = path;
  entry.size = size;
  return entry;
}

TEST(RequirementsFiles, AreTheNamedOneItsLocksAndWhatItMayName) {
  for (const char* path : {"a/deps.lst", "a/package-lock.json", "requirements/base.in",
                           "b/constraints.txt", "a/requirements-dev.txt"})
    EXPECT_TRUE(may_be_requirements(entry_at(path), "a/deps.lst")) << path;
  for (const char* path : {"b/package-lock.json", "a/notes.txt", "requirements/base.bin", "a/x"})
    EXPECT_FALSE(may_be_requirements(entry_at(path), "a/deps.lst")) << path;
}

TEST(RequirementsFiles, AreNoLargeOnesAndNoneOfARunWithout) {
  EXPECT_TRUE(may_be_requirements(entry_at("requirements.txt", 1 << 20), "requirements.txt"));
  EXPECT_FALSE(
      may_be_requirements(entry_at("requirements.txt", (1 << 20) + 1), "requirements.txt"));
  EXPECT_FALSE(may_be_requirements(entry_at("requirements.txt"), ""));
}

}  // namespace
}  // namespace paddock::cli
