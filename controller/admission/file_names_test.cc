#include "controller/admission/file_names.h"

#include <gtest/gtest.h>

namespace paddock::admission {
namespace {

contracts::Tree project() {
  const std::string digest(64, 'a');
  return {{{"runs/3/train.py", digest, 1, false}},
          {{"latest", "runs/3"}, {"run.py", "latest/train.py"}, {"x", "y"}, {"y", "x"}},
          {{"out"}}};
}

TEST(FilesOfATree, AreFoundThroughItsLinks) {
  const FileNames names(project());
  for (const char* path : {"runs/3/train.py", "latest/train.py", "run.py"})
    EXPECT_TRUE(names.contains(path)) << path;
  for (const char* path : {"latest", "out", "x", "runs", "latest/other.py"})
    EXPECT_FALSE(names.contains(path)) << path;
}

TEST(FilesOfATree, ItsFoldersToo) {
  const FileNames names(project());
  for (const char* path : {"runs", "runs/3", "latest", "out"})
    EXPECT_TRUE(names.has_folder(path)) << path;
  for (const char* path : {"run.py", "x", "run", "out/a"})
    EXPECT_FALSE(names.has_folder(path)) << path;
}

}  // namespace
}  // namespace paddock::admission
