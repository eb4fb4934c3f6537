#include "node-agent/files/session_files.h"

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
#include "node-agent/files/new_folders.h"
#include "node-agent/files/write_turns.h"
#include "tests/support/ordinary_user.h"

namespace paddock::files {
namespace {

// Whoever reads it meanwhile, and an agent that is killed meanwhile, have the one or the other.
TEST_F(SessionFiles, AreReplacedAsAWholeAndKeepTheirRights) {
  ASSERT_TRUE(ask(FileOperation::kWrite, "a", "the first").ok());
  ASSERT_EQ(::chmod(inside("a").c_str(), 0755), 0);
  const os::Fd reader(::open(inside("a").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(ask(FileOperation::kWrite, "a", "2").ok());
  EXPECT_EQ(os::read_all(reader.get(), 100).value(), "the first");
  EXPECT_EQ(content("a"), "2");
  struct stat info {};
  ASSERT_EQ(::stat(inside("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0755U);
  EXPECT_EQ(ask(FileOperation::kRead, "")->files.size(), 1U);
}

TEST_F(SessionFiles, AreWrittenReadListedAndRemoved) {
  ASSERT_TRUE(ask(FileOperation::kWrite, "a/b", "one").ok());
  ASSERT_TRUE(ask(FileOperation::kWrite, "a/b", "2").ok());
  EXPECT_EQ(content("a/b"), "2");
  const auto listed = ask(FileOperation::kRead, "");
  ASSERT_TRUE(listed.ok());
  ASSERT_EQ(listed->files.size(), 1U);
  EXPECT_EQ(listed->files[0].name, "a");
  EXPECT_EQ(listed->files[0].type, "folder");
  ASSERT_TRUE(ask(FileOperation::kRemove, "a").ok());
  EXPECT_EQ(content("a/b"), "FILE_NOT_FOUND");
  EXPECT_EQ(ask(FileOperation::kRemove, "").error().reason, "BAD_PATH");
}

TEST_F(SessionFiles, OfAWriteThatFailsNoFolderIsLeft) {
  const std::string too_long(300, 'x');
  for (const std::string& path : {"new/below/" + too_long, "new/" + too_long + "/file"}) {
    EXPECT_EQ(reason(FileOperation::kWrite, path), "BAD_PATH") << path.size();
    EXPECT_EQ(reason(FileOperation::kWrite, path, true), "BAD_PATH") << path.size();
    const os::Fd root = os::open_root(rules_.workspace).value();
    EXPECT_EQ(put_into_run({.root = root.get()}, path), "BAD_PATH") << path.size();
    EXPECT_FALSE(os::exists(inside("new"))) << path.size();
  }
}

TEST_F(SessionFiles, FoldersOfAWriteThatFailsStayWhereSomethingElseUsesThem) {
  const os::Fd root = os::open_root(rules_.workspace).value();
  ASSERT_TRUE(os::make_dirs(inside("before")).ok());
  {
    NewFolders folders(root.get());
    ASSERT_TRUE(folders.make("before/a/b").ok());
    ASSERT_TRUE(os::write_file_atomic(inside("before/a/used"), "").ok());
  }
  EXPECT_FALSE(os::exists(inside("before/a/b")));
  EXPECT_TRUE(os::exists(inside("before/a/used")));
  {
    NewFolders folders(root.get());
    ASSERT_TRUE(folders.make("before/c").ok());
    folders.keep();
  }
  EXPECT_TRUE(os::exists(inside("before/c")));
}

// proves: WSM-96
TEST_F(SessionFiles, NoPathAndNoLinkLeadsOut) {
  ASSERT_EQ(::symlink(outside().c_str(), inside("link").c_str()), 0);
  ASSERT_EQ(::symlink("..", inside("up").c_str()), 0);
  for (const char* path : {"link", "up/outside", "../outside", "/etc/passwd", "up/../../outside"}) {
    EXPECT_FALSE(ask(FileOperation::kRead, path).ok()) << path;
    EXPECT_FALSE(ask(FileOperation::kWrite, path, "changed").ok()) << path;
  }
  EXPECT_FALSE(ask(FileOperation::kRemove, "up/outside").ok());
  EXPECT_TRUE(ask(FileOperation::kRemove, "link").ok());  // the link itself is the session's
  EXPECT_EQ(*os::read_file(outside()), "secret");
}

TEST_F(SessionFiles, NothingIsWaitedFor) {
  ASSERT_EQ(::mkfifo(inside("pipe").c_str(), 0600), 0);
  EXPECT_EQ(ask(FileOperation::kRead, "pipe").error().reason, "NOT_A_REGULAR_FILE");
  EXPECT_EQ(ask(FileOperation::kWrite, "pipe", "x").error().reason, "NOT_A_REGULAR_FILE");
}

// Commands change what is on the way while it is looked at: that is no failure of the node's.
TEST_F(SessionFiles, WhatIsNoFolderAnyMoreIsTheCallersBusiness) {
  ASSERT_TRUE(ask(FileOperation::kWrite, "a", "file").ok());
  for (const FileOperation operation :
       {FileOperation::kRead, FileOperation::kWrite, FileOperation::kRemove}) {
    const auto refused = ask(operation, "a/b/c", "x");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kInvalidArgument) << refused.error().describe();
    EXPECT_EQ(refused.error().reason, "NOT_A_REGULAR_FILE");
  }
}

TEST_F(SessionFiles, NoRaceWithWhoeverSwapsAFolderIsAFailureOfTheNodes) {
  std::atomic<bool> over = false;
  std::thread swapping([&] {
    while (!over) {
      (void)::mkdir(inside("d").c_str(), 0755);
      (void)::rename(inside("d").c_str(), inside("e").c_str());
      const os::Fd file(::open(inside("d").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
      (void)::unlink(inside("d").c_str());
      (void)os::remove_tree(inside("e"));
    }
  });
  for (int i = 0; i < 500; ++i) {
    const auto answer = ask(FileOperation::kWrite, "d/f", "x");
    if (!answer.ok()) {
      EXPECT_NE(answer.error().reason, "SYSTEM_ERROR") << answer.error().describe();
    }
  }
  over = true;
  swapping.join();
}

// proves: WSM-31, WSM-32
TEST_F(SessionFiles, AreBoundedAsAWhole) {
  rules_.most_files = 2;
  rules_.most_bytes = 10'000;
  ASSERT_TRUE(ask(FileOperation::kWrite, "a", std::string(4'096, 'x')).ok());
  EXPECT_EQ(ask(FileOperation::kWrite, "b", std::string(6'000, 'x')).error().reason, "E_LIMIT_FS");
  ASSERT_TRUE(ask(FileOperation::kWrite, "b", "").ok());
  EXPECT_EQ(ask(FileOperation::kWrite, "c", "").error().reason, "E_LIMIT_FILES");
  EXPECT_EQ(content("a").size(), std::string("FILE_TOO_LARGE").size());
}

// The folders on the way count too, as they do for whoever measures the session.
// proves: WSM-31, WSM-32
TEST_F(SessionFiles, AreBoundedWithTheFoldersThatTheyNeed) {
  rules_.most_files = 3;
  EXPECT_EQ(reason(FileOperation::kWrite, "a/b/c/d"), "E_LIMIT_FILES");
  EXPECT_EQ(reason(FileOperation::kWrite, "a/b/c/d", true), "E_LIMIT_FILES");
  EXPECT_TRUE(ask(FileOperation::kRead, "")->files.empty());
  EXPECT_EQ(reason(FileOperation::kWrite, "a/b/c"), "");
  EXPECT_EQ(reason(FileOperation::kWrite, "a/b", true), "");  // is there
  EXPECT_EQ(reason(FileOperation::kWrite, "d", true), "E_LIMIT_FILES");
  rules_ = {.workspace = rules_.workspace, .uid = {}, .most_bytes = 60'000};
  EXPECT_EQ(reason(FileOperation::kWrite, "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15", true),
            "E_LIMIT_FS");
}

// Who counts rarely is told what comes in between.
TEST(WriteTurns, OfOneAreTakenByOneAtATimeAndOfOthersAtOnce) {
  WriteTurns turns;
  std::vector<WriteTurns::Turn> held;
  // ThreadSanitizer knows 64 locks of a thread.
  for (int i = 0; i < 50; ++i) held.push_back(turns.take(std::to_string(i)));
  std::atomic<bool> had = false;
  std::thread next([&] {
    const auto turn = turns.take("0");
    had = true;
  });
  const auto other = turns.take("another");
  EXPECT_FALSE(had);
  held.clear();
  next.join();
  EXPECT_TRUE(had);
}

// If a run has layers, the upper one is measured, and folders of the lower one can come to be there
// too. A tree that is too deep could not be measured, and the command would be ended.
TEST_F(SessionFiles, NoFolderIsMadeDeeperThanCanBeMeasured) {
  const auto root = os::open_root(rules_.workspace);
  ASSERT_TRUE(root.ok());
  std::string deepest = "y";
  for (size_t i = 2; i < os::kDeepestFolder; ++i) deepest += "/y";
  EXPECT_EQ(reason(FileOperation::kWrite, deepest + "/y", true), "TREE_TOO_DEEP");
  EXPECT_EQ(reason(FileOperation::kWrite, deepest + "/y/z"), "TREE_TOO_DEEP");
  EXPECT_EQ(put_into_run({.root = root->get()}, deepest + "/y/z"), "TREE_TOO_DEEP");
  EXPECT_TRUE(ask(FileOperation::kRead, "")->files.empty());
  EXPECT_EQ(reason(FileOperation::kWrite, deepest, true), "");
  EXPECT_EQ(put_into_run({.root = root->get()}, deepest + "/z"), "");
  EXPECT_TRUE(os::folder_use(root->get(), {}).ok());
}

// Outside the workspace nothing would count it.
TEST_F(SessionFiles, AreStillThereUnderTheirNameIfTheyCannotBeRemoved) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a folder of another user";
  dir_.write("workspace/a/of-root/x", "x");
  for (const char* each : {"", "/a"})
    ASSERT_EQ(::chown((rules_.workspace + each).c_str(), 65534, 65534), 0);
  EXPECT_EQ(
      test::as_ordinary_user(
          dir_.path(), [&] { return reason(FileOperation::kRemove, "a") == "FILE_NOT_ALLOWED"; }),
      0);
  const auto listed = ask(FileOperation::kRead, "");
  ASSERT_EQ(listed->files.size(), 1U);
  EXPECT_EQ(listed->files[0].name, "a");
  EXPECT_TRUE(os::exists(inside("a")));
  ASSERT_TRUE(ask(FileOperation::kRemove, "a").ok()) << "with the rights for it";
  EXPECT_TRUE(ask(FileOperation::kRead, "")->files.empty());
}

// By who has it open and closes it again and again, to whoever is no root.
TEST_F(SessionFiles, AreRemovedOrCountHoweverTheyAreHeld) {
  const auto holds = [&] {
    rules_.workspace = os::join_path(dir_.path(), "own");
    if (!os::make_dirs(inside("a")).ok()) return false;
    for (int i = 0; i < 500; ++i) {
      if (!os::replace_file(inside(cat("a/", i)), "x").ok()) return false;
    }
    const os::Fd held(::open(inside("a").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::jthread hostile([&](const std::stop_token& over) {
      while (!over.stop_requested()) ::fchmod(held.get(), 0);
    });
    const std::string why = reason(FileOperation::kRemove, "a");
    const auto left = os::list_dir(rules_.workspace);
    return os::list_dir(dir_.path())->size() == 3 &&
           (why.empty() ? left->empty() : why == "FILE_NOT_ALLOWED" && left->size() == 1);
  };
  EXPECT_EQ(test::as_ordinary_user(dir_.path(), holds), 0);
}

// By a command of a node's own user.
TEST_F(SessionFiles, AreThereInAWorkspaceThatIsClosed) {
  const auto works = [&] {
    rules_.workspace = os::join_path(dir_.path(), "closed");
    if (!os::make_dirs(rules_.workspace).ok()) return false;
    for (const mode_t mode : {0U, 0400U, 0100U}) {
      if (::chmod(rules_.workspace.c_str(), mode) != 0) return false;
      if (!ask(FileOperation::kWrite, "a/b", "one").ok() || content("a/b") != "one") return false;
      if (::chmod(rules_.workspace.c_str(), mode) != 0) return false;
      if (!ask(FileOperation::kRemove, "a").ok()) return false;
    }
    return true;
  };
  EXPECT_EQ(test::as_ordinary_user(dir_.path(), works), 0);
}

// A link is not followed either: what it leads to is no folder of the session's.
TEST_F(SessionFiles, NoFolderIsMadeWhereSomethingElseIs) {
  ASSERT_TRUE(ask(FileOperation::kWrite, "file", "x").ok());
  ASSERT_TRUE(ask(FileOperation::kWrite, "folder/file", "x").ok());
  ASSERT_EQ(::symlink("folder", inside("link").c_str()), 0);
  EXPECT_EQ(reason(FileOperation::kWrite, "file", true), "NOT_A_REGULAR_FILE");
  EXPECT_EQ(reason(FileOperation::kWrite, "file/below", true), "NOT_A_REGULAR_FILE");
  EXPECT_EQ(reason(FileOperation::kWrite, "link", true), "LINK_IN_PATH");
  EXPECT_EQ(reason(FileOperation::kWrite, "folder", true), "");
  EXPECT_EQ(content("file"), "x");
}

TEST_F(SessionFiles, ANameThatNoFileCanHaveIsTheCallersFault) {
  const std::string name(256, 'n');
  ASSERT_TRUE(os::make_dirs(inside("above")).ok());
  for (const std::string& path : {name, name + "/below", "above/" + name}) {
    for (const FileOperation operation : {FileOperation::kRead, FileOperation::kWrite})
      EXPECT_EQ(reason(operation, path), "BAD_PATH") << path;
  }
  EXPECT_EQ(reason(FileOperation::kRemove, name), "BAD_PATH");
  EXPECT_EQ(reason(FileOperation::kRemove, name + "/below"), "BAD_PATH");
  const auto root = os::open_root(rules_.workspace);
  FileOrder order;
  order.path = name;
  order.most = 1;
  EXPECT_EQ(read_part(root->get(), order).error().reason, "BAD_PATH");
}

}  // namespace
}  // namespace paddock::files
