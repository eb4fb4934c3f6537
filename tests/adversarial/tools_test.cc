// Runs that name their tools: nothing else is executed, by whatever name, and every attempt is
// told. In each kind of launch: one for itself, one that makes its view itself, one from a launcher
// that serves runs of every kind, and one from a launcher that is asked about every program.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "common/os/file.h"
#include "tests/adversarial/degraded_host.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

bool cannot_narrow(const Finished& done) {
  return done.result && done.result->reason.find("TOOLS_UNSUPPORTED") != std::string::npos;
}

std::vector<std::string> denied(const Finished& done, std::string_view what) {
  std::vector<std::string> out;
  if (!done.result) return out;
  for (const contracts::Denial& each : done.result->denials) {
    if (each.what == what) out.push_back(each.target);
  }
  return out;
}

template <class Launching>
class NamedTools : public Launching {
 protected:
  Finished run_with(std::vector<std::string> tools, std::vector<std::string> command) {
    contracts::LaunchRequest launch = this->request(std::move(command));
    launch.policy.tools = std::move(tools);
    launch.policy.limits.pids = 32;
    return this->run(launch);
  }
  Finished shell(std::vector<std::string> tools, std::string text) {
    tools.push_back("sh");
    return run_with(std::move(tools), {"sh", "-c", std::move(text)});
  }

  void expect_nothing_else_is_executed() {
    const Finished done = run_with({"/probes/other_programs", "cat"}, {"/probes/other_programs"});
    if (cannot_narrow(done)) GTEST_SKIP() << done.result->reason;
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.out, "CONTAINED\n") << done.result->reason << done.err;
    const std::vector<std::string> told = denied(done, "execute");
    for (const char* name : {"/usr/bin/true", "true", "/workspace/copy", "/dev/shm/copy",
                             "/workspace/script", "/workspace/to-link", "/probes/polite"})
      EXPECT_THAT(told, Contains(name));
    for (const char* name : {"/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"})
      EXPECT_THAT(told, Contains(HasSubstr(name)));
    EXPECT_THAT(told, Not(Contains("/probes/other_programs")));
    EXPECT_THAT(denied(done, "system call"), Contains("memfd_create"));
  }

  void expect_the_loader_executes_nothing() {
    const Finished done = shell({}, R"sh(
for loader in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1; do
  [ -e $loader ] || continue
  for program in /usr/bin/env /usr/bin/perl /usr/lib/git-core/git /bin/sh; do
    $loader $program --version && echo BREACH $program
  done
  exec 3<$loader; /proc/self/fd/3 /usr/bin/env && echo BREACH by descriptor
done; echo end)sh");
    if (cannot_narrow(done)) GTEST_SKIP() << done.result->reason;
    EXPECT_EQ(done.out, "end\n") << done.err;
    EXPECT_THAT(denied(done, "execute"), Contains(HasSubstr("/ld-linux-")));
    EXPECT_THAT(denied(done, "execute"), Contains("/proc/self/fd/3"));
  }

  // What was written is no library of a tool either; those of the system are.
  void expect_no_code_from_what_runs_fill() {
    ASSERT_EQ(mkdir((this->folder() + "/volume").c_str(), 0755), 0);
    contracts::LaunchRequest launch = this->request({"sh", "-c", R"sh(
library=$(echo /lib/*/libm.so.6)
for folder in /workspace /tmp /dev/shm; do cp $library $folder/code.so; done
for file in /workspace/code.so /tmp/code.so /dev/shm/code.so /volumes/given/code.so $library; do
  LD_PRELOAD=$file grep -q "r-xp .*$file" /proc/self/maps && echo "loaded ${file#/usr}"
done)sh"});
    launch.policy.tools = {"sh", "cp", "grep"};
    launch.mounts.push_back(
        {this->folder() + "/volume", "/volumes/given", contracts::MountMode::kReadOnly});
    for (const char* library :
         {"/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6"}) {
      if (const auto bytes = os::read_file(library, size_t{1} << 30); bytes.ok()) {
        ASSERT_TRUE(os::write_file_atomic(this->folder() + "/volume/code.so", *bytes, 0755).ok());
      }
    }
    const Finished done = this->run(launch);
    if (cannot_narrow(done)) GTEST_SKIP() << done.result->reason;
    EXPECT_THAT(done.out, testing::MatchesRegex("loaded /lib/.*/libm.so.6\n")) << done.err;
  }

  // By every name that the system has for them.
  void expect_tools_work() {
    ASSERT_TRUE(os::write_file_atomic(this->workspace() + "/script",
                                      "#!/bin/sh\necho script $1 $(cat /etc/hostname)\n", 0755)
                    .ok());
    ASSERT_EQ(symlink("/usr/bin/awk", (this->workspace() + "/link").c_str()), 0);
    const Finished done = shell({"cat", "awk", "env", "python3", "/bin/ls"}, R"sh(
cat /etc/hostname; awk 'BEGIN { print "awk" }'; ./link 'BEGIN { print "link" }'
env LC_ALL=C awk 'BEGIN { system("cat /etc/hostname") }'
sh ./script one; . ./script two
/proc/self/exe -c 'echo again'
ls script; /usr/bin/ls script
python3 -c '
import subprocess, sys, threading, ctypes, os
print(subprocess.run(["cat", "/etc/hostname"], capture_output=True, text=True).stdout, end="")
print(subprocess.run([sys.executable, "-c", "print(1 + 1)"], capture_output=True, text=True).stdout, end="")
print(subprocess.run("awk \"BEGIN { print 3 }\"", shell=True, capture_output=True, text=True).stdout, end="")
newer = tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 3)
print(os.write(os.memfd_create("x", 8), b"12") if newer else 2)
')sh");
    if (cannot_narrow(done)) GTEST_SKIP() << done.result->reason;
    EXPECT_EQ(done.out,
              "sandbox\nawk\nlink\nsandbox\nscript one sandbox\nscript sandbox\nagain\n"
              "script\nscript\nsandbox\n2\n3\n2\n")
        << done.err;
    EXPECT_THAT(done.result->denials, testing::IsEmpty()) << done.result->denials[0].target;
  }

  // Two programs of one package: each is named by itself. The denial says what is missing.
  void expect_helpers_are_programs_of_their_own() {
    const std::string helper = "/usr/lib/git-core/git";
    if (!os::exists("/usr/bin/git") || !os::exists(helper)) GTEST_SKIP() << "git is not installed";
    const std::string text = R"sh(rm -rf /workspace/* /workspace/.git; git init -q . 2>/dev/null
echo 1 > a; git add a; git -c user.name=a -c user.email=b commit -qm one; git log --format=%s)sh";
    const Finished without = shell({"git", "rm"}, text);
    if (cannot_narrow(without)) GTEST_SKIP() << without.result->reason;
    EXPECT_EQ(without.out, "one\n") << without.err;
    EXPECT_THAT(denied(without, "execute"), Contains(helper));
    const Finished with = shell({"git", "rm", helper}, text);
    EXPECT_EQ(with.out, "one\n") << with.err;
    EXPECT_THAT(denied(with, "execute"), testing::IsEmpty());
  }
};

using Tools = NamedTools<SandboxTest>;
INSTANTIATE_TEST_SUITE_P(, Tools, testing::Values(As::kRoot, As::kUser), name_of);

// proves: WSM-25
TEST_P(Tools, AreAllThatIsExecuted) { expect_nothing_else_is_executed(); }
// proves: WSM-25
TEST_P(Tools, AreNotWhatTheirLoaderIsGiven) { expect_the_loader_executes_nothing(); }
TEST_P(Tools, LoadNothingThatARunWrote) { expect_no_code_from_what_runs_fill(); }
TEST_P(Tools, WorkByAllOfTheirNames) { expect_tools_work(); }
TEST_P(Tools, AreNamedOneByOne) { expect_helpers_are_programs_of_their_own(); }

TEST_P(Tools, HoldInAViewThatTheChildMakesItself) {
  if (!as_root()) GTEST_SKIP() << "an ordinary user's child always makes it";
  in_launcher_ = claim_old_kernel;
  expect_nothing_else_is_executed();
  expect_the_loader_executes_nothing();
  expect_tools_work();
}

// Whoever can have a loader executed has everything executed.
TEST_P(Tools, AreNoLoaders) {
  for (const char* loader : {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"}) {
    if (!os::exists(loader)) continue;
    const Finished done = run_with({"sh", loader}, {"sh", "-c", "echo BREACH"});
    if (cannot_narrow(done)) GTEST_SKIP() << done.result->reason;
    ASSERT_TRUE(done.result);
    EXPECT_FALSE(done.started);
    EXPECT_THAT(done.result->reason, HasSubstr("tools[1]"));
    EXPECT_THAT(done.result->reason, HasSubstr("loads programs"));
  }
}

// The kernel follows more than the launcher does.
TEST_P(Tools, AreToldFromNamesOfVeryManyParts) {
  const Finished done = shell({}, R"sh(
name=/proc/self/root; i=0; while [ $i -lt 70 ]; do name=$name/usr/..; i=$((i+1)); done
$name/usr/bin/env 2>/dev/null; echo $?)sh");
  if (cannot_narrow(done)) GTEST_SKIP() << done.result->reason;
  EXPECT_EQ(done.out.substr(0, 2), "12") << done.err;
  EXPECT_THAT(denied(done, "execute"), Contains(HasSubstr("/usr/..")));
}

// A flood of attempts is counted, and what it hides is told.
TEST_P(Tools, AreToldFromAFloodOfOtherNames) {
  const Finished done = shell({"ln"}, R"sh(
i=0; while [ $i -lt 400 ]; do ln -s /usr/bin/env /workspace/$i; /workspace/$i 2>/dev/null; i=$((i+1)); done)sh");
  if (cannot_narrow(done)) GTEST_SKIP() << done.result->reason;
  ASSERT_TRUE(done.result);
  EXPECT_LE(done.result->denials.size(), 300u);
  int64_t told = 0;
  for (const contracts::Denial& each : done.result->denials) told += each.count;
  EXPECT_EQ(told, 400);
}

using ServedTools = NamedTools<ServeTest>;
INSTANTIATE_TEST_SUITE_P(, ServedTools, testing::Values(As::kRoot, As::kUser), name_of);

// proves: WSM-25
TEST_P(ServedTools, AreAllThatIsExecuted) { expect_nothing_else_is_executed(); }
TEST_P(ServedTools, AreNotWhatTheirLoaderIsGiven) { expect_the_loader_executes_nothing(); }
TEST_P(ServedTools, LoadNothingThatARunWrote) { expect_no_code_from_what_runs_fill(); }
TEST_P(ServedTools, WorkByAllOfTheirNames) { expect_tools_work(); }

// A run of the same launcher that names no tools is not judged.
TEST_P(ServedTools, AreOfOneRunAlone) {
  const Finished before = run_with({}, {"env", "true"});
  EXPECT_EQ(before.exit_code, 0) << before.err;
  expect_the_loader_executes_nothing();
  const Finished after = run_with({}, {"/usr/bin/env", "true"});
  EXPECT_EQ(after.exit_code, 0) << after.err;
}

class AskedAboutAll : public ServeTest {
 protected:
  std::vector<std::string> further_options() const override {
    return {"--judge", "exec", "--tools", "sh,cat"};
  }
};
using JudgedTools = NamedTools<AskedAboutAll>;
INSTANTIATE_TEST_SUITE_P(, JudgedTools, testing::Values(As::kRoot, As::kUser), name_of);

// proves: WSM-25
TEST_P(JudgedTools, AreAllThatIsExecuted) { expect_nothing_else_is_executed(); }
TEST_P(JudgedTools, AreNotWhatTheirLoaderIsGiven) { expect_the_loader_executes_nothing(); }
TEST_P(JudgedTools, LoadNothingThatARunWrote) { expect_no_code_from_what_runs_fill(); }
TEST_P(JudgedTools, WorkByAllOfTheirNames) { expect_tools_work(); }

// Everything is ready before the run for the tools that the launcher was told of.
TEST_P(JudgedTools, ThatStandHaveNoLoaderToCallEither) {
  const Finished done = shell({"cat"}, R"sh(
for loader in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1; do
  [ -e $loader ] && $loader /usr/bin/env && echo BREACH
done; cat /etc/hostname)sh");
  if (cannot_narrow(done)) GTEST_SKIP() << done.result->reason;
  EXPECT_EQ(done.out, "sandbox\n") << done.err;
}

}  // namespace
}  // namespace paddock::adversarial
