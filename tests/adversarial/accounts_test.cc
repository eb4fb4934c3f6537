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

#include "common/os/file.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::EnforcementLevel;
using testing::HasSubstr;

constexpr uid_t kNobody = 65534;
constexpr uid_t kFirst = 2'000'000'000;

// Of the host's users, whom the sandbox's first process is, and who owns its user namespace.
struct Who {
  uid_t user = 0;
  uid_t owner = 0;
};

Who who_is(pid_t launcher) {
  const auto inits = children_of(launcher);
  EXPECT_EQ(inits.size(), 1u);
  Who out;
  const std::string folder = cat("/proc/", inits.empty() ? 0 : inits[0]);
  const auto status = os::read_file(folder + "/status", 64 << 10);
  EXPECT_TRUE(status.ok());
  if (!status.ok()) return out;
  const std::string text = status->substr(status->find("\nUid:\t") + 6);
  out.user = parse_integer<uid_t>(text.substr(0, text.find('\t'))).value_or(0);
  const os::Fd space(open((folder + "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(ioctl(space.get(), NS_GET_OWNER_UID, &out.owner), 0);
  return out;
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
    one.wait();
    EXPECT_TRUE(done.result);
    return done.out + done.err;
  }
  bool shares_one_user() const { return !this->as_root(); }
};

constexpr const char* kHandOver =
    "import socket; a, b = socket.socketpair(); socket.send_fds(a, [b'x'], [0]); print('sent')";
constexpr const char* kPipe =
    "import fcntl, os; r, w = os.pipe(); print(fcntl.fcntl(r, fcntl.F_GETPIPE_SZ))";

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

TEST_P(Accounts, AreSaidToBeItsOwnOnlyWhereTheyAre) {
  const Finished done = run(std::vector<std::string>{"true"});
  ASSERT_TRUE(done.result);
  const auto& accounts = done.result->enforced.at("accounts");
  EXPECT_EQ(accounts.applied, as_root()) << accounts.details;
  EXPECT_EQ(accounts.level, as_root() ? EnforcementLevel::kKernel : EnforcementLevel::kNone);
  EXPECT_EQ(done.result->status, contracts::SandboxStatus::kOk) << "nobody asked for them";
}

TEST_P(Accounts, AreThoseOfAUserThatOwnsItsNamespacesToo) {
  if (!as_root()) GTEST_SKIP() << "an ordinary user's sandboxes are all that user";
  std::vector<Launched> runs;
  for (int i = 0; i < 2; ++i) runs.push_back(start(request({"sh", "-c", "echo UP; sleep 1000"})));
  std::vector<uid_t> users;
  for (Launched& each : runs) {
    ASSERT_TRUE(each.wait_for_output("UP"));
    const Who who = who_is(each.pid());
    EXPECT_GE(who.user, kFirst);
    EXPECT_EQ(who.owner, who.user);
    users.push_back(who.user);
  }
  EXPECT_NE(users[0], users[1]);
  for (Launched& each : runs) {
    kill(each.pid(), SIGTERM);
    each.wait();
  }
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
  ASSERT_TRUE(os::write_file_atomic(file, "run:2000000000:65536\n", 0644).ok());
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
  EXPECT_THAT(done.result->enforced.at("accounts").details, HasSubstr("cannot map owners"));
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
