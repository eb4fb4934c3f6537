#include "node-agent/sandbox/linux/kernel/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "common/os/fd.h"

namespace paddock::sandbox {
namespace {

Status take_on(const LandlockRuleset& rules) {
  const os::Fd root(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  ASSIGN_OR_RETURN(const os::Fd ruleset, make_ruleset(rules, root.get()));
  return take_ruleset(ruleset);
}

int try_to(const std::string& path, int flags) {
  const os::Fd fd(open(path.c_str(), flags | O_CLOEXEC, 0644));
  return fd.valid() ? 0 : errno;
}

int made_folder(const std::string& path) { return mkdir(path.c_str(), 0755) == 0 ? 0 : errno; }

// Which of the expectations fails in a process behind the wall; 0: none.
int walled(const LandlockRuleset& rules, const std::string& inside, const std::string& outside) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (!take_on(rules).ok()) return 1;
  if (try_to(inside + "/made", O_CREAT | O_WRONLY) != 0) return 2;
  if (try_to(outside + "/there", O_RDONLY) != EACCES) return 3;
  if (try_to(outside + "/there", O_WRONLY) != EACCES) return 4;
  if (try_to(outside + "/made", O_CREAT | O_WRONLY) != EACCES) return 5;
  if (made_folder(outside + "/folder") != EACCES) return 6;
  if (unlink((outside + "/there").c_str()) == 0) return 7;
  if (truncate((outside + "/there").c_str(), 0) == 0) return 8;
  if (rename((inside + "/made").c_str(), (outside + "/moved").c_str()) == 0) return 9;
  return 0;
}

// The mounts of this process allow all of it: what refuses is the second wall alone.
TEST(Landlock, DeniesWhatTheMountsWouldAllow) {
  const int version = landlock_version();
  if (version < landlock::kLeastVersion) GTEST_SKIP() << "this kernel has no Landlock 2 or later";
  char name[] = "/tmp/paddock-landlock-XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  const std::string inside = std::string(name) + "/inside";
  const std::string outside = std::string(name) + "/outside";
  ASSERT_EQ(made_folder(inside), 0);
  ASSERT_EQ(made_folder(outside), 0);
  ASSERT_EQ(try_to(outside + "/there", O_CREAT | O_WRONLY), 0);
  const LandlockRuleset rules =
      render_landlock({{MountEntry::Kind::kBind, inside, "/srv", true}}, {.version = version});
  LandlockRuleset without_etc = rules;
  std::erase_if(without_etc.rules, [](const LandlockRule& rule) { return rule.path == "/etc"; });
  const pid_t child = fork();
  if (child == 0) _exit(walled(without_etc, inside, outside));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the number of the check that failed";
  EXPECT_EQ(access((outside + "/there").c_str(), F_OK), 0);
  std::filesystem::remove_all(name);
}

// Which of the expectations fails in a process without TCP; 0: none.
int without_tcp(const std::string& folder) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const auto ruleset = make_tcp_ruleset(landlock::kBindTcp | landlock::kConnectTcp);
  if (!ruleset.ok() || !take_ruleset(*ruleset).ok()) return 1;
  if (rename((folder + "/one/file").c_str(), (folder + "/two/file").c_str()) != 0) return 2;
  if (link((folder + "/two/file").c_str(), (folder + "/one/link").c_str()) != 0) return 3;
  const os::Fd server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in any{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
  const auto* address = reinterpret_cast<const sockaddr*>(&any);
  if (bind(server.get(), address, sizeof any) == 0 || errno != EACCES) return 4;
  if (connect(server.get(), address, sizeof any) == 0 || errno != EACCES) return 5;
  return 0;
}

TEST(Landlock, RefusesTcpAndNoRenameFromFolderToFolder) {
  if (landlock_version() < 4) GTEST_SKIP() << "this kernel's Landlock knows nothing of TCP";
  char name[] = "/tmp/paddock-landlock-XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  const std::string folder = name;
  ASSERT_EQ(made_folder(folder + "/one"), 0);
  ASSERT_EQ(made_folder(folder + "/two"), 0);
  ASSERT_EQ(try_to(folder + "/one/file", O_CREAT | O_WRONLY), 0);
  const pid_t child = fork();
  if (child == 0) _exit(without_tcp(folder));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the number of the check that failed";
  std::filesystem::remove_all(name);
}

TEST(Landlock, SaysWhichRuleHasNoPath) {
  if (landlock_version() < landlock::kLeastVersion) GTEST_SKIP() << "this kernel has no Landlock";
  LandlockRuleset rules;
  rules.files = landlock::kReadFile;
  rules.rules = {{"/nowhere/at/all", landlock::kReadFile}};
  const Status applied = take_on(rules);
  ASSERT_FALSE(applied.ok());
  EXPECT_NE(applied.error().message.find("/nowhere/at/all"), std::string::npos);
}

// Whether a ruleset is taken on where the kernel answers so to whoever wants no records of it.
bool is_taken_on(unsigned answer) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr unsigned kRestrictSelf = 446;
    constexpr unsigned kNoRecords = 1 | 4;
    sock_filter code[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, kRestrictSelf},
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, args[1])},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, kNoRecords},
        {BPF_RET | BPF_K, 0, 0, answer},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog program{6, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(2);
    LandlockRuleset rules;
    rules.files = landlock::kReadFile;
    _exit(take_on(rules).ok() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
  return status == 0;
}

// What is refused inside goes to no log of the host, also where a program has rules of its own: it
// could break those as often as it likes.
TEST(Landlock, LeavesNoRecordsInTheHostsAuditLog) {
  if (landlock_version() < landlock::kLeastVersion) GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_FALSE(is_taken_on(SECCOMP_RET_ERRNO | EPERM)) << "it was not asked for";
  EXPECT_TRUE(is_taken_on(SECCOMP_RET_ERRNO | EINVAL)) << "as kernels say that keep none";
}

}  // namespace
}  // namespace paddock::sandbox
