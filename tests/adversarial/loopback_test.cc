// The loopback device of a sandbox's own: honest programs meet on it, and it leads to nobody else.
#include <arpa/inet.h>
#include <errno.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <string_view>

#include "common/os/file.h"
#include "tests/adversarial/degraded_host.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;
using testing::Not;

// Somebody who listens on every loopback address of the host.
class HostListener {
 public:
  HostListener() {
    fd_.reset(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int off = 0;
    setsockopt(fd_.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(fd_.get(), generic, size) == 0 && listen(fd_.get(), 16) == 0 &&
        getsockname(fd_.get(), generic, &size) == 0)
      port_ = ntohs(address.sin6_port);
  }
  int port() const { return port_; }
  bool was_reached() const {
    pollfd asked{fd_.get(), POLLIN, 0};
    return poll(&asked, 1, 0) != 0;
  }

 private:
  os::Fd fd_;
  int port_ = 0;
};

constexpr std::string_view kMeet = R"(
import socket, sys
def tcp(host, family=socket.AF_INET):
    server = socket.create_server((host, 0), family=family)
    client = socket.create_connection(server.getsockname()[:2], 300)
    peer = server.accept()[0]
    client.sendall(b'tcp'); client.close()
    return peer.recv(9)
def udp(host, family=socket.AF_INET):
    server = socket.socket(family, socket.SOCK_DGRAM); server.bind((host, 0)); server.settimeout(300)
    socket.socket(family, socket.SOCK_DGRAM).sendto(b'udp', server.getsockname())
    return server.recv(9)
)";

class Loopback : public SandboxTest {
 protected:
  void expect_out(const std::string& code, const std::string& out) {
    const Finished done = python(cat(kMeet, code));
    EXPECT_EQ(done.out, out) << done.err;
    ASSERT_TRUE(done.result);
    EXPECT_TRUE(done.result->denials.empty());
  }
};
INSTANTIATE_TEST_SUITE_P(, Loopback, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(Loopback, CarriesTcpAndUdpOfBothFamiliesAndIsReported) {
  expect_out(
      "print(tcp('127.0.0.1'), tcp('0.0.0.0'), tcp('localhost'), tcp('127.9.9.9'))\n"
      "print(tcp('::1', socket.AF_INET6), udp('127.0.0.1'), udp('::1', socket.AF_INET6))\n",
      "b'tcp' b'tcp' b'tcp' b'tcp'\nb'tcp' b'udp' b'udp'\n");
  const Finished done = run(std::vector<std::string>{"true"});
  ASSERT_TRUE(done.result);
  const contracts::Enforcement& network = done.result->enforced.at("network");
  EXPECT_EQ(network.requested, wire::Value("loopback"));
  EXPECT_EQ(network.level, contracts::EnforcementLevel::kKernel);
  EXPECT_TRUE(network.applied);
}

// Servers of containers take port 80, and their tests with them.
TEST_P(Loopback, HasPortsBelow1024Too) {
  expect_out(
      "for host, family in (('127.0.0.1', socket.AF_INET), ('::1', socket.AF_INET6)):\n"
      "    server = socket.create_server((host, 80), family=family)\n"
      "    socket.create_connection((host, 80), 300)\n"
      "    print(server.getsockname()[1])\n",
      "80\n80\n");
}

TEST_P(Loopback, AnswersWhoAsksForInterfacesAndNames) {
  expect_out(
      "print([name for _, name in socket.if_nameindex() if name == 'lo'])\n"
      "print(socket.getaddrinfo('localhost', 80, socket.AF_INET, 1)[0][4])\n"
      "print('127.0.0.1' in [each[4][0] for each in socket.getaddrinfo(\n"
      "    'localhost', 80, 0, 1, 0, socket.AI_ADDRCONFIG)])\n"
      "print(socket.getaddrinfo('localhost', 80, socket.AF_INET6, 1)[0][4][0])\n"
      "print(socket.gethostbyname(socket.gethostname()))\n",
      "['lo']\n('127.0.0.1', 80)\nTrue\n::1\n127.0.0.1\n");
}

TEST_P(Loopback, IsThereForNodeAndJava) {
  ASSERT_TRUE(os::write_file_atomic(workspace() + "/s.mjs", R"(
import http from "node:http"; import os from "node:os";
const s = http.createServer((q, r) => r.end("served"));
s.listen(0, "localhost", () => http.get({host: "localhost", port: s.address().port}, r => {
  r.on("data", d => console.log(String(d), os.networkInterfaces().lo.length > 0)); s.close();
  r.on("end", () => process.exit()); }));
)",
                                    0644)
                  .ok());
  ASSERT_TRUE(os::write_file_atomic(workspace() + "/S.java", R"(
import java.net.*;
public class S {
  public static void main(String[] a) throws Exception {
    ServerSocket s = new ServerSocket(0, 9, InetAddress.getByName("localhost"));
    Socket c = new Socket("localhost", s.getLocalPort());
    DatagramSocket d = new DatagramSocket();
    System.out.println(c.isConnected() + " " + NetworkInterface.getNetworkInterfaces().hasMoreElements());
  }
}
)",
                                    0644)
                  .ok());
  contracts::LaunchRequest launch = request({"node", "/workspace/s.mjs"});
  launch.policy.limits.memory = wire::Quantity{int64_t{32} << 30};
  launch.policy.limits.pids = 200;
  if (os::exists("/usr/bin/node")) {
    const Finished done = run(launch);
    EXPECT_EQ(done.out, "served true\n") << done.err;
  }
  if (!os::exists("/usr/bin/java")) GTEST_SKIP() << "openjdk is not installed";
  launch.command = {"java", "-Xmx256m", "/workspace/S.java"};
  const Finished done = run(launch);
  if (done.err.find("Cannot find") != std::string::npos) GTEST_SKIP() << "a JDK is needed";
  EXPECT_EQ(done.out, "true true\n") << done.err;
}

// proves: ORB-49, ORB-54
TEST_P(Loopback, LeadsToNobodyElseAndCannotBeChanged) {
  const HostListener host;
  ASSERT_NE(host.port(), 0);
  const Finished done = expect_contained("loopback", {cat(host.port())});
  EXPECT_FALSE(host.was_reached());
  ASSERT_TRUE(done.result);
  for (const char* target : {"10.0.0.1:", "224.0.0.1:", "[2606:4700::1111]:"}) {
    EXPECT_TRUE(std::ranges::any_of(done.result->denials, [&](const contracts::Denial& denial) {
      return denial.target.starts_with(target) && denial.rule == "network.enabled=false";
    })) << target;
  }
}

TEST_P(Loopback, IsNotThatOfAnotherSandbox) {
  const std::string code = cat(kMeet, R"(
try: socket.create_connection(('127.0.0.1', 5555), 300); print('BREACH')
except ConnectionRefusedError: print('alone')
server = socket.create_server(('127.0.0.1', 5555))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(('127.0.0.1', 5555))
print('READY', flush=True)
)");
  Launched holder = start(request({"python3", "-c", code + "server.accept(); print('BREACH')"}));
  ASSERT_TRUE(holder.wait_for_output("READY"));
  EXPECT_EQ(python(code).out, "alone\nREADY\n");
  kill(holder.pid(), SIGTERM);
  EXPECT_EQ(holder.wait().out, "alone\nREADY\n");
}

TEST_P(Loopback, OpensNoSocketsButThose) {
  const Finished done = expect_contained("network", {"loopback"});
  ASSERT_TRUE(done.result);
  EXPECT_THAT(done.out, Not(HasSubstr("BREACH")));
}

// A lookup without a name server is still named as what it is.
TEST_P(Loopback, ANameIsDeniedAsANameAndNotAsALocalAddress) {
  const Finished done = python(
      "import socket\n"
      "try: socket.getaddrinfo('example.com', 80)\n"
      "except socket.gaierror: print('no such name')\n");
  EXPECT_EQ(done.out, "no such name\n");
  ASSERT_TRUE(done.result);
  ASSERT_FALSE(done.result->denials.empty());
  EXPECT_EQ(done.result->denials[0].what, "name lookup");
  EXPECT_THAT(done.result->denials[0].remedy, HasSubstr("network.allowDomains"));
}

// With a thread that changes the address behind the reader's back: no more than its own loopback.
TEST_P(Loopback, WithoutOneTheKernelHasNoDeviceThatIsUp) {
  contracts::LaunchRequest closed = request({"python3", "-c", R"(
import fcntl, socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
flags = struct.unpack('16sH', fcntl.ioctl(s, 0x8913, struct.pack('16sH', b'lo', 0)))[1]
print('up' if flags & 1 else 'down')
try: socket.if_nameindex()
except OSError as e: print(e.errno)
)"});
  closed.policy.network->loopback = false;
  const Finished done = run(closed);
  EXPECT_EQ(done.out, "down\n97\n") << done.err;
  EXPECT_TRUE(done.result.value().denials.empty()) << "every getaddrinfo() tries netlink";
}

TEST_P(Loopback, AHostThatGivesNoneRefusesOrSaysSo) {
  // No AF_INET socket for the launcher, and so nothing to bring the device up by.
  in_launcher_ = [] { take_away({SYS_socket, EPERM, 0, AF_INET}); };
  contracts::LaunchRequest launch = request({"touch", "/workspace/ran"});
  const Finished refused = run(launch);
  if (refused.exit_code == kCannotWorsen) GTEST_SKIP() << "this host cannot be made worse so";
  ASSERT_TRUE(refused.result);
  EXPECT_EQ(refused.result->status, SandboxStatus::kInternalError);
  EXPECT_THAT(refused.result->reason, HasSubstr("LOOPBACK_UNAVAILABLE: network.loopback"));
  EXPECT_FALSE(os::exists(workspace() + "/ran")) << "it ran all the same";
  launch.policy.allow_partial = true;
  const Finished partial = run(launch);
  ASSERT_TRUE(partial.result);
  EXPECT_EQ(partial.result->status, SandboxStatus::kOk) << partial.result->reason;
  EXPECT_THAT(partial.result->reason, HasSubstr("PARTIAL_ENFORCEMENT"));
  EXPECT_FALSE(partial.result->enforced.at("loopback").applied);
  EXPECT_EQ(partial.result->enforced.at("network").requested, wire::Value("none"));
  EXPECT_TRUE(partial.result->enforced.at("network").applied);
  launch.policy.network->loopback = false;
  launch.policy.allow_partial = false;
  EXPECT_EQ(run(launch).result.value().status, SandboxStatus::kOk);
}

class ServedLoopback : public ServeTest {};
INSTANTIATE_TEST_SUITE_P(, ServedLoopback, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(ServedLoopback, LeadsToNobodyElseAndCannotBeChanged) {
  const HostListener host;
  expect_contained("loopback", {cat(host.port())});
  EXPECT_FALSE(host.was_reached());
}

// Services and containers do not give it, and the networks that a server lends are not the host's.
TEST_P(ServedLoopback, NeedsNoRightOverTheHostsNetwork) {
  if (!as_root()) GTEST_SKIP() << "an ordinary user's launcher lends no network";
  EXPECT_EQ(end_server(SIGTERM), 0);
  in_launcher_ = [] { prctl(PR_CAPBSET_DROP, CAP_NET_ADMIN); };
  start_server();
  wait_until_ready();
  for (int i = 0; i < 2 * kReady; ++i) {
    const Finished done = python(cat(kMeet, "print(tcp('127.0.0.1'))"));
    EXPECT_EQ(done.out, "b'tcp'\n") << done.err;
  }
}

// What a run leaves in the kernel of its network: ends of connections, what was learned of them,
// counters, flow labels. None of it is met by the next, whoever is lent what. In the line of TCP in
// `sockstat`, "orphan", "alloc" and "mem" count the whole host, so other processes change them. The
// last number of `rt6_stats` tells how often the namespace was lent.
TEST_P(ServedLoopback, TheNextRunFindsNothingOfTheOneBefore) {
  const std::string look = cat(kMeet, R"(
import ctypes, struct
for name in ('dev', 'snmp', 'snmp6', 'tcp', 'tcp6', 'udp', 'ip6_flowlabel', 'sockstat6'):
    print(open('/proc/self/net/' + name).read())
for line in open('/proc/self/net/sockstat'):
    if line.startswith('TCP'): print(line.split()[1:3], line.split()[5:7])
print(open('/proc/self/net/rt6_stats').read().split()[:-1])
)");
  const std::string leave = R"(
for i in range(9): tcp('127.0.0.1'); udp('127.0.0.1'); tcp('::1', socket.AF_INET6)
try: socket.create_connection(('127.0.0.1', 9), 300)
except OSError: pass
)";
  // A flow label outlives its socket, also where nothing was sent.
  const std::string label = R"(
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
ask = socket.inet_pton(socket.AF_INET6, '::1') + struct.pack('!I', 4711) + struct.pack('=BBHHHI', 0, 255, 1, 6, 60, 0)
try: s.setsockopt(socket.IPPROTO_IPV6, 32, ask)
except OSError as e: print('no label', e)
)";
  // A way that was made, though nothing was sent on it.
  const std::string way = "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).connect(('::1', 9))\n";
  const std::string untouched = python(look).out;
  ASSERT_THAT(untouched, HasSubstr("lo:"));
  for (const std::string& after : {leave, label, way, leave + label, std::string()}) {
    for (int i = 0; i < 2 * kReady; ++i) {
      const Finished done = python(look + after);
      EXPECT_EQ(done.out.substr(0, untouched.size()), untouched) << done.err << after;
    }
  }
}

// Each as its own policy says, on namespaces that the others used.
TEST_P(ServedLoopback, RunsWithAndWithoutOneTakeTurns) {
  for (int i = 0; i < 4 * kReady; ++i) {
    contracts::LaunchRequest launch = request(
        {"python3", "-c",
         cat(kMeet, "\ntry: print(tcp('127.0.0.1'))\nexcept OSError as e: print(e.errno)\n")});
    const bool open = i % 3 != 1;
    launch.policy.network->loopback = open;
    EXPECT_EQ(run(launch).out, open ? "b'tcp'\n" : cat(EACCES, "\n")) << i;
    // And the kernel below the filter: nothing is up that the policy closes.
    contracts::LaunchRequest flags =
        request({"python3", "-c",
                 "import fcntl, socket, struct\n"
                 "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                 "lo = fcntl.ioctl(s, 0x8913, struct.pack('16sH', b'lo', 0))\n"
                 "print(struct.unpack('16sH', lo)[1] & 1)\n"});
    flags.policy.network->loopback = open;
    EXPECT_EQ(run(flags).out, open ? "1\n" : "0\n") << i;
  }
}

}  // namespace
}  // namespace paddock::adversarial
