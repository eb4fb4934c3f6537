// What a command may write below /proc: the names of its threads, and with them what else of its
// own the kernel shows there as files of its owner. On every profile, whoever makes the view.
#include <fcntl.h>

#include "common/contracts/profile.h"
#include "common/os/file.h"
#include "tests/adversarial/attached_run_fixture.h"
#include "tests/adversarial/degraded_host.h"

namespace paddock::adversarial {
namespace {

class Proc : public SandboxTest {
 protected:
  // The profile's own limits, but for time: a loaded machine must not decide a test.
  contracts::LaunchRequest in_profile(const std::string& profile,
                                      std::vector<std::string> command) const {
    contracts::LaunchRequest launch = request(std::move(command));
    const auto time = launch.policy.limits;
    launch.policy = *contracts::profile_policy(profile);
    launch.policy.limits.wall_time = time.wall_time;
    launch.policy.limits.cpu_time = time.cpu_time;
    return launch;
  }
  void expect_contained_in_every_profile(const std::string& name) {
    for (const std::string& profile : contracts::profile_names()) {
      const Finished done = run(in_profile(profile, probe(name)));
      ASSERT_TRUE(done.result) << profile;
      EXPECT_EQ(done.out, "CONTAINED\n") << profile << ": " << done.result->reason << done.err;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(, Proc, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(Proc, LetsThreadsBeNamed) { expect_contained_in_every_profile("thread_names"); }
TEST_P(Proc, LetsNothingElseBeWrittenThanIsListed) {
  expect_contained_in_every_profile("proc_writes");
}

TEST_P(Proc, IsTheSameInAViewThatTheChildMakesItself) {
  if (!as_root()) GTEST_SKIP() << "an ordinary user's child always makes it";
  in_launcher_ = claim_old_kernel;
  expect_contained_in_every_profile("thread_names");
  expect_contained_in_every_profile("proc_writes");
}

// A process that writes its own memory runs code of no listed program.
TEST_P(Proc, IsReadOnlyForARunThatNamesItsTools) {
  contracts::LaunchRequest launch = request(
      {"sh", "-c",
       "for name in comm mem oom_score_adj task/$$/comm task/$$/mem; do\n"
       "  (: > /proc/$$/$name) 2>/dev/null && echo wrote $name\n"
       "  (: >> /proc/$$/$name) 2>/dev/null && echo added to $name\n"
       "  dd if=/dev/null of=/proc/self/$name conv=notrunc 2>/dev/null && echo copied to $name\n"
       "done; read line < /proc/$$/comm; echo $line"});
  launch.policy.tools = {"sh", "dd"};
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  if (done.result->reason.find("TOOLS_UNSUPPORTED") != std::string::npos)
    GTEST_SKIP() << done.result->reason;
  EXPECT_EQ(done.out, "sh\n") << done.err;
}

class ServedProc : public AttachedRun {};
INSTANTIATE_TEST_SUITE_P(, ServedProc, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(ServedProc, LetsThreadsBeNamed) { expect_contained("thread_names"); }
TEST_P(ServedProc, LetsNothingElseBeWrittenThanIsListed) { expect_contained("proc_writes"); }

// The descriptor reads. Mode and mount of its file would allow more, and /proc opens it again.
TEST_P(ServedProc, OpensNoFileOfTheHostForMoreThanItsDescriptorMay) {
  const std::string given = folder() + "/given";
  ASSERT_TRUE(os::write_file_atomic(given, "as it came\n", 0666).ok());
  const os::Fd input(open(given.c_str(), O_RDONLY | O_CLOEXEC));
  const auto fed = feed(request({"sh", "-c",
                                 "read line; echo read $line\n"
                                 "(: > /proc/self/fd/0) 2>/dev/null && echo wrote\n"
                                 "(: >> /dev/stdin) 2>/dev/null && echo added\n"
                                 "echo end"}),
                        input);
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  ASSERT_TRUE(launch::begin_attached(fed->run, kLong).ok());
  const auto result = result_of(*fed);
  if (!result.enforced.at("landlock").applied) GTEST_SKIP() << "this host has no second wall";
  EXPECT_EQ(result.out, "read as it came\nend\n") << result.reason << result.err;
  EXPECT_EQ(os::read_file(given).value(), "as it came\n");
}

}  // namespace
}  // namespace paddock::adversarial
