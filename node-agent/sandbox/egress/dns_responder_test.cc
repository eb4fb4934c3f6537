#include "node-agent/sandbox/egress/dns_responder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "node-agent/sandbox/egress/dns_message.h"

namespace paddock::sandbox {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Desk {
  std::vector<contracts::DomainRule> rules =
      *contracts::parse_domain_rules({"a.example", "*.wild.example:8443"});
  NameTable names;
  Records records;
  DnsResponder responder{rules, names, records};

  Resolved outside{.addresses = {ipv4(0xc0000201)}};  // where allowed names lead

  std::optional<std::string> reply_to(const std::string& query) {
    DnsResponder::Turn turn = responder.take(query);
    if (const auto* reply = std::get_if<std::string>(&turn)) return *reply;
    const auto* question = std::get_if<OpenQuestion>(&turn);
    if (question == nullptr) return std::nullopt;
    return responder.settle(*question, outside);
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

TEST(DnsResponder, AnswersAllowedNamesWithAddressesOfTheTable) {
  Desk responder;
  EXPECT_EQ(responder.ask("a.example"), "0 127.64.0.1");
  EXPECT_EQ(responder.ask("x.wild.example"), "0 127.64.0.2");
  responder.ask("A.Example");
  EXPECT_EQ(responder.names.by_address().size(), 2u);
  EXPECT_EQ(responder.ask("a.example", DnsType::kAaaa), "0");
  EXPECT_THAT(responder.refused(), IsEmpty());
}

TEST(DnsResponder, TellsOfAnAllowedNameAsTheNodesServersDo) {
  Desk responder;
  const std::vector<std::pair<Unresolved, const char*>> ends = {{Unresolved::kNoName, "3"},
                                                                {Unresolved::kNoAddress, "0"},
                                                                {Unresolved::kServerFailed, "2"},
                                                                {Unresolved::kNoAnswer, "2"}};
  for (const auto& [why, code] : ends) {
    responder.outside = {.addresses = {}, .refused = {}, .why = why};
    EXPECT_EQ(responder.ask("a.example"), code);
    EXPECT_EQ(responder.ask("a.example", DnsType::kAaaa), code);
  }
  const BrokerReport report = responder.records.take();
  EXPECT_THAT(report.denials, IsEmpty());
  ASSERT_EQ(report.flows.size(), 1u);
  EXPECT_EQ(report.flows[0].name, "a.example");
  EXPECT_EQ(report.flows[0].failures, 4) << "one for each question, whatever else was asked";
  EXPECT_EQ(report.flows[0].reason, "NAME_SERVER_SILENT") << "the last one of the four";
}

// Whoever connects is told the rule.
TEST(DnsResponder, AnswersANameThatLeadsWhereItMayNot) {
  Desk responder;
  responder.outside = {.addresses = {}, .refused = {ipv4(0x0a000001)}, .why = {}};
  EXPECT_EQ(responder.ask("a.example"), "0 127.64.0.1");
}

TEST(DnsResponder, KnowsNoOtherNameAndRecordsTheQuestion) {
  Desk responder;
  for (const char* name : {"b.example", "x.a.example", "wild.example", "a.example.evil"})
    EXPECT_EQ(responder.ask(name), "3") << name;
  EXPECT_EQ(responder.ask("secret.data.evil.example", DnsType::kAaaa), "3");
  EXPECT_THAT(responder.refused(), ElementsAre("b.example", "x.a.example", "wild.example",
                                               "a.example.evil", "secret.data.evil.example"));
}

TEST(DnsResponder, AsksNobodyForNamesOfAddresses) {
  Desk responder;
  EXPECT_EQ(responder.ask("1.0.64.127.in-addr.arpa", DnsType::kPtr), "3");
  EXPECT_THAT(responder.refused(), IsEmpty());
}

TEST(DnsResponder, SaysNothingToWhatIsNoQuestion) {
  Desk responder;
  for (const std::string& message :
       {std::string(), std::string("x"), std::string(12, '\0'), std::string(4096, '\xff')})
    EXPECT_FALSE(responder.reply_to(message)) << message.size();
}

TEST(DnsResponder, RunsOutOfAddressesAndSaysSo) {
  Desk responder;
  for (size_t i = 0; i < NameTable::kMost; ++i)
    ASSERT_EQ(responder.ask(cat("n", i, ".wild.example")).substr(0, 2), "0 ");
  EXPECT_EQ(responder.ask("late.wild.example"), "2");
  EXPECT_EQ(responder.ask("n0.wild.example"), "0 127.64.0.1");
  EXPECT_THAT(responder.refused(), ElementsAre("late.wild.example"));
}

}  // namespace
}  // namespace paddock::sandbox
