#include "node-agent/sandbox/egress/dns_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/contracts/domain_rule.h"

namespace paddock::sandbox {
namespace {

using testing::ElementsAre;

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out += static_cast<char>(value);
  return out;
}

std::string label(std::string_view text) {
  return static_cast<char>(text.size()) + std::string(text);
}

// A question with these raw bytes as its name.
std::string question(const std::string& wire_name, int type = 1) {
  return bytes({0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0}) + wire_name + bytes({0, type, 0, 1});
}

std::string record(const std::string& owner, int type, const std::string& data) {
  return owner + bytes({0, type, 0, 1, 0, 0, 0, 60, 0, static_cast<int>(data.size())}) + data;
}

// An answer to our question `a.example` type A with these records.
std::string dns_answer(const std::vector<std::string>& records) {
  std::string out = write_dns_query(7, "a.example", DnsType::kA);
  out[2] = static_cast<char>(0x81);
  out[7] = static_cast<char>(records.size());
  for (const std::string& each : records) out += each;
  return out;
}

std::vector<std::string> addresses(const std::string& message) {
  const auto read = read_dns_answer(message, 7, "a.example", DnsType::kA);
  if (!read) return {"refused"};
  std::vector<std::string> out;
  for (const IpAddress& address : read->addresses) out.push_back(to_text(address));
  return out;
}

const std::string kPointer = bytes({0xc0, 12});  // to the question's name

TEST(DnsMessage, ReadsAQuestionInLowerCase) {
  const auto query = read_dns_query(write_dns_query(9, "example.org", DnsType::kAaaa));
  ASSERT_TRUE(query);
  EXPECT_EQ(query->name, "example.org");
  EXPECT_EQ(query->type, 28);
  EXPECT_EQ(query->id, 9);
  EXPECT_EQ(read_dns_query(question(label("ExAmPle") + label("ORG") + bytes({0})))->name,
            "example.org");
}

TEST(DnsMessage, AStrangeByteInALabelNeverLooksLikeAName) {
  for (const std::string& odd : {std::string("example.org"), std::string("a b"),
                                 std::string("a\0b", 3), std::string("\xff")}) {
    const auto query = read_dns_query(question(label(odd) + bytes({0})));
    ASSERT_TRUE(query) << odd;
    EXPECT_FALSE(contracts::host_name(query->name)) << query->name;
  }
}

TEST(DnsMessage, RefusesWhatIsNoQuestion) {
  const std::string good = question(label("a") + bytes({0}));
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(read_dns_query(std::string_view(good).substr(0, length))) << length;
  std::string response = good;
  response[2] = static_cast<char>(0x80);
  EXPECT_FALSE(read_dns_query(response));
  std::string two = good;
  two[5] = 2;
  EXPECT_FALSE(read_dns_query(two));
  EXPECT_FALSE(read_dns_query(question(kPointer)));
  EXPECT_FALSE(read_dns_query(question(bytes({0x41}) + bytes({0}))));
  std::string long_name;
  for (int i = 0; i < 5; ++i) long_name += label(std::string(63, 'a'));
  EXPECT_FALSE(read_dns_query(question(long_name + bytes({0}))));
  EXPECT_FALSE(read_dns_query(good + std::string(kMostDnsBytes, 'x')));
}

TEST(DnsMessage, AReplyIsReadAsTheAnswerThatItIs) {
  const auto query = read_dns_query(write_dns_query(7, "a.example", DnsType::kA));
  ASSERT_TRUE(query);
  EXPECT_THAT(addresses(write_dns_reply(*query, DnsCode::kNone, ipv4(0x7f400001))),
              ElementsAre("127.64.0.1"));
  const auto none =
      read_dns_answer(write_dns_reply(*query, DnsCode::kNoName), 7, "a.example", DnsType::kA);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->code, DnsCode::kNoName);
}

TEST(DnsMessage, TakesOnlyTheAnswerToItsOwnQuestion) {
  const std::string good = dns_answer({record(kPointer, 1, bytes({8, 8, 8, 8}))});
  EXPECT_THAT(addresses(good), ElementsAre("8.8.8.8"));
  EXPECT_FALSE(read_dns_answer(good, 8, "a.example", DnsType::kA));
  EXPECT_FALSE(read_dns_answer(good, 7, "b.example", DnsType::kA));
  EXPECT_FALSE(read_dns_answer(good, 7, "a.example", DnsType::kAaaa));
  EXPECT_FALSE(
      read_dns_answer(write_dns_query(7, "a.example", DnsType::kA), 7, "a.example", DnsType::kA));
}

TEST(DnsMessage, FollowsAliasesAndNobodyElsesRecords) {
  const std::string alias = label("cdn") + label("net") + bytes({0});
  const std::string stranger = label("x") + bytes({0});
  EXPECT_THAT(
      addresses(dns_answer({record(kPointer, 5, alias), record(alias, 1, bytes({8, 8, 4, 4})),
                            record(stranger, 1, bytes({9, 9, 9, 9}))})),
      ElementsAre("8.8.4.4"));
  EXPECT_THAT(addresses(dns_answer({record(stranger, 1, bytes({9, 9, 9, 9}))})), ElementsAre());
  // An alias of itself ends.
  EXPECT_THAT(addresses(dns_answer({record(kPointer, 5, kPointer)})), ElementsAre());
  EXPECT_THAT(addresses(dns_answer({record(kPointer, 1, bytes({8, 8, 8}))})), ElementsAre());
}

TEST(DnsMessage, RefusesTornAndLoopingAnswers) {
  const std::string good = dns_answer({record(kPointer, 1, bytes({8, 8, 8, 8}))});
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(
        read_dns_answer(std::string_view(good).substr(0, length), 7, "a.example", DnsType::kA));
  }
  // A pointer to itself, and one forwards.
  EXPECT_THAT(addresses(dns_answer({record(bytes({0xc0, 27}), 1, bytes({8, 8, 8, 8}))})),
              ElementsAre("refused"));
  EXPECT_THAT(addresses(dns_answer({record(bytes({0xc0, 90}), 1, bytes({8, 8, 8, 8}))})),
              ElementsAre("refused"));
  std::string truncated = good;
  truncated[2] = static_cast<char>(0x83);
  EXPECT_TRUE(read_dns_answer(truncated, 7, "a.example", DnsType::kA)->truncated);
}

}  // namespace
}  // namespace paddock::sandbox
