#include "node-agent/sandbox/network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string four(const char* address, uint16_t port, sa_family_t family = AF_INET) {
  sockaddr_in out{};
  out.sin_family = family;
  out.sin_port = htons(port);
  inet_pton(AF_INET, address, &out.sin_addr);
  return bytes_of(out);
}

std::string six(const char* address, uint16_t port) {
  sockaddr_in6 out{};
  out.sin6_family = AF_INET6;
  out.sin6_port = htons(port);
  inet_pton(AF_INET6, address, &out.sin6_addr);
  return bytes_of(out);
}

SocketAddress read(const std::string& bytes, NetworkCall call = NetworkCall::kConnect) {
  const auto address = read_socket_address(bytes, call);
  EXPECT_TRUE(address.has_value());
  return address.value_or(SocketAddress{});
}

TEST(SocketAddress, ReadsBothInternetFamilies) {
  EXPECT_EQ(read(four("93.184.216.34", 443)).text, "93.184.216.34:443");
  EXPECT_EQ(read(six("::1", 80)).text, "[::1]:80");
  EXPECT_EQ(read(six("2001:db8::1", 53)).port, 53);
}

TEST(SocketAddress, KnowsItsOwnLoopback) {
  for (const std::string& inside :
       {four("127.0.0.1", 1), four("127.255.0.9", 1), four("0.0.0.0", 1), six("::1", 1),
        six("::", 1), six("::ffff:127.0.0.1", 1)}) {
    EXPECT_TRUE(read(inside).loopback) << read(inside).text;
  }
  for (const std::string& outside :
       {four("128.0.0.1", 1), four("126.255.255.255", 1), four("169.254.169.254", 80),
        four("255.255.255.255", 1), six("::2", 1), six("::ffff:10.0.0.1", 1), six("fe80::1", 1)}) {
    EXPECT_FALSE(read(outside).loopback || read(outside).local) << read(outside).text;
  }
}

TEST(SocketAddress, RefusesWhatIsTooShort) {
  EXPECT_FALSE(read_socket_address(four("1.1.1.1", 1).substr(0, 7), NetworkCall::kConnect));
  EXPECT_FALSE(read_socket_address(six("::1", 1).substr(0, 23), NetworkCall::kConnect));
  EXPECT_TRUE(read_socket_address(six("::1", 1).substr(0, 24), NetworkCall::kConnect));
  EXPECT_FALSE(read_socket_address("x", NetworkCall::kConnect));
  EXPECT_FALSE(read_socket_address("", NetworkCall::kConnect));
}

TEST(SocketAddress, KnowsLocalSockets) { EXPECT_TRUE(read(bytes_of(sa_family_t{AF_UNIX})).local); }

// To connect() it means "no longer", to every other call AF_INET: udp_sendmsg() and inet_bind().
TEST(SocketAddress, ReadsTheUnspecifiedFamilyAsTheKernelDoes) {
  const std::string bytes = four("1.1.1.1", 53, AF_UNSPEC);
  EXPECT_TRUE(read(bytes, NetworkCall::kConnect).local);
  EXPECT_EQ(read(bytes, NetworkCall::kSend).text, "1.1.1.1:53");
  EXPECT_FALSE(read(bytes, NetworkCall::kSend).local);
  EXPECT_FALSE(read(bytes, NetworkCall::kBind).local);
}

// Whatever the bytes are: no crash, and nothing beyond this sandbox is ever within reach.
TEST(SocketAddress, HoldsForAnyBytes) {
  SeededRandom random(20261121);
  for (int i = 0; i < 40'000; ++i) {
    std::string bytes(random.below(130), '\0');
    random.fill({reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
    if (bytes.size() >= 2 && random.below(4) != 0) {
      bytes[0] = static_cast<char>(random.below(12));
      bytes[1] = '\0';
    }
    for (const NetworkCall call : {NetworkCall::kConnect, NetworkCall::kSend}) {
      const auto address = read_socket_address(bytes, call);
      if (!address) continue;
      const auto family = static_cast<uint8_t>(bytes[0]) | static_cast<uint8_t>(bytes[1]) << 8;
      const bool reaches = stays_inside(call, *address, {});
      EXPECT_EQ(reaches,
                family == AF_UNIX || (family == AF_UNSPEC && call == NetworkCall::kConnect));
      if (stays_inside(call, *address, {.broker = true}) && !reaches) {
        ASSERT_TRUE(family == AF_INET || family == AF_INET6 || family == AF_UNSPEC);
        const bool first_four = bytes[4] == 127 || bytes.substr(4, 4) == std::string(4, '\0');
        const bool six_inside =
            bytes.size() >= 24 && (bytes.substr(8, 10) == std::string(10, '\0'));
        EXPECT_TRUE(family == AF_INET6 ? six_inside : first_four) << address->text;
      }
      EXPECT_TRUE(is_utf8(address->text));
      EXPECT_LT(address->text.size(), 64u);
    }
  }
}

TEST(NetworkDenial, SaysWhatWouldAllowIt) {
  const auto none = network_denial(NetworkCall::kConnect, read(four("1.1.1.1", 443)), {}, "/x");
  EXPECT_EQ(none.what, "network connect");
  EXPECT_EQ(none.target, "1.1.1.1:443");
  EXPECT_EQ(none.executable, "/x");
  EXPECT_EQ(none.rule, "network.enabled=false");
  const auto named =
      network_denial(NetworkCall::kSend, read(four("1.1.1.1", 53)), {.broker = true}, "/x");
  EXPECT_EQ(named.what, "name lookup");
  EXPECT_EQ(named.rule, "network.allowDomains");
}

TEST(NetworkReach, IsLoopbackAndThePortsOfNamesAllowed) {
  const NetworkReach broker{.broker = true, .ports = {443}};
  const SocketAddress name{.loopback = true, .synthetic = true, .port = 443};
  const SocketAddress other_port{.loopback = true, .synthetic = true, .port = 22};
  EXPECT_TRUE(stays_inside(NetworkCall::kConnect, name, broker));
  EXPECT_FALSE(stays_inside(NetworkCall::kConnect, other_port, broker));
  EXPECT_TRUE(stays_inside(NetworkCall::kBind, other_port, broker));
  EXPECT_FALSE(stays_inside(NetworkCall::kConnect, name, {}));
  EXPECT_TRUE(stays_inside(NetworkCall::kConnect, read(four("127.0.0.1", 22)), broker));
  EXPECT_FALSE(stays_inside(NetworkCall::kConnect, read(four("1.1.1.1", 443)), broker));
}

TEST(RefusedSocket, NamesTheFamilyOrTheTypeOrTheProtocol) {
  EXPECT_EQ(refuse_socket(AF_VSOCK, SOCK_STREAM, 0, "").denial.target, "AF_VSOCK");
  EXPECT_EQ(refuse_socket(AF_VSOCK, SOCK_STREAM, 0, "").error, EAFNOSUPPORT);
  EXPECT_EQ(refuse_socket(63, SOCK_STREAM, 0, "").denial.target, "address family 63");
  EXPECT_EQ(refuse_socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, 1, "").denial.target, "raw socket");
  EXPECT_EQ(refuse_socket(AF_INET, SOCK_RAW, 1, "").error, EPERM);
  EXPECT_EQ(refuse_socket(AF_INET6, SOCK_STREAM, 132, "").denial.target, "protocol 132");
  EXPECT_EQ(refuse_socket(AF_INET6, SOCK_STREAM, 132, "").error, EPROTONOSUPPORT);
  EXPECT_EQ(refuse_socket(AF_INET, SOCK_SEQPACKET, 0, "").denial.target, "socket type 5");
}

}  // namespace
}  // namespace paddock::sandbox
