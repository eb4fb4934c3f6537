#include "node-agent/sandbox/linux/launcher/socket_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/netlink_diag.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "common/os/passed_fds.h"
#include "node-agent/sandbox/linux/cgroup/cgroup.h"

namespace paddock::sandbox {
namespace {

constexpr int64_t kFew = 16;
constexpr int kSocketRest = 9;
constexpr Millis kLongestRest{1000};
// The host has tcp_max_orphans for all; honest programs close what they accept.
constexpr int64_t kMostUnowned = 16'384;
// A connection that was reset before it was accepted, a datagram socket that was disconnected: both
// keep what they hold, and no list has them. This is what one holds at most by default
// (net.core.rmem_max, twice).
constexpr int64_t kUnseenBytes = 512 << 10;
// A netlink socket that was closed is such a one for a moment, and a library that looks at the
// host's addresses opens one each time.
constexpr int64_t kUnseenFree = 256;
// A socket of the kernel's own protocols is in no cgroup itself.
constexpr int64_t kOfANetlinkSocket = 2048;
// For each group that a socket joins it is charged 48 bytes (of IPv6: 56), and the device keeps 192
// (430) more.
constexpr int64_t kOfOptions4 = 5;
constexpr int64_t kOfOptions6 = 9;
// Whoever others could send to may share its port (SO_REUSEPORT). The kernel then has room ready
// for 128 such sockets, and does not say so.
constexpr int64_t kOfASharedPort = 2048;

constexpr std::array<SocketKind, 5> kSocketKinds = {{{AF_INET, IPPROTO_TCP},
                                                     {AF_INET6, IPPROTO_TCP},
                                                     {AF_INET, IPPROTO_UDP},
                                                     {AF_INET6, IPPROTO_UDP},
                                                     {AF_NETLINK, NDIAG_PROTO_ALL}}};

std::string read_again(const os::Fd& file) {
  constexpr size_t kMost = 64 << 10;
  if (lseek(file.get(), 0, SEEK_SET) != 0) return {};
  auto text = os::read_all(file.get(), kMost);
  return text.ok() ? std::move(text).value() : std::string();
}

// Of /proc/net/protocols, `NAME SIZE SOCKETS …`: those that are in a list of the kernel.
int64_t listed_sockets(std::string_view protocols) {
  int64_t sum = 0;
  for (const std::string& line : split(protocols, '\n')) {
    std::vector<std::string> words = split(line, ' ');
    std::erase(words, "");
    if (words.size() > 2) sum += std::max<int64_t>(parse_integer<int64_t>(words[2]).value_or(0), 0);
  }
  return sum;
}

// The kernel's answer about one socket: the socket, and its memory as an attribute.
struct Answer {
  template <class Socket>
  const Socket* as() const {
    return bytes.size() < sizeof(Socket) ? nullptr : reinterpret_cast<const Socket*>(bytes.data());
  }
  // Data that TCP has under way is a copy of data that it has queued, so it is not counted twice.
  static int64_t sum(const uint32_t* part, int64_t of_options) {
    return int64_t{part[SK_MEMINFO_RMEM_ALLOC]} + of_options * part[SK_MEMINFO_OPTMEM] +
           part[SK_MEMINFO_BACKLOG] +
           std::max(part[SK_MEMINFO_WMEM_ALLOC], part[SK_MEMINFO_WMEM_QUEUED]);
  }
  int64_t memory(size_t socket_size, unsigned short attribute, int64_t of_options) const {
    if (bytes.size() < NLMSG_ALIGN(socket_size)) return 0;
    std::string_view left = bytes.substr(NLMSG_ALIGN(socket_size));
    while (left.size() >= sizeof(rtattr)) {
      const auto* each = reinterpret_cast<const rtattr*>(left.data());
      const size_t size = each->rta_len;
      if (size < sizeof(rtattr) || size > left.size()) return 0;
      if (each->rta_type == attribute && size > RTA_LENGTH(SK_MEMINFO_BACKLOG * sizeof(uint32_t)))
        return sum(static_cast<const uint32_t*>(RTA_DATA(each)), of_options);
      left.remove_prefix(std::min(left.size(), size_t{RTA_ALIGN(size)}));
    }
    return 0;
  }
  std::string_view bytes;
};

// Asks for all sockets of one kind and passes each to `take`. Returns an errno value; 0: all came.
template <class Body, class Take>
int ask_for_all(int socket, const Body& body, const Take& take) {
  struct {
    nlmsghdr head;
    Body body;
  } question{};
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.body = body;
  if (send(socket, &question, sizeof question, MSG_DONTWAIT) < 0) return errno;
  alignas(nlmsghdr) std::array<char, 32 << 10> answers;
  for (;;) {
    const ssize_t n = recv(socket, answers.data(), answers.size(), MSG_DONTWAIT);
    if (n <= 0) return n == 0 ? EIO : errno;
    auto left = static_cast<unsigned>(n);
    for (const auto* head = reinterpret_cast<const nlmsghdr*>(answers.data()); NLMSG_OK(head, left);
         head = NLMSG_NEXT(head, left)) {
      const std::string_view said(static_cast<const char*>(NLMSG_DATA(head)),
                                  head->nlmsg_len - NLMSG_HDRLEN);
      // Both begin with a number that is 0, or an error below it.
      if (head->nlmsg_type == NLMSG_DONE || head->nlmsg_type == NLMSG_ERROR)
        return said.size() < sizeof(int) ? 0 : -*reinterpret_cast<const int*>(said.data());
      if (head->nlmsg_type == SOCK_DIAG_BY_FAMILY) take(Answer{said});
    }
  }
}

// In a new process: a socket of that network, for whoever reads from `to`. Nothing here allocates.
[[noreturn]] void send_socket(int user, int network, int to) {
  // An ordinary user's launcher may enter only by way of the sandbox's own user namespace.
  if (setns(network, CLONE_NEWNET) != 0 &&
      (setns(user, CLONE_NEWUSER) != 0 || setns(network, CLONE_NEWNET) != 0))
    _exit(1);
  const int socket = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (socket < 0) _exit(1);
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  os::attach_fds(message, {&socket, 1});
  _exit(sendmsg(to, &message, MSG_NOSIGNAL) == 1 ? 0 : 1);
}

os::Fd receive_socket(int from) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1) return {};
  std::vector<os::Fd> fds = os::take_fds(message);
  return fds.empty() ? os::Fd() : std::move(fds.front());
}

os::Fd socket_in(const os::Fd& user, const os::Fd& network) {
  int ends[2] = {};
  if (!network.valid() || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return {};
  const os::Fd mine(ends[0]);
  os::Fd other(ends[1]);
  const pid_t child = fork();
  if (child == 0) send_socket(user.get(), network.get(), other.get());
  other.reset();
  os::Fd out = child < 0 ? os::Fd() : receive_socket(mine.get());
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return out;
}

}  // namespace

SocketWatch::SocketWatch(pid_t init, int64_t most_bytes, bool same_user)
    : init_(init), most_bytes_(most_bytes) {
  if (same_user) find_network();
}

void SocketWatch::find_network() {
  user_namespace_.reset(open(cat("/proc/", init_, "/ns/user").c_str(), O_RDONLY | O_CLOEXEC));
  network_.reset(open(cat("/proc/", init_, "/ns/net").c_str(), O_RDONLY | O_CLOEXEC));
}

bool SocketWatch::look(const Clock& clock) {
  const MonoTime begin = clock.mono();
  if (begin < rests_until_) return false;
  const bool over = !counts_few() && is_over(count());
  const MonoTime end = clock.mono();
  // A doubt is settled soon.
  rests_until_ = over ? end : end + std::min(kSocketRest * (end - begin), kLongestRest);
  return std::exchange(was_over_, over) && over;
}

bool SocketWatch::counts_few() {
  if (!totals_.valid()) {
    totals_.reset(open(cat("/proc/", init_, "/net/sockstat").c_str(), O_RDONLY | O_CLOEXEC));
    protocols_.reset(open(cat("/proc/", init_, "/net/protocols").c_str(), O_RDONLY | O_CLOEXEC));
  }
  sockets_ = cgroup_files::value_of(read_again(totals_), "sockets: used").value_or(0);
  return sockets_ <= kFew;
}

void SocketWatch::open_question() {
  if (!network_.valid()) find_network();
  if (!question_.valid()) question_ = socket_in(user_namespace_, network_);
}

SocketWatch::Use SocketWatch::count() {
  Use out;
  if (const std::string protocols = read_again(protocols_); !protocols.empty())
    out.unseen = std::max<int64_t>(sockets_ - listed_sockets(protocols) - kUnseenFree, 0);
  open_question();
  for (size_t i = 0; i < kSocketKinds.size() && question_.valid(); ++i) {
    if (missing_[i]) continue;
    const int failed = add(kSocketKinds[i], out);
    if (failed == 0) continue;
    missing_[i] = failed == ENOENT;
    question_.reset();  // what is left of its answers is of no use
    if (missing_[i]) open_question();
  }
  return out;
}

int SocketWatch::add(const SocketKind& kind, Use& use) const {
  if (kind.family == AF_NETLINK) {
    netlink_diag_req body{};
    body.sdiag_family = kind.family;
    body.sdiag_protocol = kind.protocol;
    body.ndiag_show = NDIAG_SHOW_MEMINFO;
    return ask_for_all(question_.get(), body, [&](const Answer& answer) {
      use.bytes +=
          kOfANetlinkSocket + answer.memory(sizeof(netlink_diag_msg), NETLINK_DIAG_MEMINFO, 1);
    });
  }
  const int64_t of_options = kind.family == AF_INET6 ? kOfOptions6 : kOfOptions4;
  inet_diag_req_v2 body{};
  body.sdiag_family = kind.family;
  body.sdiag_protocol = kind.protocol;
  body.idiag_ext = 1U << (INET_DIAG_SKMEMINFO - 1);
  body.idiag_states = ~(1U << TCP_TIME_WAIT);
  return ask_for_all(question_.get(), body, [&](const Answer& answer) {
    const auto* socket = answer.as<inet_diag_msg>();
    if (socket == nullptr) return;
    use.bytes += answer.memory(sizeof *socket, INET_DIAG_SKMEMINFO, of_options);
    if (kind.protocol == IPPROTO_UDP || socket->idiag_state == TCP_LISTEN)
      use.bytes += kOfASharedPort;
    if (kind.protocol == IPPROTO_TCP && socket->idiag_inode == 0) ++use.unowned;
  });
}

bool SocketWatch::is_over(const Use& use) const {
  return use.bytes + use.unseen * kUnseenBytes > most_bytes_ || use.unowned > kMostUnowned;
}

}  // namespace paddock::sandbox
