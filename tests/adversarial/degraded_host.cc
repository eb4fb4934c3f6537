#include "tests/adversarial/degraded_host.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace paddock::adversarial {
namespace {

void must(bool done) {
  if (!done) _exit(kCannotWorsen);
}

void write_text(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  must(fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  close(fd);
}

sock_filter load(size_t offset) {
  return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<__u32>(offset)};
}

template <size_t kSize>
void install(sock_filter (&program)[kSize]) {
  sock_fprog whole{kSize, program};
  if (geteuid() != 0) must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  must(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &whole) == 0);
}

void make_own_mounts() {
  must(unshare(CLONE_NEWNS) == 0);
  must(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0);
}

}  // namespace

void take_away(const Missing& missing) {
  const bool always = missing.argument < 0;
  const size_t argument =
      offsetof(seccomp_data, args) + 8 * static_cast<size_t>(always ? 0 : missing.argument);
  const uint32_t bits = always ? 0 : missing.any_of;
  sock_filter program[] = {
      load(offsetof(seccomp_data, nr)),
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, static_cast<__u32>(missing.call)},
      load(argument),
      // With nothing to test, both ways lead to the answer.
      {BPF_JMP | BPF_JSET | BPF_K, 0, static_cast<__u8>(always ? 0 : 1), bits},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<__u32>(missing.error)},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  install(program);
}

void forget_filters() {
  constexpr size_t kOperation = offsetof(seccomp_data, args);
  constexpr size_t kFlags = kOperation + 8;
  sock_filter program[] = {
      load(offsetof(seccomp_data, nr)),
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 5, SYS_seccomp},
      load(kOperation),
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, SECCOMP_SET_MODE_FILTER},
      load(kFlags),
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  install(program);
}

void allow_none(const char* setting) {
  const std::string ordinary = "1000";
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  must(unshare(CLONE_NEWUSER) == 0);
  write_text("/proc/self/setgroups", "deny");
  write_text("/proc/self/uid_map", ordinary + " " + std::to_string(uid) + " 1");
  write_text("/proc/self/gid_map", ordinary + " " + std::to_string(gid) + " 1");
  write_text(std::string("/proc/sys/user/") + setting, "0");
}

void claim_old_kernel() { must(personality(UNAME26) >= 0); }

void hide_cgroups() {
  make_own_mounts();
  must(mount("none", "/sys/fs/cgroup", "tmpfs", 0, nullptr) == 0);
}

void write_protect_cgroups() {
  make_own_mounts();
  for (const char* hierarchy : {"memory", "pids", "cpu,cpuacct", "cpuacct", "unified", ""}) {
    const std::string path = std::string("/sys/fs/cgroup/") + hierarchy;
    mount(nullptr, path.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr);
  }
}

}  // namespace paddock::adversarial
