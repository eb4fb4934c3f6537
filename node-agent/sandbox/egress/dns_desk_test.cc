#include "node-agent/sandbox/egress/dns_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "node-agent/sandbox/egress/dns_message.h"

namespace paddock::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Desk {
  std::vector<contracts::DomainRule> rules =
      *contracts::parse_domain_rules({"a.example", "*.wild.example:8443"});
  NameTable names;
  Records records;
  DnsDesk desk{rules, names, records};

  Resolved outside{.addresses = {ipv4(0xc0000201)}};  // where allowed names lead

  std::optional<std::string> reply_to(const std::string& query) {
    DnsDesk::Turn turn = desk.take(query);
    if (const auto* reply = std::get_if<std::string>(&turn)) return *reply;
    const auto* question = std::get_if<OpenQuestion>(&turn);
    if (question == nullptr) return std::nullopt;
    return desk.settle(*question, outside);
  }
  // The reply's code and addresses, such as `0 127.64.0.1`; `none` without a reply that is one.
  std::string ask(const std::string& name, DnsType type = DnsType::kA) {
    const auto reply = reply_to(write_dns_query(7, name, type));
    const auto read = reply ? read_dns_answer(*reply, 7, name, type) : std::nullopt;
    if (!read) return "none";
    std::string out = cat(static_cast<int>(read->code));
    for (const IpAddress& address : read->addresses) out += cat(" ", to_text(address));
    return out;
  }
  std::vector<std::string> refused() {
    std::vector<std::string> out;
    for (const contracts::Denial& denial : records.take().denials) out.push_back(denial.target);
    return out;
  }
};

TEST(DnsDesk, AnswersAllowedNamesWithAddressesOfTheTable) {
  Desk desk;
  EXPECT_EQ(desk.ask("a.example"), "0 127.64.0.1");
  EXPECT_EQ(desk.ask("x.wild.example"), "0 127.64.0.2");
  desk.ask("A.Example");
  EXPECT_EQ(desk.names.by_address().size(), 2u);
  EXPECT_EQ(desk.ask("a.example", DnsType::kAaaa), "0");
  EXPECT_THAT(desk.refused(), IsEmpty());
}

TEST(DnsDesk, TellsOfAnAllowedNameAsTheNodesServersDo) {
  Desk desk;
  const std::vector<std::pair<Unresolved, const char*>> ends = {{Unresolved::kNoName, "3"},
                                                                {Unresolved::kNoAddress, "0"},
                                                                {Unresolved::kServerFailed, "2"},
                                                                {Unresolved::kNoAnswer, "2"}};
  for (const auto& [why, code] : ends) {
    desk.outside = {.addresses = {}, .refused = {}, .why = why};
    EXPECT_EQ(desk.ask("a.example"), code);
    EXPECT_EQ(desk.ask("a.example", DnsType::kAaaa), code);
  }
  const BrokerReport report = desk.records.take();
  EXPECT_THAT(report.denials, IsEmpty());
  ASSERT_EQ(report.flows.size(), 1u);
  EXPECT_EQ(report.flows[0].name, "a.example");
  EXPECT_EQ(report.flows[0].failures, 4) << "one for each question, whatever else was asked";
  EXPECT_EQ(report.flows[0].problem, "no name server of the node answered");
}

// Whoever connects is told the rule.
TEST(DnsDesk, AnswersANameThatLeadsWhereItMayNot) {
  Desk desk;
  desk.outside = {.addresses = {}, .refused = {ipv4(0x0a000001)}, .why = {}};
  EXPECT_EQ(desk.ask("a.example"), "0 127.64.0.1");
}

TEST(DnsDesk, KnowsNoOtherNameAndRecordsTheQuestion) {
  Desk desk;
  for (const char* name : {"b.example", "x.a.example", "wild.example", "a.example.evil"})
    EXPECT_EQ(desk.ask(name), "3") << name;
  EXPECT_EQ(desk.ask("secret.data.evil.example", DnsType::kAaaa), "3");
  EXPECT_THAT(desk.refused(), ElementsAre("b.example", "x.a.example", "wild.example",
                                          "a.example.evil", "secret.data.evil.example"));
}

TEST(DnsDesk, AsksNobodyForNamesOfAddresses) {
  Desk desk;
  EXPECT_EQ(desk.ask("1.0.64.127.in-addr.arpa", DnsType::kPtr), "3");
  EXPECT_THAT(desk.refused(), IsEmpty());
}

TEST(DnsDesk, SaysNothingToWhatIsNoQuestion) {
  Desk desk;
  for (const std::string& message :
       {std::string(), std::string("x"), std::string(12, '\0'), std::string(4096, '\xff')})
    EXPECT_FALSE(desk.reply_to(message)) << message.size();
}

TEST(DnsDesk, RunsOutOfAddressesAndSaysSo) {
  Desk desk;
  for (size_t i = 0; i < NameTable::kMost; ++i)
    ASSERT_EQ(desk.ask(cat("n", i, ".wild.example")).substr(0, 2), "0 ");
  EXPECT_EQ(desk.ask("late.wild.example"), "2");
  EXPECT_EQ(desk.ask("n0.wild.example"), "0 127.64.0.1");
  EXPECT_THAT(desk.refused(), ElementsAre("late.wild.example"));
}

}  // namespace
}  // namespace paddock::sandbox
