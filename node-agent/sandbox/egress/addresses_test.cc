#include "node-agent/sandbox/egress/addresses.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

// proves partly: WSM-23
TEST(Addresses, OnlyPublicOnesMayBeReached) {
  for (const char* text : {"0.0.0.0",
                           "0.1.2.3",
                           "10.0.0.1",
                           "10.255.255.255",
                           "100.64.0.1",
                           "100.127.255.255",
                           "127.0.0.1",
                           "127.64.0.1",
                           "169.254.169.254",
                           "172.16.0.1",
                           "172.31.255.255",
                           "192.0.0.8",
                           "192.0.2.1",
                           "192.88.99.1",
                           "192.168.1.1",
                           "198.18.0.1",
                           "198.19.255.255",
                           "198.51.100.1",
                           "203.0.113.1",
                           "224.0.0.1",
                           "239.255.255.250",
                           "240.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "::ffff:8.8.8.8",
                           "::ffff:127.0.0.1",
                           "::8.8.8.8",
                           "64:ff9b::808:808",
                           "64:ff9b:1::1",
                           "100::1",
                           "2001::1",
                           "2001:db8::1",
                           "2002:7f00:1::",
                           "3fff::1",
                           "fc00::1",
                           "fd12:3456::1",
                           "fe80::1",
                           "fec0::1",
                           "ff02::1",
                           "4000::1"}) {
    ASSERT_TRUE(parse_ip(text)) << text;
    EXPECT_FALSE(is_public(*parse_ip(text))) << text;
  }
  for (const char* text :
       {"1.1.1.1",         "8.8.8.8",         "9.255.255.255",        "11.0.0.0",
        "93.184.216.34",   "100.63.255.255",  "100.128.0.0",          "126.255.255.255",
        "128.0.0.0",       "169.253.255.255", "172.15.0.1",           "172.32.0.1",
        "192.0.1.1",       "198.17.255.255",  "198.20.0.0",           "223.255.255.255",
        "2606:4700::1111", "2a00:1450::1",    "2001:4860:4860::8888", "2003::1"}) {
    ASSERT_TRUE(parse_ip(text)) << text;
    EXPECT_TRUE(is_public(*parse_ip(text))) << text;
  }
}

TEST(Addresses, AnOperatorAllowsRanges) {
  const std::vector<IpRange> ranges = {*parse_range("10.1.0.0/16"), *parse_range("fd00::/9"),
                                       *parse_range("127.0.0.1/32")};
  const auto may = [&](const char* text) { return may_reach(*parse_ip(text), ranges); };
  EXPECT_TRUE(may("10.1.255.1"));
  EXPECT_FALSE(may("10.2.0.1"));
  EXPECT_TRUE(may("127.0.0.1"));
  EXPECT_FALSE(may("127.0.0.2"));
  EXPECT_TRUE(may("fd7f::1"));
  EXPECT_FALSE(may("fd80::1"));
  EXPECT_FALSE(may("::ffff:10.1.0.1"));
  EXPECT_TRUE(may("1.1.1.1"));
  EXPECT_TRUE(contains(*parse_range("0.0.0.0/0"), *parse_ip("255.255.255.255")));
}

TEST(Addresses, RefusesWhatIsNoRangeOrEndpoint) {
  for (const char* text : {"", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/-1", "10/8", "::/129", "/8",
                           "10.0.0.0/8x", "name/8"}) {
    EXPECT_FALSE(parse_range(text).ok()) << text;
  }
  for (const char* text : {"", "9.9.9.9:", "9.9.9.9:0", "9.9.9.9:70000", "[9.9.9.9]:53", "::1]:53",
                           "[::1]", "name:53", "0x7f.1:53", "[fe80::1%eth0]:53"}) {
    EXPECT_FALSE(parse_endpoint(text, 53).ok()) << text;
  }
}

TEST(Addresses, EndpointsComeBackFromTheSystemsForm) {
  for (const char* text : {"9.9.9.9:5353", "[2620:fe::fe]:5353"}) {
    const auto endpoint = parse_endpoint(text, 53);
    ASSERT_TRUE(endpoint.ok());
    const auto back = from_socket_name(socket_name(*endpoint).storage);
    ASSERT_TRUE(back);
    EXPECT_EQ(to_text(back->address, back->port), text);
  }
  EXPECT_EQ(parse_endpoint("::1", 53)->port, 53);
  EXPECT_EQ(to_text(ipv4(0x7f400001)), "127.64.0.1");
  EXPECT_EQ(ipv4_number(*parse_ip("127.64.0.1")), 0x7f400001u);
}

}  // namespace
}  // namespace paddock::sandbox
