#include "node-agent/host/known_folders.h"

#include <fcntl.h>
#include <unistd.h>

#include <functional>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/contracts/node.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"

namespace paddock::agent {
namespace {

class Folders : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string name : {"cas", "runs"}) ASSERT_TRUE(os::make_dirs(data_ / name).ok());
  }
  std::string look() {
    const auto fault = folders_.look();
    return fault ? cat(fault->reason.str(), ": ", fault->message) : "none";
  }
  std::string look_twice() {
    const std::string first = look();
    return first == "none" ? look() : cat("at once: ", first);
  }
  // With a disk of its own, in a process of its own.
  void expect_of_disk_at(const std::string& name, const std::function<void()>& spoil,
                         const std::string& start) {
    const std::string said = test::in_child([&]() -> std::string {
      if (!test::mount_disk(data_ / name, "64k")) return test::kNoMounts;
      if (look_twice() != "none") return "not well before";
      spoil();
      return look_twice();
    });
    if (said == test::kNoMounts) GTEST_SKIP() << said;
    EXPECT_EQ(said.substr(0, start.size()), start) << said;
  }
  const test::TempDir data_;
  Status cache_;
  KnownFolders folders_{data_.path(), [this] { return cache_; }};
};

TEST_F(Folders, ThoseThatAreWellAndThoseThatTheNextRunMakesAreNoFault) {
  EXPECT_EQ(look_twice(), "none");
  ASSERT_TRUE(os::remove_tree(data_ / "runs").ok());
  EXPECT_EQ(look_twice(), "none");
  EXPECT_TRUE(os::list_dir(data_ / "cas")->empty());
}

TEST_F(Folders, ACacheThatIsNotTheOneThatWasOpenedIsAFaultOnceItStaysSo) {
  cache_ = Error{Code::kUnavailable, "STORE_IO", "the folder of files is not there now"};
  EXPECT_EQ(look(), "none");
  cache_ = {};
  EXPECT_EQ(look(), "none") << "it was away for a moment";
  cache_ = Error{Code::kUnavailable, "STORE_IO", "the folder of files is not there now"};
  EXPECT_EQ(look_twice(),
            "DATA_FOLDER_UNWRITABLE: the folder cas of the agent's data folder: the folder of "
            "files is not there now; put it back, or start the agent again");
  cache_ = {};
  EXPECT_EQ(look(), "none");
}

TEST_F(Folders, ADiskOfItsOwnThatIsFullIsCalledThat) {
  const auto fill = [&] {
    const os::Fd file(::open((data_ / "cas/filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    while (::write(file.get(), "xxxxxxxx", 8) > 0) {
    }
  };
  expect_of_disk_at("cas", fill, "NODE_DISK_FULL: the folder cas ");
}

TEST_F(Folders, ADiskOfItsOwnThatIsReadOnlyIsCalledThat) {
  const auto close = [&] { (void)test::change_disk(data_ / "runs", MS_RDONLY, "64k"); };
  expect_of_disk_at("runs", close, "NODE_DISK_READ_ONLY: the folder runs ");
}

}  // namespace
}  // namespace paddock::agent
