#include "cli/client/returned_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Returned : public testing::Test {
 protected:
  Returned() {
    env_.vars["PADDOCK_HOME"] = dir_ / "home";
    for (const char* path : {"out/a b.txt", "results/out/x.bin", "top.txt"})
      dir_.write(cat("project/", path), "");
  }
  std::vector<std::string> below(const std::vector<std::string>& dirs) {
    std::vector<std::string> out;
    for (const auto& [path, file] : ReturnedList(env_, project_).below(dirs)) out.push_back(path);
    return out;
  }
  void came(const std::string& output, const std::vector<std::string>& paths) {
    std::vector<contracts::Artifact> artifacts;
    for (const std::string& path : paths) artifacts.push_back({path, 1, digest_, false});
    ReturnedList(env_, project_).add("p-1", output, artifacts, sent_);
  }

  contracts::Tree sent_;
  const test::TempDir dir_;
  const std::string project_ = dir_ / "project";
  const std::string digest_ = std::string(64, 'a');
  SystemClock clock_;
  SystemRandom random_;
  Env env_{{}, "/", "/", false, false, {}, {}, clock_, random_};
};

TEST_F(Returned, WhatCameIsKnownByTheFoldersThatAreAskedForAgain) {
  came(project_, {"out/a b.txt", "top.txt"});
  EXPECT_THAT(below({"out"}), ElementsAre("out/a b.txt"));
  EXPECT_THAT(below({"./out/"}), ElementsAre("out/a b.txt"));
  EXPECT_THAT(below({"."}), ElementsAre("out/a b.txt", "top.txt"));
  EXPECT_THAT(below({"ou", "other"}), IsEmpty());
  EXPECT_THAT(below({}), IsEmpty());
  const cas::ReturnedFiles files = ReturnedList(env_, project_).below({"out"});
  EXPECT_EQ(files.at("out/a b.txt").digest, digest_);
  EXPECT_EQ(files.at("out/a b.txt").run, "p-1");
}

TEST_F(Returned, ElsewhereInTheProjectIsKnownByItsPlaceAndOutsideIsNot) {
  came(dir_ / "project/results", {"out/x.bin"});
  came(dir_ / "project-other", {"top.txt"});
  came(dir_.path(), {"top.txt"});
  EXPECT_THAT(below({"."}), ElementsAre("results/out/x.bin"));
}

// A file that the run read and perhaps changed: the next run reads it too.
TEST_F(Returned, WhatWasAnInputStaysOne) {
  sent_.entries = {{"top.txt", digest_, 1, false}};
  came(project_, {"top.txt", "out/a b.txt"});
  EXPECT_THAT(below({"."}), ElementsAre("out/a b.txt"));
}

// A folder that the project had stays one; what a run made is made anew by the next.
TEST_F(Returned, FoldersThatWereMadeForItAreKnown) {
  const auto made = [&](const std::vector<std::string>& dirs) {
    return ReturnedList(env_, project_).folders_made(dirs);
  };
  sent_.folders = {{"results"}};
  came(project_, {"out/a b.txt", "results/out/x.bin", "top.txt"});
  EXPECT_THAT(made({"."}), ElementsAre("out", "results/out"));
  EXPECT_THAT(made({"results/out/deep"}), ElementsAre("results/out"));
  EXPECT_THAT(made({"other"}), IsEmpty());
  ASSERT_TRUE(os::remove_tree(dir_ / "project/out").ok());
  came(project_, {"top.txt"});
  EXPECT_THAT(made({"."}), ElementsAre("results/out"));
}

TEST_F(Returned, WhatIsGoneIsForgotten) {
  came(project_, {"out/a b.txt", "never.txt"});
  EXPECT_THAT(below({"."}), ElementsAre("out/a b.txt"));
  ASSERT_TRUE(os::remove_tree(dir_ / "project/out").ok());
  came(project_, {"top.txt"});
  EXPECT_THAT(below({"."}), ElementsAre("top.txt"));
}

TEST_F(Returned, ADamagedListIsNone) {
  came(project_, {"top.txt"});
  const std::string lists = dir_ / "home/returned";
  const std::string list = os::join_path(lists, os::list_dir(lists)->at(0));
  for (const char* text :
       {"", "nonsense", "paddock returned 2\nx y z\n", "paddock returned 1\nx y z\n"}) {
    ASSERT_TRUE(os::write_file_atomic(list, text).ok());
    EXPECT_THAT(below({"."}), IsEmpty());
  }
}

}  // namespace
}  // namespace paddock::cli
