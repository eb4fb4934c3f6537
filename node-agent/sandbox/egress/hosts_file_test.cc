#include "node-agent/sandbox/egress/hosts_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(HostsFile, HasNamesAndTheirAddresses) {
  EXPECT_THAT(host_names("127.0.0.1\tlocalhost\n# 10.0.0.1 comment\n"
                         "10.1.2.3  Registry.Corp registry # the mirror\r\n"
                         "fd00::3 registry.corp\n\n"),
              ElementsAre(Pair("localhost", ElementsAre("127.0.0.1")),
                          Pair("registry", ElementsAre("10.1.2.3")),
                          Pair("registry.corp", ElementsAre("10.1.2.3", "fd00::3"))));
}

TEST(HostsFile, LinesThatAreNoneAreLeftOut) {
  EXPECT_THAT(host_names("10.0.0.1\nname 10.0.0.1\n10.0.0.256 a\n10.0.0.1 b_\xff c/d 127.1 ok\n"),
              ElementsAre(Pair("ok", ElementsAre("10.0.0.1"))));
  std::string many;
  for (int i = 0; i < 200; ++i) many += "10.0.0.1 a\n";
  EXPECT_EQ(host_names(many).at("a").size(), 16u);
}

TEST(HostsFile, OfItAPolicyGetsTheNamesThatItAllows) {
  const HostNames names = host_names("10.0.0.1 a.corp b.corp secret.corp corp\n10.0.0.2 x.y.z\n");
  const auto rules = contracts::parse_domain_rules({"a.corp:8443", "*.y.z"}).value();
  EXPECT_THAT(allowed_names(names, rules), ElementsAre(Pair("a.corp", ElementsAre("10.0.0.1")),
                                                       Pair("x.y.z", ElementsAre("10.0.0.2"))));
}

}  // namespace
}  // namespace paddock::sandbox
