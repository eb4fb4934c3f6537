#include "node-agent/sandbox/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <gtest/gtest.h>

#include "node-agent/sandbox/denials.h"

namespace paddock::sandbox {
namespace {

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

TEST(SocketAddress, ReadsBothInternetFamilies) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(443);
  inet_pton(AF_INET, "93.184.216.34", &four.sin_addr);
  EXPECT_EQ(read_socket_address(bytes_of(four))->text, "93.184.216.34:443");
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(80);
  six.sin6_addr = in6addr_loopback;
  EXPECT_EQ(read_socket_address(bytes_of(six))->text, "[::1]:80");
}

TEST(SocketAddress, RefusesWhatIsTooShort) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  EXPECT_FALSE(read_socket_address(bytes_of(four).substr(0, 4)).has_value());
  EXPECT_FALSE(read_socket_address("x").has_value());
  EXPECT_FALSE(read_socket_address("").has_value());
}

TEST(SocketAddress, KnowsLocalSockets) {
  const sa_family_t family = AF_UNIX;
  EXPECT_TRUE(read_socket_address(bytes_of(family))->local);
}

TEST(DenialList, CountsRepetitionsAndStaysBounded) {
  DenialList list;
  for (int i = 0; i < 1000; ++i) {
    list.add(network_denial(NetworkCall::kConnect, {false, std::to_string(i % 300), 0}, "/bin/x"));
  }
  const auto denials = list.take();
  ASSERT_EQ(denials.size(), DenialList::kMost + 1);
  EXPECT_EQ(denials[0].count, 4);
  EXPECT_EQ(denials[0].rule, "network.enabled=false");
  int64_t total = 0;
  for (const auto& denial : denials) total += denial.count;
  EXPECT_EQ(total, 1000);
}

}  // namespace
}  // namespace paddock::sandbox
