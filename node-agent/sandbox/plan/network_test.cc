#include "node-agent/sandbox/plan/network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <gmock/gmock.h>
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

TEST(SocketAddress, KnowsLocalSockets) {
  EXPECT_TRUE(read(bytes_of(sa_family_t{AF_UNIX})).local);
  EXPECT_TRUE(read(bytes_of(sa_family_t{AF_NETLINK})).local) << "the kernel, if such sockets exist";
}

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
      bytes[0] = static_cast<char>(random.below(20));
      bytes[1] = '\0';
    }
    for (const NetworkCall call : {NetworkCall::kConnect, NetworkCall::kSend}) {
      const auto address = read_socket_address(bytes, call);
      if (!address) continue;
      const auto family = static_cast<uint8_t>(bytes[0]) | static_cast<uint8_t>(bytes[1]) << 8;
      const bool reaches = stays_inside(call, *address, {});
      EXPECT_EQ(reaches, family == AF_UNIX || family == AF_NETLINK ||
                             (family == AF_UNSPEC && call == NetworkCall::kConnect));
      if (stays_inside(call, *address, {.broker = true, .ports = {}, .loopback = true}) &&
          !reaches) {
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
  EXPECT_TRUE(none.remedy.ends_with("(--allow-domain HOST)")) << none.remedy;
  const auto lookup = network_denial(NetworkCall::kSend, read(four("127.0.0.1", 53)), {}, "/x");
  EXPECT_THAT(lookup.remedy, testing::HasSubstr("name the host that it looked for"));
  const auto named =
      network_denial(NetworkCall::kSend, read(four("1.1.1.1", 53)), {.broker = true}, "/x");
  EXPECT_EQ(named.what, "name lookup");
  EXPECT_EQ(named.rule, "network.allowDomains");
}

// And by IPv4 in IPv6, as Java connects; other ports, other addresses and listening there are not.
TEST(NetworkReach, HoldsAGatewaysPlaceWhateverTheRest) {
  const NetworkReach reach{.gateway = {{ipv4(0x7f000002), 8443}, {*parse_ip("2001:db8::7"), 8443}}};
  for (const SocketAddress& place :
       {read(four("127.0.0.2", 8443)), read(four("127.0.0.2", 0)),
        read(six("::ffff:127.0.0.2", 8443)), read(six("2001:db8::7", 8443))}) {
    EXPECT_TRUE(stays_inside(NetworkCall::kConnect, place, reach)) << place.text;
    EXPECT_FALSE(stays_inside(NetworkCall::kConnect, place, {})) << place.text;
    EXPECT_FALSE(stays_inside(NetworkCall::kBind, place, reach)) << place.text;
    EXPECT_FALSE(stays_inside(NetworkCall::kListen, place, reach)) << place.text;
  }
  for (const SocketAddress& other :
       {read(four("127.0.0.2", 8444)), read(four("127.0.0.1", 8443)), read(four("0.0.0.0", 8443)),
        read(four("10.0.0.2", 8443)), read(six("::1", 8443)), read(six("::127.0.0.2", 8443)),
        read(six("2001:db8::7", 22)), read(four("127.0.0.2", 53))}) {
    EXPECT_FALSE(stays_inside(NetworkCall::kConnect, other, reach)) << other.text;
    EXPECT_FALSE(stays_inside(NetworkCall::kSend, other, reach)) << other.text;
  }
}

// The table of stays_inside().
TEST(NetworkReach, IsLoopbackAndThePortsOfNamesAllowed) {
  const NetworkReach none;
  const NetworkReach loopback{.loopback = true};
  const NetworkReach broker{.broker = true, .ports = {443}};
  const NetworkReach both{.broker = true, .ports = {443}, .loopback = true};
  const auto allowed_by = [&](NetworkCall call, const SocketAddress& address) {
    std::string out;
    for (const NetworkReach& reach : {none, loopback, broker, both})
      out += stays_inside(call, address, reach) ? 'y' : 'n';
    return out;
  };
  for (const char* any : {"127.0.0.1", "0.0.0.0", "127.5.5.5"}) {
    EXPECT_EQ(allowed_by(NetworkCall::kBind, read(four(any, 0))), "nyny") << any;
    EXPECT_EQ(allowed_by(NetworkCall::kListen, read(four(any, 0))), "nyny") << any;
    EXPECT_EQ(allowed_by(NetworkCall::kConnect, read(four(any, 22))), "nyny") << any;
    EXPECT_EQ(allowed_by(NetworkCall::kSend, read(four(any, 22))), "nyny") << any;
    EXPECT_EQ(allowed_by(NetworkCall::kConnect, read(four(any, 53))), "nnyy") << any;
  }
  EXPECT_EQ(allowed_by(NetworkCall::kBind, read(six("::1", 80))), "nyny");
  EXPECT_EQ(allowed_by(NetworkCall::kBind, read(six("::", 80))), "nyny");
  EXPECT_EQ(allowed_by(NetworkCall::kConnect, read(six("::ffff:127.0.0.1", 80))), "nyny");
  // With a broker 127.64.0.0/10 are names, else loopback like the rest.
  EXPECT_EQ(allowed_by(NetworkCall::kConnect, read(four("127.64.0.1", 443))), "nyyy");
  EXPECT_EQ(allowed_by(NetworkCall::kConnect, read(four("127.64.0.1", 22))), "nynn");
  EXPECT_EQ(allowed_by(NetworkCall::kConnect, read(four("127.64.0.1", 0))), "nyyy");
  for (const char* outside : {"1.1.1.1", "10.0.0.1", "128.0.0.1", "224.0.0.1"}) {
    for (const NetworkCall call :
         {NetworkCall::kConnect, NetworkCall::kBind, NetworkCall::kListen, NetworkCall::kSend})
      EXPECT_EQ(allowed_by(call, read(four(outside, 443))), "nnnn") << outside;
  }
  EXPECT_EQ(allowed_by(NetworkCall::kConnect, read(six("fe80::1", 443))), "nnnn");
}

TEST(NetworkReach, TellsTheQuestionForIpv6FromOthers) {
  for (const char* asked : {"::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(asks_for_ipv6(read(six(asked, 0)))) << asked;
    EXPECT_FALSE(asks_for_ipv6(read(six(asked, 80)))) << asked;
  }
  for (const SocketAddress& other :
       {read(six("::", 0)), read(six("::2", 0)), read(six("2001:db8::1", 0)),
        read(six("::ffff:127.0.0.2", 0)), read(four("127.0.0.1", 0)), read(four("0.0.0.0", 0))})
    EXPECT_FALSE(asks_for_ipv6(other)) << other.text;
}

TEST(NetworkDenial, NamesTheLoopbacksOwnSwitchWhereThatIsWhatIsMissing) {
  const auto denied = [](NetworkCall call, const std::string& address, const NetworkReach& reach) {
    return network_denial(call, read(address), reach, "/x");
  };
  for (const auto& denial : {denied(NetworkCall::kBind, four("127.0.0.1", 0), {}),
                             denied(NetworkCall::kListen, four("0.0.0.0", 8080), {}),
                             denied(NetworkCall::kBind, six("::1", 53), {}),
                             denied(NetworkCall::kConnect, six("::1", 80), {}),
                             denied(NetworkCall::kBind, four("0.0.0.0", 80), {.broker = true})}) {
    EXPECT_EQ(denial.rule, "network.loopback=false") << denial.target;
    EXPECT_THAT(denial.remedy, testing::HasSubstr("network.loopback: true")) << denial.target;
  }
  // A lookup without a name server, and what is outside.
  for (const auto& denial :
       {denied(NetworkCall::kConnect, four("127.0.0.1", 53), {}),
        denied(NetworkCall::kConnect, four("127.0.0.1", 53), {.loopback = true}),
        denied(NetworkCall::kBind, four("192.0.2.1", 80), {.loopback = true}),
        denied(NetworkCall::kConnect, four("1.1.1.1", 80), {})}) {
    EXPECT_EQ(denial.rule, "network.enabled=false") << denial.target;
    EXPECT_THAT(denial.remedy, testing::HasSubstr("network.allowDomains")) << denial.target;
  }
}

TEST(SocketAnswer, NamesTheFamilyOrTheTypeOrTheProtocol) {
  const auto refused = [](uint64_t family, uint64_t type, uint64_t protocol, int error) {
    const SocketAnswer answer = judge_socket(family, type, protocol, {.loopback = true}, "");
    EXPECT_EQ(answer.error, error);
    return answer.denial ? answer.denial->target : std::string("not reported");
  };
  EXPECT_EQ(refused(AF_VSOCK, SOCK_STREAM, 0, EAFNOSUPPORT), "AF_VSOCK");
  EXPECT_EQ(refused(63, SOCK_STREAM, 0, EAFNOSUPPORT), "address family 63");
  EXPECT_EQ(refused(AF_INET, SOCK_RAW | SOCK_CLOEXEC, 1, EPERM), "raw socket");
  EXPECT_EQ(refused(AF_INET6, SOCK_STREAM, 132, EPROTONOSUPPORT), "protocol 132");
  EXPECT_EQ(refused(AF_INET, SOCK_SEQPACKET, 0, ESOCKTNOSUPPORT), "socket type 5");
  // Every other family of netlink: audit, netfilter, uevents, generic, and what there is to come.
  for (uint64_t family = 1; family < 40; ++family)
    EXPECT_EQ(refused(AF_NETLINK, SOCK_RAW, family, EAFNOSUPPORT), "AF_NETLINK") << family;
}

TEST(SocketAnswer, LetsTheKernelBeAskedAboutItsOwnLoopbackAlone) {
  constexpr uint64_t kUpper = uint64_t{5} << 32;
  for (const uint64_t upper : {uint64_t{0}, kUpper}) {
    const SocketAnswer made =
        judge_socket(upper | AF_NETLINK, SOCK_RAW, upper, {.loopback = true}, "");
    EXPECT_EQ(made.error, 0);
    EXPECT_FALSE(made.denial);
    const SocketAnswer none =
        judge_socket(upper | AF_NETLINK, SOCK_RAW, upper, {.broker = true}, "");
    EXPECT_EQ(none.error, EAFNOSUPPORT);
    EXPECT_FALSE(none.denial) << "every getaddrinfo() tries it";
  }
}

}  // namespace
}  // namespace paddock::sandbox
