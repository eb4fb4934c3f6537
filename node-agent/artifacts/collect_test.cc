#include "node-agent/artifacts/collect.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "tests/support/failing_disk.h"
#include "tests/support/small_disk.h"

namespace paddock::artifacts {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Collect : public testing::Test {
 protected:
  Collect() {
    std::string pattern = testing::TempDir() + "artifacts-XXXXXX";
    base = ::mkdtemp(pattern.data());
    ws = base + "/ws";
    EXPECT_TRUE(os::make_dirs(ws + "/out").ok());
  }
  ~Collect() override { (void)os::remove_tree(base); }
  void write(const std::string& path, const std::string& content = "x") {
    const std::string whole = ws + "/" + path;
    ASSERT_TRUE(os::make_dirs(whole.substr(0, whole.rfind('/'))).ok());
    ASSERT_TRUE(os::write_file_atomic(whole, content).ok());
  }
  // `meanwhile` is called after an entry was looked at and before it is opened.
  void collect_dirs(
      const std::vector<std::string>& dirs, const std::function<void()>& meanwhile = [] {}) {
    const auto root = os::open_root(ws);
    ASSERT_TRUE(root.ok());
    request.dirs = dirs;
    auto collected = collect(root->get(), request, limits, [&] {
      meanwhile();
      return false;
    });
    ASSERT_TRUE(collected.ok()) << collected.error().describe();
    got = std::move(*collected);
  }
  std::vector<std::string> came_back() const {
    std::vector<std::string> out;
    for (const auto& each : got.artifacts) out.push_back(each.path);
    return out;
  }
  std::string rule_of(const std::string& path) const {
    for (const auto& each : got.left_out) {
      if (each.path == path) return each.rule;
    }
    return "(not left out)";
  }
  std::string reason_of(const std::string& path) const {
    for (const auto& each : got.left_out) {
      if (each.path == path) return each.reason;
    }
    return "(not left out)";
  }

  std::string base, ws;
  const std::vector<std::string> compute = contracts::compute_artifact_types();
  CollectLimits limits;
  CollectRequest request;
  Collected got;
};

// proves: ORB-102, ORB-103, ORB-104, ORB-105, ORB-106, ORB-107, ORB-108, ORB-109, ORB-110, ORB-111
TEST_F(Collect, EveryAllowedTypeComesBackInAnyCase) {
  std::vector<std::string> written;
  for (const char* each : {".usearch",     ".json", ".csv", ".bin",         ".onnx", ".npy", ".npz",
                           ".safetensors", ".txt",  ".log", ".USEARCH",     ".JSON", ".CSV", ".BIN",
                           ".ONNX",        ".NPY",  ".NPZ", ".SAFETENSORS", ".TXT",  ".LOG"}) {
    written.push_back(std::string("out/x") + each);
    write(written.back());
  }
  request.types = compute;
  collect_dirs({"out"});
  EXPECT_THAT(came_back(), testing::UnorderedElementsAreArray(written));
  EXPECT_THAT(got.left_out, IsEmpty());
}

// proves: ORB-112, ORB-113, ORB-114, ORB-115
TEST_F(Collect, OtherTypesAreLeftOutAndNamed) {
  for (const char* each :
       {"x.py",       "x.sh",   "x.so",    "x.dylib", "x.jar",     "x.apk", "x.exe",
        "x.tar.gz",   "x.yaml", "x",       "json",    "x.json.py", "x.",    "..",
        "x.html",     "x.htm",  "x.xhtml", "x.svg",   "x.js",      "x.mjs", "x.HTML",
        "x.txt.html", "x.bat",  "x.ps1",   "x.json ", "x.json/"}) {
    EXPECT_FALSE(allowed_type(each, compute)) << each;
  }
  write("out/code.py");
  for (const char* path : {"out/lib.so", "out/lib.dylib", "out/go.sh", "out/more.py"}) write(path);
  request.types = compute;
  collect_dirs({"out"});
  EXPECT_THAT(came_back(), IsEmpty());
  EXPECT_EQ(got.left_out.size(), 5u);
  EXPECT_THAT(rule_of("out/code.py"),
              AllOf(HasSubstr(": .usearch .json .csv .bin .onnx .npy .npz .safetensors .txt .log;"),
                    HasSubstr("`paddock run`"), HasSubstr("artifacts.computeTypes")));
  EXPECT_TRUE(rule_of("out/code.py").starts_with(rule_of("out/more.py")))
      << "what would help is said once";
}

TEST_F(Collect, WithoutAListEveryFileComesBack) {
  for (const char* path : {"out/model.pt", "out/README", "out/PLOT.PNG", "out/.hidden",
                           "out/a.tar.gz", "out/x.", "out/report.xml"})
    write(path);
  ASSERT_EQ(::chmod((ws + "/out/README").c_str(), 0755), 0);
  collect_dirs({"out"});
  EXPECT_EQ(came_back().size(), 7u);
  EXPECT_THAT(got.left_out, IsEmpty());
  for (const auto& each : got.artifacts) EXPECT_EQ(each.executable, each.path == "out/README");
}

// Git and the next upload would obey them.
TEST_F(Collect, WhatTheCallersProgramsWouldObeyStaysAway) {
  for (const char* path : {"out/.git/config", "out/sub/.GIT", "out/.paddockignore",
                           "out/sub/.PaddockIgnore", "out/.gitignore", "out/.github/x"})
    write(path);
  collect_dirs({"out", "."});
  EXPECT_THAT(came_back(), ElementsAre("out/.github/x", "out/.gitignore"));
  for (const char* path :
       {"out/.git/", "out/sub/.GIT", "out/.paddockignore", "out/sub/.PaddockIgnore"})
    EXPECT_EQ(reason_of(path), "NAME_WOULD_ACT") << path;
}

TEST_F(Collect, AnOperatorsTypesComeBackToo) {
  write("out/model.PT");
  request.types = compute;
  request.types.push_back(".pt");
  collect_dirs({"out"});
  EXPECT_THAT(came_back(), ElementsAre("out/model.PT"));
}

// A project of which the run found `main.py`, `data/in.bin`, `tool` and a link.
TEST_F(Collect, OfTheWholeWorkspaceComesWhatIsNewOrChanged) {
  for (const char* path : {"main.py", "data/in.bin", "tool", "changed.txt", "data/asked.bin"}) {
    write(path, path);
    request.before.entries.push_back(
        {path, crypto::sha256_hex(path), static_cast<int64_t>(std::string(path).size()), false});
  }
  std::ranges::sort(request.before.entries, {}, &contracts::TreeEntry::path);
  request.before.links.push_back({"latest", "data"});
  ASSERT_EQ(::symlink("data", (ws + "/latest").c_str()), 0);
  write("changed.txt", "CHANGED.txt");
  ASSERT_EQ(::chmod((ws + "/tool").c_str(), 0755), 0);
  for (const char* path : {"new.png", ".hidden", "node_modules/m/i.js", "sub/__pycache__/x.pyc"})
    write(path);
  collect_dirs({"."});
  EXPECT_THAT(came_back(), ElementsAre(".hidden", "changed.txt", "new.png", "tool"));
  EXPECT_EQ(rule_of("node_modules/"), "built-in: node_modules/");
  EXPECT_EQ(reason_of("sub/__pycache__/"), "IGNORED");
  EXPECT_EQ(got.left_out.size(), 2u);
  collect_dirs({"./", "data"});
  EXPECT_THAT(came_back(), ElementsAre("data/asked.bin", "data/in.bin", ".hidden", "changed.txt",
                                       "new.png", "tool"));
}

TEST_F(Collect, OfTheWholeWorkspaceTheTypesStillHold) {
  write("main.py", "same");
  write("lib.py", "other");
  request.before.entries = {{"lib.py", crypto::sha256_hex("before"), 5, false},
                            {"main.py", crypto::sha256_hex("same"), 4, false}};
  request.types = compute;
  collect_dirs({"."});
  EXPECT_THAT(came_back(), IsEmpty());
  EXPECT_EQ(got.left_out.size(), 1u);
  EXPECT_EQ(reason_of("lib.py"), "ARTIFACT_TYPE_NOT_LISTED");
}

// proves: ORB-35
TEST_F(Collect, AMixedFolderGivesTheAllowedFilesWithTheirDigests) {
  write("out/index.bin", "abc");
  write("out/deep/er/measure.json", "{}");
  write("out/secret.key", "k");
  write("elsewhere/other.json", "{}");
  request.types = compute;
  collect_dirs({"out/"});
  EXPECT_THAT(came_back(), ElementsAre("out/deep/er/measure.json", "out/index.bin"));
  EXPECT_EQ(got.artifacts[1].digest, crypto::sha256_hex("abc"));
  EXPECT_EQ(got.artifacts[1].size, 3);
  EXPECT_EQ(got.bytes, 5);
  EXPECT_EQ(got.left_out.size(), 1u);
}

TEST_F(Collect, OverlappingFoldersGiveEachFileOnce) {
  write("out/a/x.txt");
  collect_dirs({"out", "./out/a/", "."});
  EXPECT_THAT(came_back(), ElementsAre("out/a/x.txt"));
}

TEST_F(Collect, AMissingFolderIsNamed) {
  collect_dirs({"models"});
  EXPECT_EQ(reason_of("models"), "ARTIFACT_DIR_MISSING");
}

TEST_F(Collect, FoldersOutsideTheWorkspaceAreNotEntered) {
  ASSERT_TRUE(os::make_dirs(base + "/outside").ok());
  ASSERT_TRUE(os::write_file_atomic(base + "/outside/secret.txt", "s").ok());
  ASSERT_EQ(::symlink((base + "/outside").c_str(), (ws + "/link").c_str()), 0);
  collect_dirs({"../outside", "/etc", "link"});
  EXPECT_THAT(came_back(), IsEmpty());
  EXPECT_EQ(got.left_out.size(), 3u);
}

// proves: ORB-128
TEST_F(Collect, LinksDevicesAndPipesAreRefusedWithoutBlocking) {
  write("out/real.txt");
  ASSERT_EQ(::symlink("/etc/passwd", (ws + "/out/passwd.txt").c_str()), 0);
  ASSERT_EQ(::symlink("..", (ws + "/out/up").c_str()), 0);
  ASSERT_EQ(::mkfifo((ws + "/out/pipe.txt").c_str(), 0600), 0);
  write("hard.txt");
  ASSERT_EQ(::link((ws + "/hard.txt").c_str(), (ws + "/out/hard.txt").c_str()), 0);
  collect_dirs({"out"});
  EXPECT_THAT(came_back(), ElementsAre("out/real.txt"));
  EXPECT_EQ(reason_of("out/passwd.txt"), "LINK_NOT_FOLLOWED");
  EXPECT_EQ(reason_of("out/up"), "LINK_NOT_FOLLOWED");
  EXPECT_EQ(reason_of("out/pipe.txt"), "NOT_A_REGULAR_FILE");
  EXPECT_EQ(reason_of("out/hard.txt"), "HARD_LINKED");
}

// proves: ORB-128
TEST_F(Collect, WhatIsSwappedAfterTheLookIsNotFollowed) {
  ASSERT_TRUE(os::write_file_atomic(base + "/secret", "secret").ok());
  write("out/in/link.txt");
  write("out/in/hard.txt");
  write("out/in/pipe.txt");
  write("out/in/grown.txt");
  limits.bytes = 1'000;
  const std::string in = ws + "/out/in";
  const auto swap = [&] {
    if (!os::exists(in + "/link.txt")) return;
    for (const char* name : {"/link.txt", "/hard.txt", "/pipe.txt"}) {
      (void)::unlink((in + name).c_str());
    }
    (void)::symlink((base + "/secret").c_str(), (in + "/link.txt").c_str());
    (void)::link((base + "/secret").c_str(), (in + "/hard.txt").c_str());
    (void)::mkfifo((in + "/pipe.txt").c_str(), 0600);
    (void)::truncate((in + "/grown.txt").c_str(), 2'000);
  };
  collect_dirs({"out"}, swap);
  EXPECT_THAT(came_back(), IsEmpty());
  EXPECT_EQ(got.left_out.size(), 4u);
}

// proves: ORB-128
TEST_F(Collect, AFolderThatIsSwappedForALinkIsNotEntered) {
  ASSERT_TRUE(os::make_dirs(base + "/outside").ok());
  ASSERT_TRUE(os::write_file_atomic(base + "/outside/x.txt", "secret").ok());
  write("out/in/x.txt");
  collect_dirs({"out"}, [&] {
    if (::rename((ws + "/out/in").c_str(), (ws + "/aside").c_str()) != 0) return;
    (void)::symlink((base + "/outside").c_str(), (ws + "/out/in").c_str());
  });
  for (const auto& each : got.artifacts) EXPECT_NE(each.digest, crypto::sha256_hex("secret"));
}

TEST_F(Collect, ASparseFileCountsWithItsFullSize) {
  limits.bytes = 1 << 20;
  write("out/small.bin", "x");
  write("out/bomb.bin", "");
  ASSERT_EQ(::truncate((ws + "/out/bomb.bin").c_str(), off_t{1} << 40), 0);
  collect_dirs({"out"});
  EXPECT_THAT(came_back(), ElementsAre("out/small.bin"));
  EXPECT_EQ(reason_of("out/bomb.bin"), "ARTIFACTS_OVER_LIMIT");
  EXPECT_THAT(rule_of("out/bomb.bin"), HasSubstr("1.0 MiB"));
}

TEST_F(Collect, TooManyFilesAreLeftOutAndTheListStaysBounded) {
  limits.files = 3;
  limits.left_out = 2;
  for (int i = 0; i < 9; ++i) write(cat("out/", i, ".txt"));
  collect_dirs({"out"});
  EXPECT_THAT(came_back(), ElementsAre("out/0.txt", "out/1.txt", "out/2.txt"));
  ASSERT_EQ(got.left_out.size(), 3u);
  EXPECT_EQ(got.left_out[0].reason, "ARTIFACTS_OVER_LIMIT");
  EXPECT_EQ(got.left_out[2].reason, "MORE_LEFT_OUT");
  EXPECT_THAT(got.left_out[2].rule, HasSubstr(" 4 more"));
}

// A byte of a name may be six there.
TEST_F(Collect, NamesCountAsTheyAreInTheOutcome) {
  limits.name_bytes = 2'000;
  for (int i = 0; i < 3; ++i) {
    const std::string link = cat(ws, "/out/", i, std::string(200, '\x01'));
    ASSERT_EQ(::symlink("/", link.c_str()), 0);
  }
  write("out/x.txt");
  collect_dirs({"out"});
  ASSERT_EQ(got.left_out.size(), 2u);
  EXPECT_EQ(got.left_out[0].reason, "LINK_NOT_FOLLOWED");
  EXPECT_THAT(got.left_out[1].rule, HasSubstr(" 2 more"));
  EXPECT_THAT(came_back(), ElementsAre("out/x.txt")) << "what is not listed weighs nothing";
}

// Nobody keeps more names than that, however many a run made.
TEST_F(Collect, NamesThatAreNotKeptAreToldAsANumber) {
  limits.kept_names = 4096;
  for (int i = 0; i < 100; ++i) write(cat("out/", i, ".txt"));
  collect_dirs({"out"});
  EXPECT_GT(got.artifacts.size(), 20U);
  EXPECT_LT(got.artifacts.size(), 40U);
  ASSERT_EQ(got.left_out.size(), 1U);
  EXPECT_EQ(got.left_out[0].reason, "MORE_LEFT_OUT");
  EXPECT_THAT(got.left_out[0].rule, HasSubstr(cat(100 - got.artifacts.size(), " more")));
}

TEST_F(Collect, NamesThatNoDocumentCanCarryAreLeftOut) {
  write("out/new\nline.txt");
  write("out/\xff.txt");
  collect_dirs({"out"});
  EXPECT_THAT(came_back(), IsEmpty());
  EXPECT_EQ(got.left_out.size(), 2u);
  EXPECT_EQ(reason_of("out/new\nline.txt"), "PATH_INVALID");
}

TEST_F(Collect, AnInterruptionStopsIt) {
  write("out/x.txt");
  const auto root = os::open_root(ws);
  const auto stopped = collect(root->get(), {{"out"}, {}, {}}, limits, [] { return true; });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().reason, "INTERRUPTED");
}

// A disk that fails under one file costs that file, and says so; a run's result is not lost with
// it.
TEST_F(Collect, WhatTheDiskDoesNotGiveIsNamedAndTheRestComesBack) {
  const std::string said = test::in_child([this]() -> std::string {
    if (!test::mount_image(base + "/image", ws)) return test::kNoMounts;
    write("out/lost", std::string(3 << 20, 'x'));
    write("out/well", "well");
    if (!test::lose_content(base + "/image", ws + "/out/lost")) return "nothing was lost";
    collect_dirs({"out"});
    if (!got.disk_fault) return "no fault is told";
    return cat(got.disk_fault->reason, " ", join(came_back(), ","), " ", reason_of("out/lost"));
  });
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_EQ(said, "DISK_FAILS out/well NODE_DISK_FAILS");
}

TEST_F(Collect, ADiskThatFailsIsNotAskedForEachFile) {
  limits.disk_faults = 1;
  const std::string said = test::in_child([this]() -> std::string {
    if (!test::mount_image(base + "/image", ws)) return test::kNoMounts;
    write("out/a-lost", std::string(3 << 20, 'x'));
    write("out/b-well", "well");
    if (!test::lose_content(base + "/image", ws + "/out/a-lost")) return "nothing was lost";
    collect_dirs({"out"});
    return cat(got.artifacts.size(), " ", rule_of("out/b-well"));
  });
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_EQ(said, "0 the node's disk failed before it was read");
}

}  // namespace
}  // namespace paddock::artifacts
