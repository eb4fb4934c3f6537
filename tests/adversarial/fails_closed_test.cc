// On a host that lacks something, nothing runs unprotected: the run is refused and says what is
// missing, or goes on where the policy allows that and says so. Each test takes one thing away from
// the launcher and from all that it starts.
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/contracts/canary.h"
#include "common/os/file.h"
#include "common/wire/json.h"
#include "tests/adversarial/degraded_host.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::EnforcementLevel;
using contracts::SandboxStatus;
using testing::HasSubstr;

class FailsClosed : public SandboxTest {
 protected:
  // A run that would leave a trace, on a host without that. Refused whatever may be partial.
  void expect_refused(const std::string& name) {
    for (const bool partial : {false, true}) {
      contracts::LaunchRequest launch = request({"touch", "/workspace/ran"});
      launch.policy.allow_partial = partial;
      const Finished done = run(launch);
      if (done.exit_code == kCannotWorsen) GTEST_SKIP() << "this host cannot be made worse so";
      ASSERT_TRUE(done.result) << name << ": exit code " << done.exit_code;
      EXPECT_EQ(done.result->status, SandboxStatus::kInternalError) << done.result->reason;
      EXPECT_EQ(done.result->rc, 1);
      EXPECT_THAT(done.result->reason, HasSubstr(name));
      EXPECT_EQ(done.result->reason.find(folder()), std::string::npos) << "a host path leaves";
      EXPECT_FALSE(os::exists(workspace() + "/ran")) << "it ran all the same";
      for (const auto& [capability, enforcement] : done.result->enforced)
        EXPECT_FALSE(enforcement.applied) << capability;
    }
  }
  void without(const Missing& missing) {
    in_launcher_ = [missing] { take_away(missing); };
  }
  // What the canaries say on that host.
  std::optional<contracts::SandboxProof> prove() {
    const std::string file = folder() + "/io/proof";
    const auto worsen = in_launcher_;
    in_launcher_ = [worsen, file] {
      if (dup2(open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666), 1) != 1) _exit(1);
      if (worsen) worsen();
    };
    int status = 0;
    waitpid(spawn_launcher({"probe"}), &status, 0);
    const auto text = os::read_file(file);
    if (!text.ok()) return std::nullopt;
    const auto value = wire::parse_json(*text);
    if (!value.ok()) return std::nullopt;
    auto proof = wire::decode<contracts::SandboxProof>(*value);
    return proof.ok() ? std::optional(*proof) : std::nullopt;
  }
};
INSTANTIATE_TEST_SUITE_P(, FailsClosed, testing::Values(As::kRoot, As::kUser), name_of);

contracts::Canary find_canary(const contracts::SandboxProof& proof, std::string_view name) {
  for (const contracts::Canary& canary : proof.canaries) {
    if (canary.name == name) return canary;
  }
  ADD_FAILURE() << "there is no canary " << name;
  return {};
}

bool has(const contracts::SandboxProof& proof, std::string_view capability) {
  for (const contracts::Capability& each : proof.capabilities) {
    if (each.name == capability) return each.available;
  }
  return false;
}

struct Step {
  const char* name;  // in the reason
  Missing missing;
};

// proves: VLT-50, VLT-83, VLT-87
TEST_P(FailsClosed, WithoutAnyKernelFeatureThatIsolates) {
  const Step steps[] = {
      {"namespaces", {SYS_clone3, EPERM}},
      {"making the command's user namespace", {SYS_unshare, EPERM, 0, CLONE_NEWUSER}},
      {"making a cgroup namespace", {SYS_unshare, EPERM, 0, CLONE_NEWCGROUP}},
      {"making the mounts private", {SYS_mount, EPERM}},
      {"copying the mount", {SYS_open_tree, ENOSYS}},
      {"restricting the mount", {SYS_mount_setattr, ENOSYS}},
      {"pivot_root", {SYS_pivot_root, EPERM}},
      {"installing the system call filter", {SYS_seccomp, EPERM}},
      // The notification alone.
      {"installing the system call filter",
       {SYS_seccomp, EINVAL, 1, SECCOMP_FILTER_FLAG_NEW_LISTENER}},
      {"taking the Landlock ruleset on", {SYS_landlock_restrict_self, EPERM}},
      {"setting the limit", {SYS_prlimit64, EPERM, 2, ~0u}},
      {"capabilities", {SYS_capset, EPERM}},
      {"setting the host name", {SYS_sethostname, EPERM}},
  };
  for (const Step& step : steps) {
    SCOPED_TRACE(step.name);
    // The program that makes an ordinary user of the launcher needs it too.
    if (!as_root() && step.missing.call == SYS_capset) continue;
    without(step.missing);
    expect_refused(step.name);
    if (IsSkipped()) return;
  }
}

TEST_P(FailsClosed, WhereTheKernelGivesNoMoreNamespaces) {
  for (const char* setting : {"max_user_namespaces", "max_mnt_namespaces", "max_pid_namespaces",
                              "max_net_namespaces", "max_ipc_namespaces", "max_uts_namespaces"}) {
    SCOPED_TRACE(setting);
    if (!as_root()) GTEST_SKIP() << "the user's id does not exist in the namespace of this test";
    in_launcher_ = [setting] { allow_none(setting); };
    expect_refused("making the namespaces");
    if (IsSkipped()) return;
  }
}

TEST_P(FailsClosed, WithoutLandlockItGoesOnAndSaysSo) {
  without({SYS_landlock_create_ruleset, ENOSYS});
  const Finished done = run(std::vector<std::string>{"true"});
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
  const contracts::Enforcement& wall = done.result->enforced.at("landlock");
  EXPECT_FALSE(wall.applied);
  EXPECT_EQ(wall.level, EnforcementLevel::kNone);
  EXPECT_NE(wall.details, "");
}

// proves: VLT-83
TEST_P(FailsClosed, WithoutCgroupsItSaysWhatHoldsInstead) {
  for (const auto worsen : {hide_cgroups, write_protect_cgroups}) {
    in_launcher_ = worsen;
    const Finished done = run(std::vector<std::string>{"true"});
    if (done.exit_code == kCannotWorsen) GTEST_SKIP() << "this host cannot be made worse so";
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason;
    EXPECT_EQ(done.result->enforced.at("memory").mechanism, "RLIMIT_DATA");
    EXPECT_THAT(done.result->enforced.at("memory").details, HasSubstr("per process"));
    EXPECT_EQ(done.result->enforced.at("pids").mechanism, "RLIMIT_NPROC");
    EXPECT_EQ(done.result->enforced.at("cpuTime").mechanism, "RLIMIT_CPU");
  }
}

// Without a cgroup the kernel holds each process to its private memory. The rest of what a process
// can fill is seen by the launcher.
TEST_P(FailsClosed, WithoutCgroupsAProcessIsHeldToTheMemoryThatItSharesToo) {
  constexpr int64_t kLimit = int64_t{48} << 20;
  in_launcher_ = hide_cgroups;
  // One fills 96 MiB of page tables with addresses of the kernel's one page of zeros. The first
  // thread of the last one ends before the others.
  for (const char* hold :
       {"m = mmap.mmap(-1, 200 << 20)\nfor at in range(0, 200 << 20, 4096): m[at] = 1",
        "f = os.memfd_create('n'); os.ftruncate(f, 200 << 20); m = mmap.mmap(f, 200 << 20)\n"
        "for at in range(0, 200 << 20, 4096): m[at] = 1",
        "m = mmap.mmap(-1, 48 << 30, 0x4002, 1); m.madvise(15); m.madvise(22)",
        "import ctypes; libc = ctypes.CDLL(None); held = []\nfor _ in range(12):\n"
        "  m = mmap.mmap(-1, 16 << 20, 0x22, 3); m[:] = b'x' * (16 << 20); held.append(m)\n"
        "  libc.mprotect(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(m))), 16 << "
        "20, 1)",
        "import ctypes, threading\ndef hold():\n  m = mmap.mmap(-1, 200 << 20)\n"
        "  for at in range(0, 200 << 20, 4096): m[at] = 1\n  time.sleep(600)\n"
        "threading.Thread(target=hold).start()\n"
        "ctypes.CDLL(None).syscall(93 if os.uname().machine == 'aarch64' else 60, 0)"}) {
    contracts::LaunchRequest launch =
        request({"python3", "-c", cat("import mmap, os, time\n", hold, "\ntime.sleep(600)")});
    launch.policy.limits.memory = wire::Quantity{kLimit};
    launch.policy.limits.wall_time.reset();
    const Finished done = run(launch);
    if (done.exit_code == kCannotWorsen) GTEST_SKIP() << "this host cannot be made worse so";
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.result->status, SandboxStatus::kMemLimit) << hold << done.result->reason;
    EXPECT_EQ(done.result->code, "E_LIMIT_MEMORY") << hold;
    EXPECT_THAT(done.result->reason, HasSubstr("shares")) << hold;
  }
}

// Reserving is not holding: neither WebAssembly nor Java nor a map of a large file is refused.
TEST_P(FailsClosed, WithoutCgroupsProgramsReserveWhatTheyNeverFill) {
  in_launcher_ = hide_cgroups;
  contracts::LaunchRequest launch =
      request({"python3", "-c",
               "import mmap; m = mmap.mmap(-1, 64 << 30, 0x4022, 0); print('reserved')\n"
               "try: bytearray(1 << 30)\nexcept MemoryError: print('held')"});
  launch.policy.limits.memory = wire::Quantity{int64_t{64} << 20};
  const Finished done = run(launch);
  if (done.exit_code == kCannotWorsen) GTEST_SKIP() << "this host cannot be made worse so";
  EXPECT_EQ(done.out, "reserved\nheld\n") << done.err;
}

// A node with the name of an accelerator's, for as long as a test needs it, and of no other test's.
class StandInAccelerator {
 public:
  StandInAccelerator()
      : made_(mknod(path_.c_str(), S_IFCHR, makedev(1, 3)) == 0 &&
              chmod(path_.c_str(), 0666) == 0) {}
  ~StandInAccelerator() {
    if (made_) unlink(path_.c_str());
  }
  bool made() const { return made_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = cat("/dev/accel-paddock-test-", getpid());
  bool made_;
};

// proves: VLT-88
TEST_P(FailsClosed, AnAcceleratorsMemoryWithoutCgroupsIsLeftOutOnlyWherePartIsAllowed) {
  const StandInAccelerator device;
  if (!device.made()) GTEST_SKIP() << "this host lets nobody make a device node";
  in_launcher_ = hide_cgroups;
  contracts::LaunchRequest launch =
      request({"sh", "-c", cat("echo > ", device.path(), "; exit 7")});
  launch.policy.devices = {device.path()};
  const Finished refused = run(launch);
  if (refused.exit_code == kCannotWorsen) GTEST_SKIP() << "this host cannot be made worse so";
  ASSERT_TRUE(refused.result);
  EXPECT_THAT(refused.result->reason, HasSubstr("MEMORY_UNENFORCEABLE"));
  launch.policy.allow_partial = true;
  const Finished partial = run(launch);
  ASSERT_TRUE(partial.result);
  EXPECT_EQ(partial.result->status, SandboxStatus::kFailed);
  EXPECT_EQ(partial.result->rc, 7) << partial.err;
  EXPECT_EQ(partial.result->reason, "PARTIAL_ENFORCEMENT: exited with 7");
  EXPECT_EQ(partial.result->enforced.at("memory").level, EnforcementLevel::kNone);
  EXPECT_FALSE(partial.result->enforced.at("memory").applied);
}

TEST_P(FailsClosed, WhereItsOwnLimitsAreLowerItSaysSo) {
  in_launcher_ = [] {
    const rlimit low{200, 200};  // half of it stays with the launcher
    setrlimit(RLIMIT_NOFILE, &low);
  };
  contracts::LaunchRequest launch = request({"sh", "-c", "ulimit -n"});
  launch.policy.limits.open_files = 300;
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.out, "100\n") << done.result->reason;
  EXPECT_THAT(done.result->enforced.at("openFiles").details, HasSubstr("lower: 100"));
}

TEST_P(FailsClosed, WhenACgroupCannotBeMadeThatCouldBeBefore) {
  const Finished before = run(std::vector<std::string>{"true"});
  ASSERT_TRUE(before.result);
  if (before.result->enforced.at("memory").mechanism.find("cgroup") == std::string::npos)
    GTEST_SKIP() << "no cgroup to take away";
  in_launcher_ = [] {
#ifdef SYS_mkdir
    take_away({SYS_mkdir, EPERM});
#endif
    take_away({SYS_mkdirat, EPERM});
  };
  expect_refused("cgroup");
}

// A kernel that says yes and does nothing: no step fails, but the canaries see it.
TEST_P(FailsClosed, CanariesSeeWhatWasAcceptedAndDoesNothing) {
  without({SYS_landlock_restrict_self, 0});
  const auto wall = prove();
  ASSERT_TRUE(wall);
  EXPECT_FALSE(find_canary(*wall, "landlock").passed);
  EXPECT_EQ(find_canary(*wall, "landlock").got, "succeeded");
  EXPECT_FALSE(has(*wall, "landlock"));
  EXPECT_TRUE(has(*wall, "filesystem"));

  without({SYS_prlimit64, 0, 2, ~0u});
  const auto limits = prove();
  ASSERT_TRUE(limits);
  EXPECT_FALSE(has(*limits, "openFiles"));
  EXPECT_FALSE(has(*limits, "fileSize"));
  EXPECT_EQ(find_canary(*limits, "open-files").level, EnforcementLevel::kNone);
}

// Which of these this host's kernel does for who has no filter: it may have no such thing.
bool merges_pages() {
  constexpr size_t kBytes = 64 << 10;
  void* page = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool merges = page != MAP_FAILED && madvise(page, kBytes, MADV_MERGEABLE) == 0;
  munmap(page, kBytes);
  return merges;
}
bool has_lists() {
  constexpr const char* kFile = "/dev/shm/paddock-has-lists";
  constexpr const char* kList = "system.posix_acl_access";
  const int fd = open(kFile, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  const bool has = fd >= 0 && fgetxattr(fd, kList, nullptr, 0) < 0 && errno == ENODATA;
  close(fd);
  unlink(kFile);
  return has;
}

TEST_P(FailsClosed, CanariesSeeFiltersThatAreNotThere) {
  in_launcher_ = forget_filters;
  const auto proof = prove();
  ASSERT_TRUE(proof);
  EXPECT_FALSE(has(*proof, "syscalls"));
  EXPECT_TRUE(find_canary(*proof, "range-locks").passed) << "these are judged by who is asked";
  const struct {
    const char* name;
    bool possible;
  } kTried[] = {{"merge-page", merges_pages()}, {"long-attribute", has_lists()}};
  for (const auto& [name, possible] : kTried) {
    if (!possible) continue;
    EXPECT_FALSE(find_canary(*proof, name).passed) << name;
    EXPECT_EQ(find_canary(*proof, name).got, "succeeded") << name;
  }
  for (const char* name : {"merge-pages", "hidden-attribute"}) {
    const contracts::Canary canary = find_canary(*proof, name);
    EXPECT_TRUE(canary.got == "succeeded" || canary.got == canary.expected) << canary.got;
  }
}

TEST_P(FailsClosed, CanariesThatCannotBeTriedHaveFailedAndNameTheFix) {
  if (!as_root()) GTEST_SKIP() << "the user's id does not exist in the namespace of this test";
  in_launcher_ = [] { allow_none("max_user_namespaces"); };
  const auto proof = prove();
  if (!proof) GTEST_SKIP() << "this host cannot be made worse so";
  for (const contracts::Canary& canary : proof->canaries) {
    EXPECT_FALSE(canary.passed) << canary.name;
    EXPECT_THAT(canary.got, HasSubstr("making the namespaces"));
  }
  EXPECT_EQ(find_canary(*proof, "connect").remedy, "sysctl -w user.max_user_namespaces=15000");
  EXPECT_FALSE(has(*proof, "sandbox"));
}

TEST_P(FailsClosed, EveryCanaryThatFailedNamesALineForThisHost) {
  without({SYS_clone3, EPERM});  // as a profile of AppArmor or a filter of a container does
  const auto refused = prove();
  ASSERT_TRUE(refused);
  for (const contracts::Canary& canary : refused->canaries) {
    EXPECT_FALSE(canary.passed) << canary.name;
    EXPECT_NE(canary.remedy, "") << canary.name;
  }
  EXPECT_FALSE(has(*refused, "sandbox"));
}

TEST_P(FailsClosed, AHostWithoutCgroupsIsToldHowToHaveThem) {
  in_launcher_ = hide_cgroups;
  const auto proof = prove();
  if (!proof) GTEST_SKIP() << "this host cannot be made worse so";
  EXPECT_TRUE(has(*proof, "sandbox"));
  for (const char* name : {"memory", "cpu-time"})
    EXPECT_THAT(find_canary(*proof, name).remedy, HasSubstr("cgroup")) << name;
}

TEST_P(FailsClosed, CanariesPassOnThisHost) {
  const auto proof = prove();
  ASSERT_TRUE(proof);
  for (const contracts::Canary& canary : proof->canaries) {
    // A second wall, which not every host has; runs that name their tools are refused without it.
    if (canary.capability == "landlock" || canary.capability == "tools") continue;
    if (canary.capability == "accounts" && !as_root()) {
      EXPECT_FALSE(canary.passed) << "an ordinary user's sandboxes are all that user";
      EXPECT_THAT(canary.remedy, HasSubstr("root"));
      continue;
    }
    EXPECT_TRUE(canary.passed) << canary.name << ": " << canary.got;
    EXPECT_NE(canary.level, EnforcementLevel::kNone) << canary.name;
  }
}

}  // namespace
}  // namespace paddock::adversarial
