// What the kernel counts by user: a sandbox of a root launcher has a user of the host to itself, so
// no other sandbox runs short of what one has used up, nor does the host.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>

#include "common/os/file.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::EnforcementLevel;
using testing::HasSubstr;

constexpr uid_t kNobody = 65534;
constexpr uid_t kFirst = 2'100'000'000;

// Which of the host's users the processes of a sandbox are, and who owns its user namespace.
struct Who {
  std::set<uid_t> users;
  uid_t owner = 0;
};

// All four that a process has: the real one is who is counted, and the others say who it could be.
std::set<uid_t> users_of(pid_t pid) {
  std::set<uid_t> out;
  const auto status = os::read_file(cat("/proc/", pid, "/status"), 64 << 10);
  const size_t at = status.ok() ? status->find("\nUid:\t") : std::string::npos;
  EXPECT_NE(at, std::string::npos) << pid;
  if (at == std::string::npos) return out;
  const std::string line = status->substr(at + 6, status->find('\n', at + 1) - at - 6);
  for (const std::string& user : split(line, '\t'))
    out.insert(parse_integer<uid_t>(user).value_or(0));
  return out;
}

Who who_is(pid_t launcher) {
  Who out;
  const auto inits = children_of(launcher);
  EXPECT_EQ(inits.size(), 1u);
  if (inits.empty()) return out;
  std::vector<pid_t> all = children_of(inits);
  EXPECT_FALSE(all.empty());
  all.push_back(inits[0]);
  for (const pid_t pid : all) out.users.merge(users_of(pid));
  const os::Fd space(open(cat("/proc/", inits[0], "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(ioctl(space.get(), NS_GET_OWNER_UID, &out.owner), 0);
  return out;
}

bool has_open(pid_t pid, const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator(cat("/proc/", pid, "/fd"))) {
    std::error_code error;
    if (std::filesystem::read_symlink(entry.path(), error) == path) return true;
  }
  return false;
}

template <class Base>
class AccountsOf : public Base {
 protected:
  contracts::LaunchRequest hoard(const std::string& what, int most) const {
    auto launch = this->request(this->probe("hoard_accounts", {what, cat(most)}));
    launch.policy.limits.open_files = 4096;
    return launch;
  }
  // Beside one that has taken all it could.
  std::string beside(const contracts::LaunchRequest& hoarder, const std::string& code) {
    Launched one = this->start(hoarder);
    EXPECT_TRUE(one.wait_for_output("HELD "));
    const Finished done = this->python(code);
    kill(one.pid(), SIGTERM);
    const std::string held = one.wait().out;
    EXPECT_THAT(held, testing::MatchesRegex("HELD [1-9][0-9]*\n"));
    EXPECT_THAT(held, testing::Not(HasSubstr(" 100000\n"))) << "there is no bound";
    EXPECT_TRUE(done.result);
    return done.out + done.err;
  }
  bool shares_one_user() const { return !this->as_root(); }

  // All that is counted by user, `epoll` watches by the million too, follows from this.
  void expect_own_users() {
    if (shares_one_user()) GTEST_SKIP() << "an ordinary user's sandboxes are all that user";
    std::vector<Launched> runs;
    std::set<uid_t> users;
    for (int i = 0; i < 3; ++i)
      runs.push_back(this->start(this->request({"sh", "-c", "echo UP; sleep 1000"})));
    for (Launched& each : runs) {
      ASSERT_TRUE(each.wait_for_output("UP"));
      const Who who = who_is(each.pid());
      EXPECT_GE(who.owner, kFirst);
      EXPECT_EQ(who.users, std::set<uid_t>{who.owner});
      EXPECT_TRUE(users.insert(who.owner).second) << who.owner << " is another's too";
    }
    for (Launched& each : runs) {
      kill(each.pid(), SIGTERM);
      each.wait();
    }
  }
};

constexpr const char* kHandOver =
    "import socket; a, b = socket.socketpair(); socket.send_fds(a, [b'x'], [0]); print('sent')";
constexpr const char* kPipe =
    "import fcntl, os; r, w = os.pipe(); print(fcntl.fcntl(r, fcntl.F_GETPIPE_SZ))";

// What is counted in each user namespace above, and so for its owner; an ordinary user's sandboxes
// have a share of that user's each.
struct Counted {
  const char* what;
  const char* neighbour;  // prints True if it gets one
};
constexpr Counted kCountedByOwner[] = {
    {"watchers", "print(libc.inotify_init1(0) >= 0)"},
    {"signals",
     "signal.pthread_sigmask(signal.SIG_BLOCK, [34]); print(libc.sigqueue(os.getpid(), 34, 0) == "
     "0)"},
    {"timers", "print(libc.timer_create(1, None, ctypes.byref(ctypes.c_void_p())) == 0)"},
    {"processes", "print(os.waitpid(os.fork() or os._exit(0), 0)[1] == 0)"},
    {"locked", "print(libc.shmctl(libc.shmget(0, 4096, 0o1600), 11, None) == 0)"},
};
constexpr const char* kLend = R"(
import socket
server = socket.create_server(('127.0.0.1', 0))
to = socket.create_connection(server.getsockname())
to.setsockopt(socket.SOL_SOCKET, 60, 1)  # SO_ZEROCOPY, MSG_ZEROCOPY
print(to.send(bytes(4096), 0x4000000))
)";

class Accounts : public AccountsOf<SandboxTest> {};
INSTANTIATE_TEST_SUITE_P(, Accounts, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(Accounts, OfDescriptorsUnderWayAreItsOwn) {
  if (shares_one_user()) GTEST_SKIP() << "an ordinary user's sandboxes are all that user";
  EXPECT_EQ(beside(hoard("descriptors", 100'000), kHandOver), "sent\n");
}

TEST_P(Accounts, OfPipesAreItsOwn) {
  if (shares_one_user()) GTEST_SKIP() << "an ordinary user's sandboxes are all that user";
  EXPECT_EQ(beside(hoard("pipes", 2000), kPipe), "65536\n");
}

TEST_P(Accounts, OfPagesThatTheKernelHasLentAreItsOwn) {
  if (shares_one_user()) GTEST_SKIP() << "an ordinary user's sandboxes are all that user";
  contracts::LaunchRequest lender = hoard("lent", 10'000);
  lender.policy.network = contracts::NetworkPolicy{.loopback = true};
  EXPECT_EQ(beside(lender, kLend), "4096\n");
}

TEST_P(Accounts, OfWhatItsOwnerIsCountedForLeaveOthersTheirs) {
  for (const Counted& counted : kCountedByOwner) {
    SCOPED_TRACE(counted.what);
    contracts::LaunchRequest hoarder = hoard(counted.what, 100'000);
    hoarder.policy.limits.pids = 200;
    EXPECT_EQ(beside(hoarder, cat("import ctypes, os, signal; libc = ctypes.CDLL(None); ",
                                  counted.neighbour)),
              "True\n");
  }
}

TEST_P(Accounts, AreSaidToBeItsOwnOnlyWhereTheyAre) {
  const Finished done = run(std::vector<std::string>{"true"});
  ASSERT_TRUE(done.result);
  const auto& accounts = done.result->enforced.at("accounts");
  EXPECT_EQ(accounts.applied, as_root()) << accounts.details;
  EXPECT_EQ(accounts.level, as_root() ? EnforcementLevel::kKernel : EnforcementLevel::kNone);
  EXPECT_EQ(done.result->status, contracts::SandboxStatus::kOk) << "nobody asked for them";
}

TEST_P(Accounts, AreThoseOfAUserThatOwnsItsNamespacesToo) { expect_own_users(); }

// If the launcher is killed, nobody is left who could give the user to another sandbox too early.
TEST_P(Accounts, AreTakenAsLongAsThereAreProcesses) {
  if (!as_root()) GTEST_SKIP() << "an ordinary user's sandboxes are all that user";
  Launched launched = start(request({"sh", "-c", "echo UP; sleep 1000"}));
  ASSERT_TRUE(launched.wait_for_output("UP"));
  const auto inits = children_of(launched.pid());
  ASSERT_EQ(inits.size(), 1u);
  EXPECT_TRUE(has_open(inits[0], "/run/paddock-sandbox/users"));
  for (const pid_t command : children_of(inits))
    EXPECT_FALSE(has_open(command, "/run/paddock-sandbox/users"));
  kill(launched.pid(), SIGTERM);
  launched.wait();
}

// What it leaves behind belongs to the folder's owner, whoever it was.
TEST_P(Accounts, LeaveFilesToTheFoldersOwner) {
  if (!as_root()) GTEST_SKIP() << "an ordinary user's sandboxes are all that user";
  for (const uid_t owner : {uid_t{0}, uid_t{1234}, kNobody}) {
    ASSERT_EQ(chown(workspace().c_str(), owner, owner), 0);
    contracts::LaunchRequest launch = request({"sh", "-c", "mkdir -p d; echo x > d/made; id -u"});
    launch.uid = owner == 0 ? kNobody : owner;
    EXPECT_EQ(run(launch).out, "1000\n");
    struct stat made {};
    ASSERT_EQ(stat((workspace() + "/d/made").c_str(), &made), 0);
    EXPECT_EQ(made.st_uid, owner);
    EXPECT_EQ(made.st_gid, owner);
    ASSERT_TRUE(os::remove_tree(workspace() + "/d").ok());
  }
}

// In a mount namespace of the launcher's own, where the host's file says something else.
void name_range(const std::string& file) {
  if (unshare(CLONE_NEWNS) != 0 ||
      mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount(file.c_str(), "/etc/subuid", nullptr, MS_BIND, nullptr) != 0)
    _exit(77);
}

TEST_P(Accounts, OfARangeThatIsNotFreeAreShared) {
  if (!as_root()) GTEST_SKIP() << "an ordinary user's sandboxes are all that user";
  const std::string file = folder() + "/subuid";
  ASSERT_TRUE(os::write_file_atomic(file, "run:2100000000:65536\n", 0644).ok());
  in_launcher_ = [file] { name_range(file); };
  const Finished done = run(std::vector<std::string>{"id", "-u"});
  if (done.exit_code == 77) GTEST_SKIP() << "this host cannot be made another one";
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.out, "1000\n");
  EXPECT_FALSE(done.result->enforced.at("accounts").applied);
  EXPECT_THAT(done.result->enforced.at("accounts").details, HasSubstr("/etc/subuid"));
}

// It could neither watch nor end the processes of another user.
TEST_P(Accounts, OfALauncherThatReachesNobodyElseAreShared) {
  if (!as_root()) GTEST_SKIP() << "an ordinary user's sandboxes are all that user";
  for (const int right : {CAP_SYS_PTRACE, CAP_KILL}) {
    in_launcher_ = [right] { prctl(PR_CAPBSET_DROP, right); };
    const Finished done = expect_contained("scarce");
    ASSERT_TRUE(done.result);
    EXPECT_FALSE(done.result->enforced.at("accounts").applied);
    EXPECT_THAT(done.result->enforced.at("accounts").details, HasSubstr("CAP_SYS_PTRACE"));
  }
}

// An overlay is one that cannot map owners.
TEST_P(Accounts, WhereAFolderCannotBeMappedAreShared) {
  if (!as_root()) GTEST_SKIP() << "an ordinary user's sandboxes are all that user";
  ASSERT_EQ(chown(workspace().c_str(), kNobody, kNobody), 0);
  const std::string upper = folder() + "/upper";
  in_launcher_ = [upper, to = workspace()] {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mkdir(upper.c_str(), 0700) != 0 || mount("none", upper.c_str(), "tmpfs", 0, nullptr) != 0 ||
        mkdir((upper + "/up").c_str(), 0755) != 0 || mkdir((upper + "/work").c_str(), 0755) != 0 ||
        chown((upper + "/up").c_str(), kNobody, kNobody) != 0 ||
        mount("overlay", to.c_str(), "overlay", 0,
              cat("lowerdir=", to, ",upperdir=", upper, "/up,workdir=", upper, "/work").c_str()) !=
            0)
      _exit(77);
  };
  const Finished done = run(std::vector<std::string>{"sh", "-c", "echo x > made; cat made"});
  if (done.exit_code == 77) GTEST_SKIP() << "this host cannot be made another one";
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.out, "x\n") << done.result->reason << done.err;
  EXPECT_FALSE(done.result->enforced.at("accounts").applied);
  EXPECT_THAT(done.result->enforced.at("accounts").details, HasSubstr("owners"));
}

TEST_P(Accounts, OfTheHostAreClosed) { expect_contained("scarce"); }

// Honest programs that need many of what is counted.
TEST_P(Accounts, AreLargeEnoughForManyConnectionsAtOnce) {
  contracts::LaunchRequest launch = request({"python3", "-c", R"(
import asyncio
async def main():
    async def answer(reader, writer):
        writer.write(await reader.readline()); await writer.drain()
    server = await asyncio.start_server(answer, '127.0.0.1', 0, backlog=4096)
    port = server.sockets[0].getsockname()[1]
    pairs = [await asyncio.open_connection('127.0.0.1', port) for _ in range(1500)]
    for reader, writer in pairs: writer.write(b'x\n')
    print(sum([await reader.readline() == b'x\n' for reader, writer in pairs]))
asyncio.run(main())
)"});
  launch.policy.limits.open_files = 4096;
  launch.policy.network = contracts::NetworkPolicy{.loopback = true};
  EXPECT_EQ(run(launch).out, "1500\n");
}

class ServedAccounts : public AccountsOf<ServeTest> {};
INSTANTIATE_TEST_SUITE_P(, ServedAccounts, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(ServedAccounts, OfDescriptorsUnderWayAreItsOwn) {
  if (shares_one_user()) GTEST_SKIP() << "an ordinary user's sandboxes are all that user";
  EXPECT_EQ(beside(hoard("descriptors", 100'000), kHandOver), "sent\n");
}

TEST_P(ServedAccounts, AreThoseOfAUserThatOwnsItsNamespacesToo) { expect_own_users(); }

TEST_P(ServedAccounts, OfTheHostAreClosed) { expect_contained("scarce"); }

// One after the other, many more than there are processes that wait.
TEST_P(ServedAccounts, AreLentOnlyOnceTheRunBeforeIsGone) {
  if (shares_one_user()) GTEST_SKIP() << "an ordinary user's sandboxes are all that user";
  for (int i = 0; i < 5 * kReady; ++i) {
    const Finished done = python(kHandOver);
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.out, "sent\n") << done.err;
    EXPECT_TRUE(done.result->enforced.at("accounts").applied);
  }
}

}  // namespace
}  // namespace paddock::adversarial
