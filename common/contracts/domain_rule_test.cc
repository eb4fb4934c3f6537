#include "common/contracts/domain_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/contracts/sandbox_policy.h"
#include "common/wire/json.h"

namespace paddock::contracts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<DomainRule> rules(const std::vector<std::string>& entries) {
  auto parsed = parse_domain_rules(entries);
  EXPECT_TRUE(parsed.ok()) << parsed.error().describe();
  return parsed.ok() ? *parsed : std::vector<DomainRule>();
}

TEST(DomainRule, NamesAreComparedWithoutCaseAndFinalDot) {
  EXPECT_EQ(host_name("Example.ORG."), "example.org");
  EXPECT_EQ(host_name("xn--bcher-kva.example"), "xn--bcher-kva.example");
  EXPECT_EQ(host_name("intranet"), "intranet");
  EXPECT_EQ(host_name("_dmarc.example.org"), "_dmarc.example.org");
}

TEST(DomainRule, RefusesEveryNotationOfAnAddress) {
  for (const char* text :
       {"127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "0X7F.0.0.1", "017700000001",
        "0177.0.0.1", "1.2.3.4.", "[::1]", "::1", "::ffff:1.2.3.4", "example.1", "a.0x", "a.0xff",
        "1.2.3.4:80", "fe80::1%eth0"}) {
    EXPECT_EQ(host_name(text), std::nullopt) << text;
    EXPECT_FALSE(parse_domain_rule(text).ok()) << text;
  }
  EXPECT_TRUE(host_name("1.example").has_value());
  EXPECT_TRUE(host_name("1password.com").has_value());
}

TEST(DomainRule, RefusesWhatIsNoName) {
  for (const std::string& text : {std::string(),
                                  std::string("."),
                                  std::string(".."),
                                  std::string("a..b"),
                                  std::string(".a"),
                                  std::string("a.."),
                                  std::string("-a.org"),
                                  std::string("a-.org"),
                                  std::string("a b.org"),
                                  std::string("a/b"),
                                  std::string("a@b"),
                                  std::string("a\\046b"),
                                  std::string("a%2eb"),
                                  std::string("b\xc3\xbc"
                                              "cher.example"),
                                  std::string("a\0.org", 6),
                                  std::string(64, 'a'),
                                  std::string("*"),
                                  std::string("*.org"),
                                  std::string("a.*.org"),
                                  std::string("*example.org"),
                                  std::string("**.example.org"),
                                  std::string("https://example.org"),
                                  std::string("example.org/"),
                                  std::string("example.org:0"),
                                  std::string("example.org:65536"),
                                  std::string("example.org:"),
                                  std::string("example.org:+80"),
                                  std::string("example.org:53"),
                                  std::string("localhost"),
                                  std::string("a.localhost"),
                                  std::string("*.a.localhost")}) {
    EXPECT_FALSE(parse_domain_rule(text).ok()) << text;
  }
  std::string longest(63, 'a');
  while (longest.size() + 64 <= 253) longest += "." + std::string(63, 'b');
  EXPECT_TRUE(host_name(longest).has_value());
  EXPECT_FALSE(host_name(longest + ".cccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
                                   "cccccccc")
                   .has_value());
}

TEST(DomainRule, AWildcardCoversSubdomainsOnly) {
  const auto wild = rules({"*.Example.org"});
  for (const char* name : {"a.example.org", "a.b.example.org"})
    EXPECT_TRUE(allows_name(wild, name)) << name;
  for (const char* name : {"example.org", "badexample.org", "example.org.evil.net", ".example.org",
                           "example.com", "org"}) {
    EXPECT_FALSE(allows_name(wild, name)) << name;
  }
  const auto exact = rules({"example.org"});
  EXPECT_TRUE(allows_name(exact, "example.org"));
  for (const char* name : {"a.example.org", "xexample.org", "example.org.evil.net", "xample.org"})
    EXPECT_FALSE(allows_name(exact, name)) << name;
}

TEST(DomainRule, WithoutAPortOpensTheTwoOfTheWeb) {
  const auto list = rules({"example.org", "db.example.org:5432"});
  EXPECT_TRUE(allows(list, "example.org", 80));
  EXPECT_TRUE(allows(list, "example.org", 443));
  EXPECT_FALSE(allows(list, "example.org", 5432));
  EXPECT_TRUE(allows(list, "db.example.org", 5432));
  EXPECT_FALSE(allows(list, "db.example.org", 443));
  EXPECT_THAT(ports_of(list), ElementsAre(80, 443, 5432));
}

TEST(DomainRule, NamesTheEntriesThatAreWrong) {
  const auto parsed = parse_domain_rules({"example.org", "10.0.0.1", "a.example", "::1"});
  ASSERT_FALSE(parsed.ok());
  ASSERT_EQ(parsed.error().causes.size(), 2u);
  EXPECT_EQ(parsed.error().causes[0].field, "network.allowDomains[1]");
  EXPECT_EQ(parsed.error().causes[1].field, "network.allowDomains[3]");
  EXPECT_THAT(parsed.error().message, HasSubstr("example.org"));
  std::vector<std::string> many;
  for (size_t i = 0; i <= kMostPorts; ++i) many.push_back(cat("example.org:", 9000 + i));
  EXPECT_FALSE(parse_domain_rules(many).ok());
}

// proves: WSM-54
TEST(DomainRule, APolicyWithAWrongEntryIsRefusedWithItsField) {
  const auto refused = [](const char* text) {
    const auto policy = wire::decode<SandboxPolicy>(*wire::parse_json(text));
    return policy.ok() ? std::string("accepted") : policy.error().causes.at(0).field;
  };
  EXPECT_EQ(refused(R"({"network":{"enabled":true,"allowDomains":["a.example","::1"]}})"),
            "network.allowDomains[1]");
  EXPECT_EQ(refused(R"({"network":{"enabled":true,"allowDomains":[]}})"), "network.allowDomains");
  EXPECT_EQ(refused(R"({"network":{"enabled":"yes"}})"), "network.enabled");
  EXPECT_EQ(refused(R"({"network":{"enabled":1}})"), "network.enabled");
  EXPECT_EQ(refused(R"({"network":{"enabled":true,"allowDomains":"a.example"}})"),
            "network.allowDomains");
  EXPECT_EQ(refused(R"({"network":{"enabled":true,"allowDomains":[1]}})"),
            "network.allowDomains[0]");
  EXPECT_EQ(refused(R"({"network":{"enabled":true,"mode":"full"}})"), "network.mode");
  EXPECT_EQ(refused(R"({"network":{"enabled":true,"allowDomains":["*.a.example:8443"]}})"),
            "accepted");
}

}  // namespace
}  // namespace paddock::contracts
