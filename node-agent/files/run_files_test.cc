#include "node-agent/files/run_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/folder_use.h"
#include "node-agent/files/files_test_support.h"

namespace paddock::files {
namespace {

TEST_F(SessionFiles, OfARunAreReadInPartsAndAsOneVersion) {
  ASSERT_TRUE(ask(FileOperation::kWrite, "a/b.txt", "0123456789").ok());
  const auto root = os::open_root(rules_.workspace);
  ASSERT_TRUE(root.ok());
  FileOrder order;
  order.path = "a/b.txt";
  order.most = 4;
  const auto first = read_part(root->get(), order);
  order.offset = 8;
  const auto last = read_part(root->get(), order);
  order.offset = INT64_MAX;
  const auto beyond = read_part(root->get(), order);
  ASSERT_TRUE(first.ok() && last.ok() && beyond.ok());
  EXPECT_EQ(first->size, 10);
  EXPECT_EQ(decode_base64(first->data), "0123");
  EXPECT_EQ(decode_base64(last->data), "89");
  EXPECT_EQ(beyond->data, "");
  EXPECT_EQ(first->version, last->version);
  order.path = "a";
  EXPECT_TRUE(read_part(root->get(), order)->folder);
  order.path = "../a";
  EXPECT_FALSE(read_part(root->get(), order).ok());
}

TEST_F(SessionFiles, OfARunComeInWholeAndInPlaceOfWhatIsThere) {
  const auto root = os::open_root(rules_.workspace);
  ASSERT_TRUE(root.ok());
  RunFileRules rules{.root = root->get()};
  const auto put = [&](const std::string& path, const std::string& bytes) {
    return put_into_run(rules, path, bytes);
  };
  EXPECT_EQ(put("a/b", "one"), "");
  EXPECT_EQ(put("a/b", "2"), "");
  EXPECT_EQ(content("a/b"), "2");
  ASSERT_EQ(::symlink(outside().c_str(), inside("link").c_str()), 0);
  ASSERT_EQ(::symlink("..", inside("up").c_str()), 0);
  EXPECT_EQ(put("link", "in its place"), "");
  EXPECT_EQ(content("link"), "in its place");
  EXPECT_EQ(*os::read_file(outside()), "secret");
  EXPECT_EQ(put("a", "x"), "NOT_A_REGULAR_FILE");
  for (const char* path : {"up/x", "../x", "/x", "a/../../x", "", ".", "a/..", "a/", "b/", "a//b"})
    EXPECT_NE(put(path, "x"), "") << path;
  rules.bytes_left = 4'096;  // of which a file takes whole blocks
  EXPECT_EQ(put("c", "abc"), "");
  EXPECT_EQ(put("c", std::string(4'097, 'x')), "E_LIMIT_FS");
  EXPECT_EQ(content("c"), "abc");
  rules.files_left = 0;
  EXPECT_EQ(put("d", ""), "E_LIMIT_FILES");
  // Nothing of what was refused is left.
  EXPECT_EQ(ask(FileOperation::kRead, "")->files.size(), 4U);
}

TEST_F(SessionFiles, OfARunLeadNobodyOutWhateverIsSwappedOnTheWay) {
  const std::string elsewhere = os::join_path(dir_.path(), "elsewhere");
  ASSERT_TRUE(os::make_dirs(elsewhere).ok());
  const auto root = os::open_root(rules_.workspace);
  ASSERT_TRUE(root.ok());
  std::atomic<bool> over = false;
  std::thread swapping([&] {
    while (!over) {
      (void)::mkdir(inside("d").c_str(), 0755);
      (void)::rename(inside("d").c_str(), inside("e").c_str());
      (void)::symlink(elsewhere.c_str(), inside("d").c_str());
      (void)::unlink(inside("d").c_str());
      (void)os::remove_tree(inside("e"));
    }
  });
  FileOrder order;
  order.operation = FileOperation::kWrite;
  order.path = "d/f";
  order.data = base64("x");
  for (int i = 0; i < 500; ++i) {
    const auto done = put_whole({.root = root->get()}, order);
    if (!done.ok()) {
      EXPECT_NE(done.error().reason, "SYSTEM_ERROR") << done.error().describe();
    }
  }
  over = true;
  swapping.join();
  EXPECT_TRUE(os::list_dir(elsewhere)->empty());
}

TEST_F(SessionFiles, OfARunAreBoundedWithTheFoldersThatTheyNeed) {
  const auto root = os::open_root(rules_.workspace);
  ASSERT_TRUE(root.ok());
  RunFileRules rules{.root = root->get(), .files_left = 3};
  EXPECT_EQ(put_into_run(rules, "a/b/c/d"), "E_LIMIT_FILES");
  EXPECT_TRUE(ask(FileOperation::kRead, "")->files.empty());
  EXPECT_EQ(put_into_run(rules, "a/b/c"), "");
  rules.files_left = 1;
  EXPECT_EQ(put_into_run(rules, "a/b/d"), "");
  EXPECT_EQ(put_into_run(rules, "a/e/d"), "E_LIMIT_FILES");
  rules.files_left.reset();
  rules.bytes_left = 8'191;
  EXPECT_EQ(put_into_run(rules, "f/g", "x"), "E_LIMIT_FS");
  EXPECT_EQ(put_into_run(rules, "f", "x"), "");
}

TEST_F(SessionFiles, OfARunTellWhatTheyTake) {
  const auto root = os::open_root(rules_.workspace);
  ASSERT_TRUE(root.ok());
  std::pair<int64_t, int64_t> told;
  RunFileRules rules{.root = root->get(), .files_left = 3};
  rules.wrote = [&](int64_t bytes, int64_t files) { told = {bytes, files}; };
  EXPECT_EQ(put_into_run(rules, "a/b/c/d", "x"), "E_LIMIT_FILES");
  EXPECT_EQ(told, (std::pair<int64_t, int64_t>(0, 0)));
  EXPECT_EQ(put_into_run(rules, "a/b/c", "x"), "");
  EXPECT_EQ(told, (std::pair<int64_t, int64_t>(3 * 4096, 3)));
}

TEST_F(SessionFiles, OfARunAreBoundedByWhatItsUpperLayerWillHold) {
  ASSERT_TRUE(os::make_dirs(inside("a/b")).ok());
  const std::string upper = os::join_path(dir_.path(), "upper");
  ASSERT_TRUE(os::make_dirs(upper).ok());
  const auto root = os::open_root(rules_.workspace);
  const auto measured = os::open_root(upper);
  ASSERT_TRUE(root.ok() && measured.ok());
  RunFileRules rules{.root = root->get(), .files_left = 2, .measured = measured->get()};
  EXPECT_EQ(put_into_run(rules, "a/b/c"), "E_LIMIT_FILES");
  rules.files_left = 3;
  EXPECT_EQ(put_into_run(rules, "a/b/c"), "");
}

}  // namespace
}  // namespace paddock::files
