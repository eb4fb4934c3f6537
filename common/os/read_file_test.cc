// Reading what has to be a regular file: the rest is refused at once.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/read_stream.h"
#include "tests/support/temp_dir.h"

namespace paddock::os {
namespace {

class RegularFile : public testing::Test {
 protected:
  std::string refused(const std::string& path) {
    const auto text = read_file(path);
    return text.ok() ? "" : text.error().reason.str();
  }
  const test::TempDir folder_;
};

TEST_F(RegularFile, IsReadAlsoThroughALinkAndUpToItsLimit) {
  folder_.write("file", "text", 0600);
  ASSERT_EQ(::symlink("file", (folder_ / "link").c_str()), 0);
  EXPECT_EQ(read_file(folder_ / "file", 4).value(), "text");
  EXPECT_EQ(read_file(folder_ / "link").value(), "text");
  EXPECT_EQ(read_file(folder_ / "file", 3).error().reason, "FILE_TOO_LARGE");
  EXPECT_EQ(read_file(folder_ / "nothing").error().code, Code::kNotFound);
}

TEST_F(RegularFile, AnythingElseIsRefusedByItsNameAndNotWaitedFor) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refused(folder_ / "pipe"), "NOT_A_REGULAR_FILE");
  EXPECT_EQ(refused(folder_.path()), "NOT_A_REGULAR_FILE");
  EXPECT_EQ(refused("/dev/zero"), "NOT_A_REGULAR_FILE");
}

TEST_F(RegularFile, AStreamIsReadFromAPipeToo) {
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::jthread writer([&] {
    const Fd to(::open(pipe.c_str(), O_WRONLY | O_CLOEXEC));
    EXPECT_TRUE(write_all(to.get(), "from another program").ok());
  });
  EXPECT_EQ(read_stream(pipe).value(), "from another program");
}

TEST_F(RegularFile, AFolderOfFilesIsReadTheSameWay) {
  ASSERT_EQ(::mkfifo((folder_ / "x.yaml").c_str(), 0600), 0);
  EXPECT_EQ(read_folder(folder_.path(), ".yaml", 100).error().reason, "NOT_A_REGULAR_FILE");
}

TEST_F(RegularFile, ADescriptorThatIsNamedIsReadToItsEnd) {
  Pipe pipe = make_pipe().value();
  ASSERT_TRUE(write_all(pipe.write.get(), "from a shell").ok());
  pipe.write.reset();
  EXPECT_EQ(read_file(cat("/dev/fd/", pipe.read.get())).value(), "from a shell");
  EXPECT_EQ(read_file("/dev/null").value(), "");
}

}  // namespace
}  // namespace paddock::os
