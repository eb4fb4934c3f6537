// What the kernel has few of for the whole host, whoever asks, or keeps in a namespace when its
// user is gone: none of it is to be had.
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/xattr.h>

#include <string>
#include <vector>

#include "probe.h"

namespace {

struct FlowLabel {  // in6_flowlabel_req of linux/in6.h
  in6_addr destination{};
  unsigned label = 0;
  unsigned char action = 0;
  unsigned char share = 0;
  unsigned short flags = 0;
  unsigned short expires = 0;
  unsigned short linger = 0;
  unsigned pad = 0;
};

void take_flow_labels() {
  constexpr int kManager = 32;
  const int fd = socket(AF_INET6, SOCK_DGRAM, 0);
  FlowLabel wanted;
  wanted.destination = in6addr_loopback;
  wanted.share = 255;
  wanted.flags = 1;  // make it
  expect_refused("a flow label", setsockopt(fd, IPPROTO_IPV6, kManager, &wanted, sizeof wanted));
  if (errno != EPERM) breach("another answer about flow labels", errno);
  // The kernel looks at 32 bits of both numbers.
  constexpr unsigned long kUpper = 0xabcd00000000;
  expect_refused("a flow label by large numbers",
                 syscall(SYS_setsockopt, fd, kUpper | IPPROTO_IPV6, kUpper | kManager, &wanted,
                         sizeof wanted));
  if (errno != EPERM) breach("another answer about large numbers", errno);
}

// The network device keeps each source of a group, and charges it to nobody. Joining a group is for
// everybody.
void join_from_sources() {
  constexpr unsigned long kUpper = 0xabcd00000000;
  const struct {
    int family;
    int level;
    std::vector<int> options;
  } kAll[] = {{AF_INET, IPPROTO_IP, {38, 39, 41, 43, 46, 48}},
              {AF_INET6, IPPROTO_IP, {38, 39, 41, 43, 46, 48}},
              {AF_INET6, IPPROTO_IPV6, {43, 46, 48}}};
  char wanted[512] = {};
  for (const auto& [family, level, options] : kAll) {
    const int fd = socket(family, SOCK_DGRAM, 0);
    for (const int option : options) {
      expect_refused("a source of a group",
                     syscall(SYS_setsockopt, fd, kUpper | static_cast<unsigned>(level),
                             kUpper | static_cast<unsigned>(option), wanted, sizeof wanted));
      if (errno != EPERM) breach("another answer about sources", errno);
    }
  }
  ipv6_mreq plain{in6addr_any, 1};
  plain.ipv6mr_multiaddr.s6_addr[0] = 0xff;
  plain.ipv6mr_multiaddr.s6_addr[1] = 0x15;
  plain.ipv6mr_multiaddr.s6_addr[15] = 1;
  const int fd = socket(AF_INET6, SOCK_DGRAM, 0);
  if (fd >= 0 && setsockopt(fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &plain, sizeof plain) != 0 &&
      errno == EPERM)
    breach("a group itself", errno);
}

// A file in memory keeps one for each of its pages, after it is unmapped too.
void take_memory_policies() {
  constexpr unsigned long kNode = 1;
  constexpr int kPreferred = 1;
  void* page = mmap(nullptr, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  expect_refused("a policy of memory",
                 syscall(SYS_mbind, page, 4096, kPreferred, &kNode, 8 * sizeof kNode, 0));
  if (errno != EPERM) breach("another answer about policies of memory", errno);
}

// A call that nothing ends and that takes as long as its caller likes.
void ask_about_all_memory() {
  constexpr size_t kGiB = size_t{1} << 30;
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const area = mmap(nullptr, 4 * kGiB, PROT_NONE, flags, -1, 0);
  if (area == MAP_FAILED) return;  // its addresses are limited
  std::vector<unsigned char> pages(4 * kGiB / 4096);
  expect_refused("which pages of 4 GiB are there", mincore(area, 4 * kGiB, pages.data()));
  if (errno != ENOMEM) breach("another answer about pages", errno);
  if (mincore(area, 4 * kGiB - 4096, pages.data()) != 0) breach("which pages are there", errno);
  munmap(area, 4 * kGiB);
}

// Each takes memory that no cgroup counts, some 100 KiB a socket.
void take_keys() {
  constexpr int kAddAuthenticationKey = 38;
  constexpr unsigned long kUpper = 0xabcd00000000;
  tcp_md5sig key{};
  key.tcpm_addr.ss_family = AF_INET;
  key.tcpm_keylen = 1;
  for (const int family : {AF_INET, AF_INET6}) {
    const int fd = socket(family, SOCK_STREAM, 0);
    for (const int option : {TCP_MD5SIG, TCP_MD5SIG_EXT, kAddAuthenticationKey}) {
      expect_refused("a key of TCP",
                     syscall(SYS_setsockopt, fd, kUpper | IPPROTO_TCP,
                             kUpper | static_cast<unsigned>(option), &key, sizeof key));
      if (errno != EPERM) breach("another answer about keys", errno);
    }
  }
}

// Where the host merges pages that are alike, the time of a write tells that another process has
// such a page.
void share_pages() {
  constexpr unsigned long kUpper = 0xabcd00000000;
  constexpr int kMergeMemory = 67;
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  expect_refused("merged pages", madvise(page, 4096, MADV_MERGEABLE));
  if (errno != EINVAL) breach("another answer about merged pages", errno);
  expect_refused("merged pages by a large number",
                 syscall(SYS_madvise, page, 4096, kUpper | MADV_MERGEABLE));
  expect_refused("merged pages of all", prctl(kMergeMemory, 1, 0, 0, 0));
  if (errno != EINVAL) breach("another answer about all pages", errno);
  if (madvise(page, 4096, MADV_DONTNEED) != 0) breach("giving a page back", errno);
}

// An access control list that names its own user so many times.
std::vector<unsigned char> list_of(size_t entries) {
  struct Entry {
    unsigned short tag;
    unsigned short permissions;
    unsigned id;
  };
  constexpr unsigned kVersion = 2;
  constexpr unsigned kNobody = ~0u;
  std::vector<Entry> all = {{1, 6, kNobody}};
  all.insert(all.end(), entries, {2, 6, getuid()});
  all.insert(all.end(), {{4, 6, kNobody}, {0x10, 6, kNobody}, {0x20, 4, kNobody}});
  std::vector<unsigned char> out(sizeof kVersion + all.size() * sizeof(Entry));
  std::memcpy(out.data(), &kVersion, sizeof kVersion);
  std::memcpy(out.data() + sizeof kVersion, all.data(), all.size() * sizeof(Entry));
  return out;
}

// Each file and folder in memory keeps its own, and no cgroup counts them. Short ones are for
// honest programs, and so are other attributes.
void take_long_lists() {
  constexpr const char* kLists = "system.posix_acl_access";
  constexpr long kSetxattrat = 463;
  const std::vector<unsigned char> few = list_of(3);
  for (const size_t entries : {size_t{60}, size_t{508}, size_t{8000}}) {
    const std::vector<unsigned char> many = list_of(entries);
    for (const std::string folder : {"/tmp", "/dev/shm", "/workspace"}) {
      const std::string name = folder + "/listed";
      const int fd = open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
      if (fd < 0) continue;
      expect_refused("a long list", setxattr(name.c_str(), kLists, many.data(), many.size(), 0));
      if (errno != EOPNOTSUPP) breach("another answer about a long list", errno);
      expect_refused("by a link", lsetxattr(name.c_str(), kLists, many.data(), many.size(), 0));
      if (errno != EOPNOTSUPP) breach("another answer about a link", errno);
      expect_refused("by a descriptor", fsetxattr(fd, kLists, many.data(), many.size(), 0));
      if (errno != EOPNOTSUPP) breach("another answer about a descriptor", errno);
      const struct {
        alignas(8) unsigned long value;
        unsigned size;
        unsigned flags;
      } hidden = {reinterpret_cast<unsigned long>(many.data()), static_cast<unsigned>(many.size()),
                  0};
      expect_refused("by a size in memory", syscall(kSetxattrat, AT_FDCWD, name.c_str(), 0, kLists,
                                                    &hidden, sizeof hidden));
      if (errno != ENOSYS) breach("another answer about a size in memory", errno);
      if (fsetxattr(fd, kLists, few.data(), few.size(), 0) != 0 && errno != EOPNOTSUPP)
        breach("a short list", errno);
      char value[511] = {};
      if (fsetxattr(fd, "user.note", value, sizeof value, 0) != 0 && errno != EOPNOTSUPP)
        breach("a note", errno);
      close(fd);
      unlink(name.c_str());
    }
  }
}

void take_huge_pages() {
  constexpr size_t kSize = size_t{2} << 20;
  constexpr int kAnonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  for (const int size : {0, 21 << MAP_HUGE_SHIFT, 30 << MAP_HUGE_SHIFT}) {
    if (mmap(nullptr, kSize, PROT_READ | PROT_WRITE, kAnonymous | MAP_HUGETLB | size, -1, 0) !=
            MAP_FAILED ||
        errno != ENOMEM)
      breach("a mapping of huge pages", errno);
    if (mmap(nullptr, kSize, PROT_NONE, kAnonymous | MAP_NORESERVE | MAP_HUGETLB | size, -1, 0) !=
        MAP_FAILED)
      breach("huge pages that are only reserved", size);
  }
  expect_refused("a file of huge pages", memfd_create("huge", MFD_HUGETLB));
  if (errno != ENOMEM) breach("another answer about files", errno);
  expect_refused("shared memory of huge pages",
                 shmget(IPC_PRIVATE, kSize, IPC_CREAT | SHM_HUGETLB | 0600));
  if (errno != ENOMEM) breach("another answer about shared memory", errno);
}

// The host has room for some hundred megabytes of compiled filters, those of all sandboxes among
// them: without one none can start.
void take_compiled_filters() {
  sock_filter accept_all{BPF_RET | BPF_K, 0, 0, 0xffff};
  const sock_fprog program{1, &accept_all};
  for (const int family : {AF_UNIX, AF_INET, AF_INET6}) {
    const int fd = socket(family, SOCK_DGRAM, 0);
    for (const int option : {SO_ATTACH_FILTER, SO_ATTACH_REUSEPORT_CBPF}) {
      expect_refused("a filter on a socket",
                     setsockopt(fd, SOL_SOCKET, option, &program, sizeof program));
      if (errno != EPERM) breach("another answer about filters", errno);
    }
  }
}

void take_message_queues() {
  expect_refused("a message queue", syscall(SYS_mq_open, "taken", O_CREAT | O_RDWR, 0600, nullptr));
  if (errno != EMFILE) breach("another answer about message queues", errno);
}

}  // namespace

int main() {
  take_compiled_filters();
  take_message_queues();
  take_flow_labels();
  take_keys();
  join_from_sources();
  take_memory_policies();
  ask_about_all_memory();
  take_huge_pages();
  share_pages();
  take_long_lists();
  return verdict();
}
