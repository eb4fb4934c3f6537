#include "node-agent/sandbox/backend/canary_attempts.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/contracts/launch.h"
#include "common/os/file.h"
#include "node-agent/sandbox/linux/selftest/canary_bait.h"
#include "node-agent/sandbox/linux/selftest/canary_consumers.h"
#include "node-agent/sandbox/linux/selftest/canary_loopback.h"

namespace paddock::sandbox {
namespace {

struct Surface {
  std::string host_file;
  uint16_t port = 0;
  std::string abstract_name;
  std::string namespaces;
  int variables = 0;
};

std::string answer(long result) {
  if (result >= 0) return "succeeded";
  const char* name = strerrorname_np(errno);
  return name == nullptr ? cat("errno ", errno) : name;
}

std::string open_answer(const std::string& path, int flags) {
  return answer(open(path.c_str(), flags | O_CLOEXEC, 0600));
}

std::string connect_abstract(const Surface& surface) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return answer(fd);
  socklen_t size = 0;
  const sockaddr_un address = abstract_address(surface.abstract_name, size);
  return answer(connect(fd, reinterpret_cast<const sockaddr*>(&address), size));
}

// The lines of /proc/self/status that show a right or a way to one.
std::string own_capabilities(const Surface&) {
  const auto status = os::read_file("/proc/self/status", 64 << 10);
  if (!status.ok()) return "unreadable";
  std::string found;
  for (const std::string& line : split(*status, '\n')) {
    const bool set = line.starts_with("Cap") && line.find("0000000000000000") == std::string::npos;
    if (set || line == "NoNewPrivs:\t0" || line == "Seccomp:\t0") found += cat(line, " ");
  }
  return found.empty() ? "none" : found;
}

// The variables as exec left them. Those that this program's own libraries add later are not from
// the launcher.
std::string variables(const Surface& surface) {
  const auto given = os::read_file("/proc/self/environ", 64 << 10);
  if (!given.ok()) return given.error().describe();
  const auto count = static_cast<int>(std::ranges::count(*given, '\0'));
  return count == surface.variables ? "none" : cat(count - surface.variables, " more than given");
}

std::string shared_namespaces(const Surface& surface) {
  std::vector<std::string> shared;
  const std::vector<std::string> theirs = split(surface.namespaces, ',');
  for (const std::string& own : split(own_namespaces(), ',')) {
    if (std::find(theirs.begin(), theirs.end(), own) != theirs.end()) shared.push_back(own);
  }
  return shared.empty() ? "none shared" : cat("shared: ", join(shared, " "));
}

std::string type_into_terminal(unsigned long upper) {
  char key = ' ';
  return answer(syscall(SYS_ioctl, 0, upper | TIOCSTI, &key));
}

std::string make_set_id(const Surface&) {
  if (open("/tmp/set-id", O_CREAT | O_WRONLY | O_CLOEXEC, 0700) < 0) return "no file to try it on";
  return answer(chmod("/tmp/set-id", 04755));
}

std::string write_flood(const Surface&) {
  const std::string flood(5000, 'x');
  return os::write_all(STDERR_FILENO, flood).ok() ? "written" : "not written";
}

std::string lock_host_file(const Surface&) {
  const int fd = open(cat(kCanaryFolder, "/held").c_str(), O_RDONLY | O_CLOEXEC);
  return answer(fd < 0 ? fd : flock(fd, LOCK_EX | LOCK_NB));
}

long zeros(long number) {
  char space[256] = {};
  return syscall(number, 0, space, sizeof space, -1, -1, 0);
}

struct Attempt {
  const char* name;
  std::string (*run)(const Surface& surface);
};

constexpr Attempt kAttempts[] = {
    {"namespaces", shared_namespaces},
    {"ptrace", [](const Surface&) { return answer(ptrace(PTRACE_SEIZE, 1, nullptr, nullptr)); }},
    {"become-root", [](const Surface&) { return answer(syscall(SYS_setuid, 0)); }},
    {"capabilities", own_capabilities},
    {"set-id", make_set_id},
    {"write-system", [](const Surface&) { return open_answer("/usr/canary", O_CREAT | O_WRONLY); }},
    {"write-root", [](const Surface&) { return open_answer("/canary-file", O_CREAT | O_WRONLY); }},
    {"write-mount",
     [](const Surface&) { return open_answer(cat(kCanaryFolder, "/held"), O_WRONLY); }},
    {"lock-host", lock_host_file},
    {"read-host", [](const Surface& surface) { return open_answer(surface.host_file, O_RDONLY); }},
    {"read-shadow", [](const Surface&) { return open_answer("/etc/shadow", O_RDONLY); }},
    {"device", [](const Surface&) { return open_answer("/dev/mem", O_RDONLY); }},
    {"mount", [](const Surface&) { return answer(mount("none", "/tmp", "tmpfs", 0, nullptr)); }},
    {"unshare", [](const Surface&) { return answer(unshare(CLONE_NEWUSER)); }},
    {"mknod",
     [](const Surface&) { return answer(mknod("/tmp/null", S_IFCHR | 0600, makedev(1, 3))); }},
    {"keyctl", [](const Surface&) { return answer(syscall(SYS_keyctl, 0, -3, 0)); }},
    {"bpf", [](const Surface&) { return answer(zeros(SYS_bpf)); }},
    {"io_uring",
     [](const Surface&) {
       char space[256] = {};
       return answer(syscall(SYS_io_uring_setup, 1, space));
     }},
    {"perf",
     [](const Surface&) {
       char space[256] = {};
       return answer(syscall(SYS_perf_event_open, space, 0, -1, -1, 0));
     }},
    {"userfaultfd", [](const Surface&) { return answer(syscall(SYS_userfaultfd, 1)); }},
    {"flow-label", [](const Surface&) { return take_flow_label(); }},
    {"group-source", [](const Surface&) { return join_from_source(); }},
    {"many-waits",
     [](const Surface&) {
       const timespec none{};
       return answer(syscall(SYS_ppoll, nullptr, 500'000, &none, nullptr, 0));
     }},
    {"huge-page", [](const Surface&) { return map_huge_page(); }},
    {"range-locks", [](const Surface&) { return lock_ranges(); }},
    {"long-attribute", [](const Surface&) { return set_long_attribute(); }},
    {"hidden-attribute", [](const Surface&) { return set_hidden_attribute(); }},
    {"merge-page", [](const Surface&) { return merge_page(); }},
    {"merge-pages", [](const Surface&) { return merge_pages(); }},
    {"tiocsti", [](const Surface&) { return type_into_terminal(0); }},
    {"tiocsti-high", [](const Surface&) { return type_into_terminal(1UL << 32); }},
    {"forbidden", [](const Surface&) { return answer(syscall(SYS_reboot, 0, 0, 0, nullptr)); }},
    {"connect", [](const Surface& surface) { return connect_to_port(surface.port); }},
    {"abstract-socket", connect_abstract},
    {"packet-socket",
     [](const Surface&) { return answer(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)); }},
    {"environment", variables},
    // Its mode and its mount allow it, in every view; only Landlock asks for a path from the root.
    {"landlock", [](const Surface&) { return open_answer("/proc/self/fd/0", O_WRONLY); }},
    {"own-filters", [](const Surface&) { return install_filters(); }},
    {"open-files", [](const Surface&) { return hold_descriptors(); }},
    {"file-size", [](const Surface&) { return write_large_file(); }},
    {"scratch-bytes", [](const Surface&) { return fill_scratch(); }},
    {"scratch-files", [](const Surface&) { return make_files(); }},
    {"pids", [](const Surface&) { return fork_children(); }},
    {"own-accounts", [](const Surface&) { return hand_over_descriptor(); }},
    {"flood", write_flood},
};

void print(std::string_view name, std::string_view text) {
  (void)os::write_all(STDOUT_FILENO, cat(name, "\t", text, "\n"));
}

void try_one(const Attempt& attempt, const Surface& surface) {
  const pid_t child = fork();
  if (child == 0) {
    print(attempt.name, attempt.run(surface));
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return print(attempt.name, "not tried");
  if (!WIFSIGNALED(status)) return;
  const char* signal = sigabbrev_np(WTERMSIG(status));
  print(attempt.name, cat("SIG", signal == nullptr ? "?" : signal));
}

int try_surface(std::span<char* const> words) {
  if (words.size() != 5) return 2;
  Surface surface{words[0], 0, words[2], words[3], 0};
  surface.port = parse_integer<uint16_t>(words[1]).value_or(0);
  surface.variables = parse_integer<int>(words[4]).value_or(0);
  for (const Attempt& attempt : kAttempts) try_one(attempt, surface);
  return 0;
}

}  // namespace

int try_canaries(std::span<char* const> words) {
  // These are for the inside alone.
  if (words.empty() || !os::exists(std::string(contracts::kSandboxPolicyFile))) return 2;
  const std::string_view group = words[0];
  if (group == "surface") return try_surface(words.subspan(1));
  if (group == "survivors" && words.size() == 2) return leave_survivors(words[1]);
  if (group == "device") {
    print("other-device", open_answer("/dev/kmsg", O_RDONLY));
    return 0;
  }
  if (group == "memory-file") {
    print("memory-file", answer(memfd_create("canary", MFD_CLOEXEC)));
    return 0;
  }
  if (group == "connect" && words.size() == 2) {
    print("past-broker", connect_to_port(parse_integer<uint16_t>(words[1]).value_or(0)));
    return 0;
  }
  if (group == "loopback" && words.size() == 2) {
    print("own-loopback", meet_on_loopback());
    print("past-loopback", connect_to_port(parse_integer<uint16_t>(words[1]).value_or(0)));
    print("change-network", change_addresses());
    return 0;
  }
  if (group == "memory") return use_memory();
  if (group == "cpu") return use_cpu();
  if (group == "wall") return go_on();
  if (group == "workspace" && words.size() == 2) {
    print("set-aside", set_space_aside(words[1]));
    print("in-flight", leave_in_flight());
    return fill_folder(words[1]);
  }
  return 2;
}

}  // namespace paddock::sandbox
