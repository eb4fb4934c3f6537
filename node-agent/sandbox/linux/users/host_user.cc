#include "node-agent/sandbox/linux/users/host_user.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "common/base/text.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/linux/users/user_namespace.h"
#include "node-agent/sandbox/plan/plan.h"

namespace paddock::sandbox {
namespace {

constexpr const char* kUsersFolder = "/run/paddock-sandbox";
constexpr const char* kUsersFile = "/run/paddock-sandbox/users";  // a byte for each user
constexpr uid_t kMostTries = 4'096;
constexpr uid_t kKeep = ~uid_t{0};  // setresuid() leaves such an id as it is

Error no_user(std::string_view step, int errno_value) {
  return {Code::kFailedPrecondition, "NO_OWN_USER", system_error(step, errno_value).message};
}

std::string read_users(const char* path) {
  constexpr size_t kMostBytes = size_t{16} << 20;
  auto text = os::read_file(path, kMostBytes);
  return text.ok() ? std::move(*text) : std::string();
}

Result<UserRange> range_of_this_host() {
  const std::string uid_map = read_users("/proc/self/uid_map");
  const std::string subuid = read_users("/etc/subuid");
  const std::string passwd = read_users("/etc/passwd");
  const std::string subgid = read_users("/etc/subgid");
  const std::string group = read_users("/etc/group");
  return choose_user_range({uid_map, subuid, passwd, subgid, group});
}

Result<os::Fd> open_users() {
  if (mkdir(kUsersFolder, 0700) != 0 && errno != EEXIST)
    return no_user("making the folder where users are reserved", errno);
  os::Fd out(open(kUsersFile, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!out.valid()) return no_user("opening the file where users are reserved", errno);
  return out;
}

// Fails with EAGAIN if another launcher has that user.
bool lock_byte(const os::Fd& file, uid_t number) {
  struct flock wanted {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  wanted.l_start = number;
  wanted.l_len = 1;
  return fcntl(file.get(), F_OFD_SETLK, &wanted) == 0;
}

// The user with which the search for a free one begins. It is random, since the users next to one
// that is taken are probably taken too.
uid_t any_of(const UserRange& range) {
  uid_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = static_cast<uid_t>(getpid());
  return number % range.count;
}

Status raise_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  if (syscall(SYS_capget, &header, sets) != 0) return step_error("reading capabilities", errno);
  for (__user_cap_data_struct& set : sets) set.effective = set.permitted;
  if (syscall(SYS_capset, &header, sets) != 0) return step_error("keeping capabilities", errno);
  return {};
}

// Whether this launcher can watch and kill processes of another user. It has every right over a
// user namespace that it owns itself. If another user owns the namespace, its rights on the host
// count.
bool reaches_others() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  constexpr uint32_t kNeeded = 1U << CAP_SYS_PTRACE | 1U << CAP_KILL;
  return syscall(SYS_capget, &header, sets) == 0 && (sets[0].effective & kNeeded) == kNeeded;
}

}  // namespace

Result<HostUser> HostUser::take() {
  if (!reaches_others())
    return no_user(
        "watching and ending processes of another user, without CAP_SYS_PTRACE and CAP_KILL",
        EPERM);
  ASSIGN_OR_RETURN(const UserRange range, range_of_this_host());
  ASSIGN_OR_RETURN(os::Fd locks, open_users());
  const uid_t begin = any_of(range);
  for (uid_t i = 0; i < std::min(range.count, kMostTries); ++i) {
    const uid_t number = range.first + (begin + i) % range.count;
    if (lock_byte(locks, number)) return HostUser(number, std::move(locks));
    if (errno != EAGAIN && errno != EACCES) return no_user("reserving a user", errno);
  }
  return no_user("reserving a user of the host's range", EAGAIN);
}

Status HostUser::make_mappings() {
  ASSIGN_OR_RETURN(of_root_, make_mapping_namespace({0, 0, id_, id_}));
  ASSIGN_OR_RETURN(of_default_, make_mapping_namespace({kDefaultHostId, kDefaultHostId, id_, id_}));
  return {};
}

// Uses the raw system calls, because those of the C library would change all threads.
Result<ActingAs> ActingAs::user(uid_t id) {
  ActingAs out;
  if (syscall(SYS_setresgid, kKeep, id, kKeep) != 0 ||
      syscall(SYS_setresuid, kKeep, id, kKeep) != 0)
    return step_error("acting as the sandbox's user", errno);
  TRY(raise_capabilities());
  return out;
}

ActingAs::~ActingAs() {
  if (!active_) return;
  // Neither call can fail for a process that was root just before. If one does, this process must
  // create nothing more as the wrong user.
  if (syscall(SYS_setresuid, kKeep, 0, kKeep) != 0 ||
      syscall(SYS_setresgid, kKeep, group_, kKeep) != 0)
    _exit(1);
}

}  // namespace paddock::sandbox
