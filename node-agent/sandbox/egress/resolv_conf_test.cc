#include "node-agent/sandbox/egress/resolv_conf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ResolvConf, NamesItsServersInOrder) {
  EXPECT_THAT(name_servers("# comment\nsearch example.org\nnameserver 192.0.2.1\n"
                           "nameserver\t2001:db8::1\noptions ndots:2\n"),
              ElementsAre("192.0.2.1", "2001:db8::1"));
  EXPECT_THAT(name_servers("nameserver   192.0.2.1   # the first"), ElementsAre("192.0.2.1"));
}

TEST(ResolvConf, TakesThreeAtMost) {
  EXPECT_THAT(name_servers("nameserver 192.0.2.1\nnameserver 192.0.2.2\nnameserver 192.0.2.3\n"
                           "nameserver 192.0.2.4\n"),
              ElementsAre("192.0.2.1", "192.0.2.2", "192.0.2.3"));
}

TEST(ResolvConf, LeavesOutWhatIsNoAddress) {
  EXPECT_THAT(name_servers(""), IsEmpty());
  EXPECT_THAT(name_servers("nameserver\nnameserver \nnameservers 192.0.2.1\nnameserver192.0.2.1\n"
                           "nameserver dns.example\nnameserver fe80::1%eth0\n;nameserver 1.1.1.1\n"
                           "nameserver 0x7f.1\n"),
              IsEmpty());
}

}  // namespace
}  // namespace paddock::sandbox
