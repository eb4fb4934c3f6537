#include "node-agent/sandbox/linux/selftest/canary_bait.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/packet_socket.h"
#include "node-agent/sandbox/plan/plan.h"
#include "node-agent/sandbox/selftest/canaries.h"

namespace paddock::sandbox {
namespace {

constexpr const char* kPrefix = "paddock-canary-";
constexpr time_t kNewSeconds = 60;  // its owner may not hold it yet

// Folders of probes that were killed: nobody holds them any more.
void sweep_stale_bait(const std::string& place) {
  const auto names = os::list_dir(place);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    if (!name.starts_with(kPrefix)) continue;
    const std::string path = cat(place, "/", name);
    const os::Fd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!folder.valid() || fstat(folder.get(), &info) != 0 || info.st_uid != geteuid()) continue;
    if (time(nullptr) - info.st_mtime < kNewSeconds) continue;
    if (flock(folder.get(), LOCK_EX | LOCK_NB) == 0) (void)os::remove_tree(path);
  }
}

// A folder that takes no files says nothing about the sandbox.
bool is_the_disks(const Error& error) {
  return error.code == Code::kResourceExhausted || error.reason == kDiskReadOnlyReason ||
         error.reason == kDiskFailsReason;
}

}  // namespace

sockaddr_un abstract_address(const std::string& name, socklen_t& size) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  size = static_cast<socklen_t>(sizeof(sa_family_t) + 1 + name.size());
  return address;
}

std::string own_namespaces() {
  std::vector<std::string> out;
  for (const char* kind : {"user", "mnt", "pid", "net", "ipc", "uts"}) {
    std::array<char, 64> text{};
    const ssize_t n = readlink(cat("/proc/self/ns/", kind).c_str(), text.data(), text.size());
    if (n > 0) out.emplace_back(text.data(), static_cast<size_t>(n));
  }
  return join(out, ",");
}

Result<CanaryBait> CanaryBait::lay() {
  const char* wanted = getenv("TMPDIR");
  const std::string usual = wanted == nullptr || wanted[0] != '/' ? "/tmp" : wanted;
  auto bait = lay_in(usual);
  if (bait.ok() || !is_the_disks(bait.error())) return bait;
  if (auto in_memory = lay_in("/dev/shm"); in_memory.ok()) return in_memory;
  return Error{Code::kResourceExhausted, "DISK_FULL",
               cat("there is no room for what canaries reach for: free space in ", usual,
                   ", or set TMPDIR (", bait.error().message, ")")};
}

Result<CanaryBait> CanaryBait::lay_in(const std::string& place) {
  CanaryBait bait;
  sweep_stale_bait(place);
  std::string path = cat(place, "/", kPrefix, "XXXXXX");
  if (mkdtemp(path.data()) == nullptr) return system_error("making a folder for canaries", errno);
  bait.folder_ = path;
  bait.held_.reset(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!bait.held_.valid() || flock(bait.held_.get(), LOCK_EX | LOCK_NB) != 0)
    return system_error("holding the folder for canaries", errno);
  bait.name_ = os::base_name(path);
  TRY(bait.make_files());
  TRY(bait.listen_here());
  TRY(bait.send_descriptors());
  return bait;
}

Status CanaryBait::make_files() {
  // Open to everybody: only the sandbox keeps its command away.
  if (chmod(folder_.c_str(), 0755) != 0) return system_error("a folder for canaries", errno);
  TRY(os::write_file_atomic(host_file(), "read by a canary\n", 0644));
  TRY(os::write_file_atomic(given_file(), "", 0666));
  TRY(os::make_dirs(shown_folder(), 0755));
  TRY(os::write_file_atomic(shown_folder() + "/held", "", 0666));
  if (geteuid() == 0) {
    for (const std::string& path : {shown_folder(), shown_folder() + "/held"}) {
      if (chown(path.c_str(), kDefaultHostId, kDefaultHostId) != 0)
        return system_error("a folder for canaries", errno);
    }
  }
  return {};
}

Status CanaryBait::listen_here() {
  tcp_.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(tcp_.get(), generic, size) != 0 || listen(tcp_.get(), 1) != 0 ||
      getsockname(tcp_.get(), generic, &size) != 0)
    return system_error("listening for canaries", errno);
  port_ = ntohs(address.sin_port);
  local_.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un name = abstract_address(name_, size);
  if (bind(local_.get(), reinterpret_cast<const sockaddr*>(&name), size) != 0 ||
      listen(local_.get(), 1) != 0)
    return system_error("listening for canaries", errno);
  return {};
}

// More than a command of the probe may hold, for the user that a sandbox without one of its own is.
Status CanaryBait::send_descriptors() {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("descriptors under way for canaries", errno);
  under_way_from_.reset(ends[0]);
  under_way_to_.reset(ends[1]);
  const pid_t sender = fork();
  if (sender == 0) {
    const bool root = geteuid() == 0;
    if (root && (syscall(SYS_setresgid, kDefaultHostId, kDefaultHostId, kDefaultHostId) != 0 ||
                 syscall(SYS_setresuid, kDefaultHostId, kDefaultHostId, kDefaultHostId) != 0))
      _exit(1);
    const std::vector<int> some(os::kMaxPacketFds, ends[0]);
    for (size_t sent = 0; sent <= 2 * CanaryLimits::kOpenFiles; sent += some.size()) {
      if (!os::send_packet(ends[0], "x", some).ok()) _exit(1);
    }
    _exit(0);
  }
  int status = 1;
  if (sender < 0 || waitpid(sender, &status, 0) != sender || status != 0)
    return system_error("putting descriptors under way for canaries", ECHILD);
  return {};
}

CanaryBait::~CanaryBait() {
  if (!folder_.empty()) (void)os::remove_tree(folder_);
}

bool CanaryBait::was_reached() const {
  std::array<pollfd, 2> fds = {pollfd{tcp_.get(), POLLIN, 0}, pollfd{local_.get(), POLLIN, 0}};
  return poll(fds.data(), fds.size(), 0) != 0;
}

bool CanaryBait::is_held() const {
  const os::Fd file(open((shown_folder() + "/held").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  return !file.valid() || flock(file.get(), LOCK_EX | LOCK_NB) != 0;
}

}  // namespace paddock::sandbox
