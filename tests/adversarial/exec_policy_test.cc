// A launcher that is asked about every program: what a run's tools do not name is not executed, and
// told, though nobody is asked about the tool that the run begins with.
#include <unistd.h>

#include "common/os/file.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;

class Judged : public ServeTest {
 protected:
  std::vector<std::string> further_options() const override {
    return {"--judge", "exec", "--tools", "sh,cat"};
  }
  Finished run_with_tools(std::vector<std::string> command) {
    auto launch = request(std::move(command));
    launch.policy.tools = {"sh", "cat"};
    return run(launch);
  }
  static std::string loader() {
    const char* const x86_64 = "/lib64/ld-linux-x86-64.so.2";
    return os::exists(x86_64) ? x86_64 : "/lib/ld-linux-aarch64.so.1";
  }
  static bool unsupported(const Finished& done) {
    return done.result && done.result->reason.find("TOOLS_UNSUPPORTED") != std::string::npos;
  }
  static std::vector<std::string> denied(const Finished& done) {
    std::vector<std::string> out;
    for (const contracts::Denial& each : done.result->denials) {
      if (each.what == "execute") out.push_back(each.target);
    }
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(, Judged, testing::Values(As::kRoot, As::kUser), name_of);

// By its name, its path, and a link to it.
TEST_P(Judged, BeginsWithAToolByAnyOfItsNames) {
  ASSERT_EQ(symlink("/usr/bin/sh", (workspace() + "/link").c_str()), 0);
  for (const char* name : {"sh", "/bin/sh", "/usr/bin/dash", "/workspace/link"}) {
    const Finished done = run_with_tools({name, "-c", "cat /etc/hostname; ls; /bin/ls /"});
    if (unsupported(done)) GTEST_SKIP() << done.result->reason;
    ASSERT_TRUE(done.result) << name;
    EXPECT_EQ(done.out, "sandbox\n") << name << done.err;
    EXPECT_THAT(denied(done), testing::ElementsAre("/usr/bin/ls", "/bin/ls")) << name;
  }
}

// proves: WSM-25
TEST_P(Judged, DoesNotBeginWithAnythingElseAndTells) {
  ASSERT_EQ(symlink("/usr/bin/ls", (workspace() + "/sh").c_str()), 0);
  ASSERT_TRUE(
      os::write_file_atomic(workspace() + "/script", "#!/bin/sh\necho BREACH\n", 0755).ok());
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"/usr/bin/ls"},
                                             {"/workspace/sh"},
                                             {"/workspace/script"},
                                             {loader(), "/usr/bin/cat", "/etc/hostname"}}) {
    const Finished done = run_with_tools(command);
    if (unsupported(done)) GTEST_SKIP() << done.result->reason;
    ASSERT_TRUE(done.result) << command[0];
    EXPECT_FALSE(done.started) << command[0];
    EXPECT_NE(done.result->status, SandboxStatus::kOk) << command[0];
    EXPECT_EQ(done.out, "") << command[0];
    EXPECT_THAT(denied(done), testing::ElementsAre(command[0]));
  }
}

// What is long travels another way.
TEST_P(Judged, TakesALongCommandAsItTakesAShortOne) {
  for (const size_t length : {size_t{10}, size_t{3'900}, size_t{4'100}, size_t{50'000}}) {
    const Finished done =
        run_with_tools({"sh", "-c", "echo ${#1}", "sh", std::string(length, 'x')});
    if (unsupported(done)) GTEST_SKIP() << done.result->reason;
    ASSERT_TRUE(done.result) << length;
    EXPECT_EQ(done.out, cat(length, "\n")) << done.err;
  }
}

}  // namespace
}  // namespace paddock::adversarial
