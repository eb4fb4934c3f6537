#include "node-agent/host/launcher_watch.h"

#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::agent {
namespace {

TEST(LauncherWatch, NoticesAReplacedFileAndNoOther) {
  const test::TempDir folder;
  const std::string program = os::join_path(folder.path(), "launcher");
  ASSERT_TRUE(os::write_file_atomic(program, "one").ok());
  std::mutex mutex;
  std::condition_variable changed;
  int calls = 0;
  const LauncherWatch watch(program, [&] {
    const std::lock_guard lock(mutex);
    ++calls;
    changed.notify_all();
  });
  ASSERT_TRUE(os::write_file_atomic(os::join_path(folder.path(), "other"), "x").ok());
  ASSERT_TRUE(os::write_file_atomic(program, "another").ok());
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return calls > 0; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace paddock::agent
