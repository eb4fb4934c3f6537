// A workspace that lies above a tree which other runs see too: nothing that a command does reaches
// the tree, and what it writes counts in its quota.
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "common/os/file.h"
#include "common/os/overlay.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;

constexpr uid_t kCommand = 65534;

class Layers : public SandboxTest {
 protected:
  void SetUp() override {
    SandboxTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    for (const std::string& each : {lower(), lower() + "/sub", upper(), folder() + "/work"})
      ASSERT_TRUE(os::make_dirs(each, 0755).ok());
    for (const char* file : {"/a", "/b", "/sub/c"})
      ASSERT_TRUE(os::write_file_atomic(lower() + file, "as it came", 0644).ok());
    for (const auto& each : std::filesystem::recursive_directory_iterator(lower()))
      ASSERT_EQ(::chown(each.path().c_str(), kCommand, kCommand), 0);
    for (const std::string& each : {lower(), upper()})
      ASSERT_EQ(::chown(each.c_str(), kCommand, kCommand), 0);
    const auto here = os::mount_layers({lower(), upper(), ""});
    if (!here.ok()) GTEST_SKIP() << "no layered folders here: " << here.error().message;
  }
  std::string lower() const { return folder() + "/lower"; }
  std::string upper() const { return folder() + "/upper"; }
  contracts::LaunchRequest layered(std::vector<std::string> command) const {
    contracts::LaunchRequest launch = request(std::move(command));
    launch.mounts[0].host_path = upper();
    launch.mounts[0].lower_path = lower();
    launch.mounts[0].work_path = folder() + "/work";
    launch.policy.limits.fs_bytes = wire::Quantity{8 * kMiB};
    launch.policy.limits.file_count = 350;
    return launch;
  }
  Finished code(const std::string& text) { return run(layered({"python3", "-c", text})); }
  void expect_tree_as_it_came() const {
    for (const char* file : {"/a", "/b", "/sub/c"}) {
      EXPECT_EQ(*os::read_file(lower() + file), "as it came") << file;
      struct stat info = {};
      ASSERT_EQ(::stat((lower() + file).c_str(), &info), 0);
      EXPECT_EQ(info.st_mode & 07777, 0644u) << file;
    }
    EXPECT_EQ(os::list_dir(lower())->size(), 3u);
  }
  // Each run needs layers of its own, because the kernel marks folders that were layers.
  void renew_layers() const {
    for (const std::string& each : {upper(), folder() + "/work"}) {
      ASSERT_TRUE(os::remove_tree(each).ok());
      ASSERT_TRUE(os::make_dirs(each, 0755).ok());
    }
    ASSERT_EQ(::chown(upper().c_str(), kCommand, kCommand), 0);
  }
  void expect_over(const std::string& name, std::vector<std::string> arguments, const char* limit) {
    renew_layers();
    const Finished done = run(layered(probe(name, std::move(arguments))));
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.result->status, SandboxStatus::kLimitExceeded) << done.result->reason;
    EXPECT_EQ(done.result->code, limit) << done.result->reason;
  }
};
INSTANTIATE_TEST_SUITE_P(, Layers, testing::Values(As::kRoot),
                         [](const auto&) { return std::string("Root"); });

// Each reader of a folder that has changed has a list of its own, which no cgroup counts.
TEST_P(Layers, ListsOfFoldersHoldNoMoreThanTheMemoryAllows) {
  for (const char* how : {"layers", "removed"}) {
    renew_layers();
    contracts::LaunchRequest launch = layered(probe("hoard_folders", {how, "sub"}));
    launch.policy.limits.memory = wire::Quantity{64 * kMiB};
    launch.policy.limits.file_count = 100'000;
    launch.policy.limits.wall_time = wire::Duration{kAmple};
    const Finished done = run(launch);
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.result->status, SandboxStatus::kMemLimit) << done.result->reason << done.out;
    EXPECT_THAT(done.result->reason, testing::HasSubstr("open folders"));
  }
}

TEST_P(Layers, NoChangeOfAnyKindReachesTheTree) {
  const Finished done = code(R"(
import mmap, os, shutil
open("a", "w").write("gone"); os.chmod("a", 0o600); os.utime("a", (0, 0))
os.link("b", "b2"); open("b2", "w").write("gone"); os.truncate("b", 0)
os.setxattr("b", "user.x", b"1") if hasattr(os, "setxattr") else None
os.rename("sub", "moved"); os.symlink("/etc/passwd", "sub")
with open("moved/c", "r+b") as f:
    m = mmap.mmap(f.fileno(), 0); m[:4] = b"gone"; m.flush()
shutil.rmtree("moved")
print(sorted(os.listdir(".")))
)");
  EXPECT_EQ(done.out, "['a', 'b', 'b2', 'sub']\n") << done.err;
  expect_tree_as_it_came();
}

// packaging/systemd gives the agent none of these.
TEST_P(Layers, NeedNoMoreRightsThanTheServiceHas) {
  in_launcher_ = [] {
    for (const int right : {CAP_SETFCAP, CAP_FOWNER, CAP_FSETID, CAP_MKNOD, CAP_SYS_RESOURCE})
      prctl(PR_CAPBSET_DROP, right);
  };
  const Finished done = code(R"(
import os
open("a", "w").write("gone"); os.rename("sub", "moved"); os.remove("b"); os.mkdir("new")
print(sorted(os.listdir(".")))
)");
  EXPECT_EQ(done.out, "['a', 'moved', 'new']\n") << done.err;
  ASSERT_TRUE(done.result);
  EXPECT_TRUE(done.result->enforced.at("accounts").applied);
  expect_tree_as_it_came();
}

TEST_P(Layers, TheMarksOfTheKernelCannotBeMadeByHand) {
  const Finished done = code(R"(
import os, stat
for what in (lambda: os.mknod("a2", stat.S_IFCHR | 0o600, os.makedev(0, 0)),
             lambda: os.setxattr("sub", "trusted.overlay.opaque", b"y"),
             lambda: os.setxattr("sub", "trusted.overlay.redirect", b"/../../etc")):
    try:
        what()
        print("made")
    except OSError as error:
        print("refused")
)");
  EXPECT_EQ(done.out, "refused\nrefused\nrefused\n") << done.err;
}

TEST_P(Layers, WhatIsWrittenCountsInTheQuota) { expect_over("hoard_bytes", {}, "E_LIMIT_FS"); }

TEST_P(Layers, FilesCountInTheQuota) { expect_over("hoard_files", {}, "E_LIMIT_FILES"); }

TEST_P(Layers, FilesWithoutANameCountInTheQuota) {
  expect_over("hoard_nameless", {}, "E_LIMIT_FS");
  expect_over("hoard_nameless", {"headless"}, "E_LIMIT_FS");
  expect_over("hoard_nameless", {"headless", "open"}, "E_LIMIT_FS");
  expect_over("hoard_nameless", {"running"}, "E_LIMIT_FS");
  expect_over("hoard_nameless", {"empty"}, "E_LIMIT_FILES");
}

TEST_P(Layers, WhatIsRemovedOrOnlyReadDoesNotCount) {
  for (int i = 0; i < 500; ++i) {
    const std::string path = lower() + "/sub/" + std::to_string(i);
    ASSERT_TRUE(os::write_file_atomic(path, "x", 0644).ok());
    ASSERT_EQ(::chown(path.c_str(), kCommand, kCommand), 0);
  }
  const Finished done = code("import os\nfor n in os.listdir('sub'): os.unlink('sub/' + n)\n");
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
}

}  // namespace
}  // namespace paddock::adversarial
