#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/cas/scan_test_support.h"

namespace paddock::cas {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(TreeRoot, IsTheDigestOfTheCompactText) {
  contracts::Tree tree;
  tree.entries.push_back({"a", Digest(64, 'a'), 3, true});
  EXPECT_EQ(canonical_tree(tree), cat(R"({"entries":[{"path":"a","digest":")", Digest(64, 'a'),
                                      R"(","size":3,"executable":true}]})"));
  EXPECT_EQ(tree_root(tree), crypto::sha256_hex(canonical_tree(tree)));
}

TEST(ScanFolder, SortsByPathAndKeepsTheExecutableBit) {
  const test::TempDir dir;
  dir.write("b.txt", "bb");
  dir.write("b/run.sh", "#!", 0755);
  dir.write("a", "");
  const Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_THAT(paths(scan), ElementsAre("a", "b.txt", "b/run.sh"));
  EXPECT_FALSE(scan.tree.entries[1].executable);
  EXPECT_TRUE(scan.tree.entries[2].executable);
  EXPECT_EQ(scan.tree.entries[1].digest, crypto::sha256_hex("bb"));
  EXPECT_EQ(scan.bytes, 4);
  wire::Check check;
  scan.tree.validate(check);
  EXPECT_TRUE(check.ok());
}

TEST(ScanFolder, LeavesOutByTheRulesOfEveryFolderAndSaysWhich) {
  const test::TempDir dir;
  dir.write(".gitignore", "*.log\n/out/\n");
  dir.write(".paddockignore", "data.bin\n!kept.log\n");
  dir.write("sub/.gitignore", "x\n");
  for (const char* path :
       {"a.log", "kept.log", "out/y", "data.bin", "sub/x", "sub/y", ".git/config",
        "sub/__pycache__/z.pyc", "node_modules/m/i.js", ".venv/bin/python"}) {
    dir.write(path, "1");
  }
  const Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_THAT(paths(scan),
              ElementsAre(".gitignore", ".paddockignore", "kept.log", "sub/.gitignore", "sub/y"));
  EXPECT_THAT(
      left_out(scan),
      ElementsAre(".git/ by built-in: .git/", ".venv/ by built-in: .venv/",
                  "a.log by .gitignore:1: *.log", "data.bin by .paddockignore:1: data.bin",
                  "node_modules/ by built-in: node_modules/", "out/ by .gitignore:2: /out/",
                  "sub/__pycache__/ by built-in: __pycache__/", "sub/x by sub/.gitignore:1: x"));
}

TEST(ScanFolder, KeepsEmptyFolders) {
  const test::TempDir dir;
  dir.write("full/x", "");
  dir.write("logs/a.log", "");
  dir.write(".gitignore", "*.log\nignored/\n");
  for (const char* each : {"out/cache", "full/empty", "ignored"})
    ASSERT_TRUE(os::make_dirs(dir / each).ok());
  const Scan scan = std::move(*scan_folder(dir.path()));
  EXPECT_EQ(scan.tree.folders,
            (std::vector<contracts::TreeFolder>{{"full/empty"}, {"logs"}, {"out/cache"}}));
  wire::Check check;
  scan.tree.validate(check);
  EXPECT_TRUE(check.ok());
}

TEST(ScanFolder, KeepsAskedFoldersOfWhichARuleLeavesOutWhatIsInThem) {
  const test::TempDir dir;
  dir.write(".gitignore", "build/\n");
  dir.write("build/reports/old.xml", "");
  dir.write("src/x", "");
  link("src", dir / "linked");
  ScanLimits limits;
  limits.asked_folders = {"build/reports", "missing", "linked", "../src", ".", "src"};
  const Scan scan = std::move(*scan_folder(dir.path(), limits));
  EXPECT_EQ(scan.tree.folders, (std::vector<contracts::TreeFolder>{{"build/reports"}}));
  EXPECT_THAT(paths(scan), ElementsAre(".gitignore", "src/x"));
  wire::Check check;
  scan.tree.validate(check);
  EXPECT_TRUE(check.ok());
}

TEST(ScanFolder, NamesEveryEntryItRefuses) {
  const test::TempDir outer;
  const std::string folder = outer / "project";
  outer.write("project/Case", "");
  outer.write("project/case", "");
  outer.write("project/Twin/x", "");
  ASSERT_TRUE(os::make_dirs(folder + "/twin").ok());
  outer.write("project/new\nline", "");
  outer.write("project/back\\slash", "");
  outer.write("project/\xFF", "");
  outer.write("project/large.bin", std::string(11, 'x'));
  ScanLimits limits;
  limits.max_file = 10;
  const Result<Scan> scan = scan_folder(folder, limits);
  ASSERT_FALSE(scan.ok());
  EXPECT_EQ(scan.error().reason, "WORKSPACE_ENTRY_REFUSED");
  std::vector<std::string> fields;
  for (const Cause& cause : scan.error().causes) fields.push_back(cause.field);
  EXPECT_THAT(fields, testing::UnorderedElementsAre("large.bin", "case", "Twin/x", "new\\nline",
                                                    "back\\slash", "\xEF\xBF\xBD"));
  EXPECT_THAT(scan.error().describe(), Not(HasSubstr(outer.path())));
}

TEST(ScanFolder, SaysOfANameThatIsRefusedWhatWouldHelp) {
  const auto said = [](std::vector<std::string> files) {
    const test::TempDir dir;
    for (const std::string& each : files) dir.write(each, "");
    const Result<Scan> scan = scan_folder(dir.path());
    return scan.ok() ? "taken" : scan.error().message;
  };
  constexpr const char* kHelp = "; rename it, or leave it out by .paddockignore";
  EXPECT_EQ(said({"README", "Readme"}), cat("Readme and \"README\" differ only by case", kHelp));
  EXPECT_EQ(said({"new\nline"}), cat("new\\nline must not have control characters", kHelp));
  EXPECT_EQ(said({"a/back\\slash"}), cat("a/back\\slash must not have a backslash", kHelp));
}

// As an ordinary user.
TEST(ScanFolder, NamesAllThatCannotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const test::TempDir dir;
  dir.write("a/b/x", "");
  dir.write("c", "", 0);
  dir.write("d/.gitignore", "", 0);
  ASSERT_EQ(::chmod((dir / "a/b").c_str(), 0), 0);
  const Result<Scan> scan = scan_folder(dir.path());
  ASSERT_EQ(::chmod((dir / "a/b").c_str(), 0700), 0);
  ASSERT_FALSE(scan.ok());
  std::vector<std::string> fields;
  for (const Cause& cause : scan.error().causes) {
    fields.push_back(cause.field);
    EXPECT_THAT(cause.message, HasSubstr(".paddockignore"));
  }
  EXPECT_THAT(fields, testing::IsSupersetOf({"a/b", "c", "d/.gitignore"}));
}

// Whatever the moment, what was taken is the beginning of what is there in the end.
TEST(ScanFolder, TakesTheBeginningOfAFileThatGrows) {
  const test::TempDir dir;
  dir.write("app.log", std::string(1 << 20, 'x'));
  std::atomic<bool> stop = false;
  std::thread growing([&] {
    const os::Fd log(::open((dir / "app.log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    while (!stop && ::write(log.get(), "x", 1) == 1) std::this_thread::yield();
  });
  for (int i = 0; i < 50; ++i) {
    const auto scan = scan_folder(dir.path());
    if (!scan || scan->tree.entries.size() != 1) {
      ADD_FAILURE() << "the log was not taken";
      break;
    }
    const contracts::TreeEntry& log = scan->tree.entries[0];
    EXPECT_EQ(log.digest, crypto::sha256_hex(std::string(static_cast<size_t>(log.size), 'x')));
  }
  stop = true;
  growing.join();
}

TEST(ScanFolder, LeavesOutWhatCameBackAsItCame) {
  const test::TempDir dir;
  for (const char* path : {"out/a.txt", "out/b.txt", "out/c.txt"}) dir.write(path, path);
  ScanLimits limits;
  for (const char* path : {"out/a.txt", "out/c.txt"})
    limits.returned[path] = {crypto::sha256_hex(path), "p-1"};
  limits.returned["out/b.txt"] = {crypto::sha256_hex("before"), "p-1"};
  dir.write(".paddockignore", "!c.txt\n");
  const Scan scan = std::move(*scan_folder(dir.path(), limits));
  EXPECT_THAT(paths(scan), ElementsAre(".paddockignore", "out/b.txt", "out/c.txt"));
  EXPECT_THAT(left_out(scan), ElementsAre("out/a.txt by came back from run p-1; a line !out/a.txt "
                                          "in .paddockignore sends it"));
}

// What a run made anew must be made anew by the next one too: `mkdir` says so.
TEST(ScanFolder, LeavesOutFoldersThatHoldNothingButWhatCameBack) {
  const test::TempDir dir;
  for (const char* path : {"made/deep/a.txt", "mixed/a.txt", "mixed/own.txt", "kept/sub/a.txt"})
    dir.write(path, path);
  ScanLimits limits;
  for (const char* path : {"made/deep/a.txt", "mixed/a.txt", "kept/sub/a.txt"})
    limits.returned[path] = {crypto::sha256_hex(path), "p-1"};
  limits.returned_folders = {"made", "made/deep", "mixed", "kept/sub", "gone"};
  limits.asked_folders = {"made"};
  const Scan scan = std::move(*scan_folder(dir.path(), limits));
  EXPECT_THAT(paths(scan), ElementsAre("mixed/own.txt"));
  EXPECT_EQ(scan.tree.folders, (std::vector<contracts::TreeFolder>{{"kept"}}));
}

TEST(ScanFolder, StopsAtItsLimits) {
  const test::TempDir dir;
  dir.write("a", "12345");
  dir.write("b", "12345");
  EXPECT_TRUE(scan_folder(dir.path(), {2, 10}).ok());
  EXPECT_EQ(scan_folder(dir.path(), {1, 10}).error().reason, "WORKSPACE_TOO_LARGE");
  EXPECT_EQ(scan_folder(dir.path(), {2, 9}).error().reason, "WORKSPACE_TOO_LARGE");
  EXPECT_EQ(scan_folder(dir / "missing").error().code, Code::kNotFound);
}

}  // namespace
}  // namespace paddock::cas
