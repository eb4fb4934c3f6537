#include "node-agent/sandbox/linux/selftest/canary_consumers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <vector>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/packet_socket.h"
#include "node-agent/sandbox/selftest/canaries.h"

namespace paddock::sandbox {
namespace {

std::string error_name() {
  const char* name = strerrorname_np(errno);
  return name == nullptr ? cat("errno ", errno) : name;
}

// How much could be written; errno says what stopped it, 0 if nothing did.
int64_t write_up_to(const std::string& path, int64_t most) {
  const os::Fd file(open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  if (!file.valid()) return 0;
  const std::vector<char> block(64 << 10, 'x');
  int64_t written = 0;
  while (written < most) {
    const ssize_t n = write(file.get(), block.data(), block.size());
    if (n <= 0) return written;
    written += n;
  }
  errno = 0;
  return written;
}

// An access control list of 516 bytes, most of it rights of whoever asks, over and over.
std::string long_list() {
  struct Entry {
    uint16_t tag;
    uint16_t permissions;
    uint32_t id;
  };
  constexpr uint32_t kVersion = 2;
  constexpr uint32_t kNobody = ~0u;
  std::vector<Entry> all = {{1, 6, kNobody}};
  all.insert(all.end(), 60, {2, 6, getuid()});
  all.insert(all.end(), {{4, 6, kNobody}, {0x10, 6, kNobody}, {0x20, 4, kNobody}});
  std::string out(sizeof kVersion + all.size() * sizeof(Entry), '\0');
  memcpy(out.data(), &kVersion, sizeof kVersion);
  memcpy(out.data() + sizeof kVersion, all.data(), all.size() * sizeof(Entry));
  return out;
}

// A file whose list is tried to be set, for as long.
class Listed {
 public:
  Listed() : file_(open(kPath, O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {}
  ~Listed() { unlink(kPath); }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;
  int fd() const { return file_.get(); }
  static constexpr const char* kPath = "/tmp/listed";
  static constexpr const char* kList = "system.posix_acl_access";

 private:
  os::Fd file_;
};

// Holds the lock until it is killed, which is all that can end it; a byte to `ready` says so.
[[noreturn]] void survive(const char* file, int ready, bool stopped) {
  setsid();
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_IGN);
  if (fork() > 0) _exit(0);
  const int fd = open(file, O_RDWR | O_CLOEXEC);
  if (fd < 0 || flock(fd, LOCK_SH) != 0) _exit(1);
  (void)os::write_all(ready, "x");
  if (stopped) raise(SIGSTOP);
  for (;;) pause();
}

}  // namespace

std::string hand_over_descriptor() {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return error_name();
  const os::Fd from(ends[0]);
  const os::Fd to(ends[1]);
  return os::send_packet(from.get(), "x", {ends}).ok() ? "handed over" : "refused";
}

std::string take_flow_label() {
  constexpr int kManager = 32;  // IPV6_FLOWLABEL_MGR
  const os::Fd socket(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return error_name();
  char wanted[32] = {};
  return setsockopt(socket.get(), IPPROTO_IPV6, kManager, wanted, sizeof wanted) == 0
             ? "succeeded"
             : error_name();
}

std::string join_from_source() {
  const os::Fd socket(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return error_name();
  group_source_req wanted{};
  for (sockaddr_storage* name : {&wanted.gsr_group, &wanted.gsr_source}) {
    auto* address = reinterpret_cast<sockaddr_in6*>(name);
    address->sin6_family = AF_INET6;
    address->sin6_addr.s6_addr[0] = name == &wanted.gsr_group ? 0xff : 0x20;
    address->sin6_addr.s6_addr[15] = 1;
  }
  return setsockopt(socket.get(), IPPROTO_IPV6, MCAST_JOIN_SOURCE_GROUP, &wanted, sizeof wanted) ==
                 0
             ? "succeeded"
             : error_name();
}

std::string map_huge_page() {
  constexpr size_t kBytes = 2 << 20;
  constexpr int kHuge = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB;
  return mmap(nullptr, kBytes, PROT_READ, kHuge, -1, 0) == MAP_FAILED ? error_name() : "succeeded";
}

std::string lock_ranges() {
  const os::Fd file(open("/tmp/ranges", O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  std::string out = "nothing stopped it";
  for (int64_t i = 0; i < 2 * CanaryLimits::kRanges; ++i) {
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_start = 2 * i;  // two that touch would become one
    range.l_len = 1;
    if (fcntl(file.get(), F_OFD_SETLK, &range) == 0) continue;
    out = cat(error_name(), " at ", i);
    break;
  }
  unlink("/tmp/ranges");
  return out;
}

std::string set_long_attribute() {
  const Listed file;
  const std::string list = long_list();
  const bool set = setxattr(Listed::kPath, Listed::kList, list.data(), list.size(), 0) == 0 ||
                   lsetxattr(Listed::kPath, Listed::kList, list.data(), list.size(), 0) == 0 ||
                   fsetxattr(file.fd(), Listed::kList, list.data(), list.size(), 0) == 0;
  return set ? "succeeded" : error_name();
}

std::string set_hidden_attribute() {
  constexpr long kSetxattrat = 463;
  const Listed file;
  const std::string list = long_list();
  const struct {
    uint64_t value;
    uint32_t size;
    uint32_t flags;
  } hidden = {reinterpret_cast<uintptr_t>(list.data()), static_cast<uint32_t>(list.size()), 0};
  const long set =
      syscall(kSetxattrat, AT_FDCWD, Listed::kPath, 0, Listed::kList, &hidden, sizeof hidden);
  return set == 0 ? "succeeded" : error_name();
}

std::string merge_page() {
  constexpr size_t kBytes = 64 << 10;  // a page at least
  void* page = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return error_name();
  return madvise(page, kBytes, MADV_MERGEABLE) == 0 ? "succeeded" : error_name();
}

std::string merge_pages() {
  constexpr int kMemoryMerge = 67;  // PR_SET_MEMORY_MERGE, Linux 6.4
  return prctl(kMemoryMerge, 1, 0, 0, 0) == 0 ? "succeeded" : error_name();
}

std::string leave_in_flight() {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return error_name();
  const os::Fd from(ends[0]);
  const os::Fd to(ends[1]);
  const int sent[] = {from.get()};
  if (!os::send_packet(from.get(), "x", sent).ok()) return "refused";
  const auto told = os::read_file(cat("/proc/self/fdinfo/", to.get()), 4096);
  const bool counted = told.ok() && told->find("scm_fds: 1") != std::string::npos;
  return counted ? "told of" : "not told of";
}

std::string hold_descriptors() {
  // As many as there are below the limit, whatever was open already.
  int newest = -1;
  for (int i = 0; i < 4 * CanaryLimits::kOpenFiles; ++i) {
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return cat(error_name(), " at ", newest + 1);
    newest = fd;
  }
  return "nothing stopped it";
}

// The shortest there are: how many, not how long, is what is counted.
std::string install_filters() {
  sock_filter allow{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  const sock_fprog program{1, &allow};
  for (int i = 0; i < 4 * CanaryLimits::kFilters; ++i) {
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
      return cat(error_name(), " at ", i);
  }
  return "nothing stopped it";
}

std::string write_large_file() {
  ::signal(SIGXFSZ, SIG_IGN);
  const int64_t written = write_up_to("/tmp/large", 2 * CanaryLimits::kFileBytes);
  const std::string out = errno == 0 ? "nothing stopped it" : cat(error_name(), " at ", written);
  unlink("/tmp/large");
  return out;
}

std::string set_space_aside(const std::string& file) {
  const os::Fd fd(open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  constexpr int64_t kBytes = 4 * CanaryLimits::kScratchBytes;
  const bool taken = fallocate(fd.get(), FALLOC_FL_KEEP_SIZE, 0, kBytes) == 0;
  return taken ? "nothing stopped it" : error_name();
}

std::string fill_scratch() {
  constexpr int64_t kFiles = 2 * CanaryLimits::kScratchBytes / (CanaryLimits::kFileBytes / 2);
  std::string out = "nothing stopped it";
  for (int64_t i = 0; i < kFiles; ++i) {
    write_up_to(cat("/tmp/full-", i), CanaryLimits::kFileBytes / 2);
    if (errno == 0) continue;
    out = error_name();
    break;
  }
  for (int64_t i = 0; i < kFiles; ++i) unlink(cat("/tmp/full-", i).c_str());
  return out;
}

std::string make_files() {
  constexpr int64_t kFiles = 2 * CanaryLimits::kScratchFiles;
  std::string out = "nothing stopped it";
  for (int64_t i = 0; i < kFiles; ++i) {
    const os::Fd file(open(cat("/tmp/file-", i).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    if (file.valid()) continue;
    out = error_name();
    break;
  }
  for (int64_t i = 0; i < kFiles; ++i) unlink(cat("/tmp/file-", i).c_str());
  return out;
}

std::string fork_children() {
  constexpr int64_t kBefore = 2;  // this process and the one that started it
  std::vector<pid_t> children;
  std::string out = "nothing stopped it";
  while (static_cast<int64_t>(children.size()) < 4 * CanaryLimits::kPids) {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) pause();
    }
    if (child < 0) {
      out = cat(error_name(), " at ", kBefore + static_cast<int64_t>(children.size()));
      break;
    }
    children.push_back(child);
  }
  for (const pid_t child : children) kill(child, SIGKILL);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  return out;
}

int use_memory() {
  constexpr size_t kBytes = 4 * CanaryLimits::kMemoryBytes;
  void* space = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::string text = "nothing stopped it";
  if (space == MAP_FAILED) {
    text = error_name();
  } else {
    for (size_t at = 0; at < kBytes; at += 4096) static_cast<volatile char*>(space)[at] = 1;
  }
  (void)os::write_all(STDOUT_FILENO, cat("memory\t", text, "\n"));
  return 0;
}

int use_cpu() {
  // By what was used, so that nothing but the limit decides; the kernel counts in whole seconds.
  constexpr time_t kEnough = 3;
  for (timespec used{}; used.tv_sec < kEnough;) clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return 0;
}

int go_on() {
  alarm(60);  // should nothing else end it
  for (;;) pause();
}

int fill_folder(const std::string& file) {
  write_up_to(file, 4 * CanaryLimits::kScratchBytes);
  return go_on();
}

int leave_survivors(const char* file) {
  constexpr int kSurvivors = 3;
  const auto pipe = os::make_pipe();
  if (!pipe.ok()) return 1;
  for (int i = 0; i < kSurvivors; ++i) {
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) survive(file, pipe->write.get(), i == 0);
    waitpid(child, nullptr, 0);
  }
  for (int i = 0; i < kSurvivors; ++i) {
    char byte = 0;
    if (read(pipe->read.get(), &byte, 1) != 1) return 1;
  }
  return 0;
}

}  // namespace paddock::sandbox
