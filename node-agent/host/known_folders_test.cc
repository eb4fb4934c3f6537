#include "node-agent/host/known_folders.h"

#include <functional>
#include <optional>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/contracts/node.h"
#include "common/os/file.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"

namespace paddock::agent {
namespace {

class Folders : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string name : {"cas", "sessions"})
      ASSERT_TRUE(os::make_dirs(data_ / name).ok());
  }
  std::string fault() const {
    const auto found = known_->fault();
    return found ? cat(found->reason.str(), ": ", found->message) : "none";
  }
  // In a process of its own, with a disk of its own over `cas`.
  std::string on_a_disk(const std::function<std::string()>& body) {
    return test::in_child([&]() -> std::string {
      if (!test::mount_disk(data_ / "cas", "64k")) return test::kNoMounts;
      return body();
    });
  }
  const test::TempDir data_;
  std::optional<KnownFolders> known_;
};

TEST_F(Folders, ThoseThatTakeAByteAreNoFault) {
  known_.emplace(data_.path());
  EXPECT_EQ(fault(), "none");
  EXPECT_TRUE(os::list_dir(data_ / "cas")->empty());
}

TEST_F(Folders, OneThatIsGoneOrAnotherOneIsNamed) {
  known_.emplace(data_.path());
  ASSERT_TRUE(os::remove_tree(data_ / "sessions").ok());
  EXPECT_TRUE(fault().starts_with("DATA_FOLDER_UNWRITABLE: the folder sessions")) << fault();
  EXPECT_NE(fault().find("not there any more"), std::string::npos) << fault();
  ASSERT_TRUE(os::make_dirs(data_ / "kept").ok());  // so that the next one has another inode
  ASSERT_TRUE(os::make_dirs(data_ / "sessions").ok());
  known_.emplace(data_.path());
  EXPECT_EQ(fault(), "none") << "an agent that begins takes what it finds";
}

TEST_F(Folders, OneThatSomethingLiesOverIsNamed) {
  known_.emplace(data_.path());
  const std::string said = on_a_disk([this] { return fault(); });
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_TRUE(said.starts_with("DATA_FOLDER_UNWRITABLE: the folder cas")) << said;
}

TEST_F(Folders, ADiskOfItsOwnThatIsFullOrReadOnlyIsCalledThat) {
  const std::string full = on_a_disk([this] {
    known_.emplace(data_.path());
    const std::string before = fault();
    (void)os::replace_file(data_ / "cas/filler", std::string(60 << 10, 'x'));
    (void)os::replace_file(data_ / "cas/rest", std::string(4 << 10, 'x'));
    return before == "none" ? fault() : cat("before: ", before);
  });
  if (full == test::kNoMounts) GTEST_SKIP() << full;
  EXPECT_TRUE(full.starts_with("NODE_DISK_FULL: the folder cas")) << full;
  const std::string read_only = on_a_disk([this]() -> std::string {
    known_.emplace(data_.path());
    if (!test::change_disk(data_ / "cas", MS_RDONLY, "64k")) return test::kNoMounts;
    return fault();
  });
  if (read_only == test::kNoMounts) GTEST_SKIP() << read_only;
  EXPECT_TRUE(read_only.starts_with("NODE_DISK_READ_ONLY: the folder cas")) << read_only;
}

}  // namespace
}  // namespace paddock::agent
