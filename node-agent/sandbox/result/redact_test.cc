#include "node-agent/sandbox/result/redact.h"

#include <gtest/gtest.h>

#include "common/base/random.h"

namespace paddock::sandbox {
namespace {

std::shared_ptr<const SecretWords> words(const std::vector<std::string>& values) {
  return std::make_shared<const SecretWords>(values);
}

std::string whole(const std::vector<std::string>& values, std::string_view text) {
  return redacted(words(values), text);
}

TEST(Redact, EachPlaceWhereAValueStandsBecomesThreeStars) {
  EXPECT_EQ(whole({"hunter2"}, "user=x password=hunter2\n"), "user=x password=***\n");
  EXPECT_EQ(whole({"hunter2"}, "hunter2 hunter2"), "*** ***");
  EXPECT_EQ(whole({"hunter2"}, "hunter hunte hunter3"), "hunter hunte hunter3");
  EXPECT_EQ(whole({"hunter2", "tiger99"}, "tiger99/hunter2"), "***/***");
  EXPECT_EQ(whole({"line one\nline two"}, "<line one\nline two>"), "<***>");
  EXPECT_EQ(whole({std::string("a\0b\xff", 4)}, std::string("<a\0b\xff>", 6)), "<***>");
  EXPECT_EQ(whole({}, "anything"), "anything");
}

TEST(Redact, OfValuesThatOverlapNothingIsLeft) {
  EXPECT_EQ(whole({"abab"}, "xabababy"), "x***y");
  EXPECT_EQ(whole({"abcd", "cdef"}, "abcdef!"), "***!");
  EXPECT_EQ(whole({"secret", "secret-key"}, "my secret-key, my secret-ke"), "my ***, my ***-ke");
  EXPECT_EQ(whole({"onetwothree", "wotwo", "twot"}, "onetwothre"), "one***hre");
  EXPECT_EQ(whole({"aaaa"}, std::string(1000, 'a')), "***");
}

TEST(Redact, ALineEndAtTheEndOfAValueIsNoPartOfIt) {
  EXPECT_EQ(whole({"hunter2\r\n"}, "hunter2\nhunter2"), "***\n***");
}

TEST(Redact, AShortValueIsNotLookedFor) {
  EXPECT_EQ(whole({"abc", "abc\n", ""}, "abc"), "abc");
  EXPECT_EQ(whole({"abcd"}, "abcd"), "***");
  EXPECT_TRUE(words({"abc"})->empty());
}

TEST(Redact, LooksForTheToolTokenAsForASecret) {
  contracts::LaunchRequest request;
  request.env = {{"OTHER", "visible"}};
  EXPECT_EQ(secret_words(request), nullptr);
  request.env["OD_TOOL_TOKEN"] = "pdtt_0123456789";
  request.secrets = {{"aHVudGVyMg==", ""}};
  const auto both = secret_words(request);
  EXPECT_EQ(redacted(both, "token=pdtt_0123456789 hunter2 visible"), "token=*** *** visible");
  request.secrets.clear();
  EXPECT_EQ(redacted(secret_words(request), "pdtt_0123456789!"), "***!");
}

TEST(Redact, OfAResultTakesWhatTheCommandChose) {
  contracts::SandboxResult result;
  result.reason = "command not found: hunter2";
  result.not_started = {.reason = "X", .field = "", .message = "no hunter2"};
  result.denials.push_back({"name lookup", "hunter2.evil.test", "", "rule", "remedy"});
  result.usage.network = {{.name = "hunter2.wild.test", .port = 443}};
  redact(words({"hunter2"}), result);
  EXPECT_EQ(result.reason, "command not found: ***");
  EXPECT_EQ(result.not_started->message, "no ***");
  EXPECT_EQ(result.denials[0].target, "***.evil.test");
  EXPECT_EQ(result.usage.network[0].name, "***.wild.test");
}

TEST(Redact, OnlyWhatMayStillBecomeAValueWaits) {
  Redactor redactor(words({"hunter2"}));
  EXPECT_EQ(redactor.append("$ hun"), "$ ");
  EXPECT_EQ(redactor.append("t"), "");
  EXPECT_EQ(redactor.append("s"), "hunts");
  EXPECT_EQ(redactor.append("hunter2"), "***");
  EXPECT_EQ(redactor.append("hunte"), "");
  EXPECT_EQ(redactor.finish(), "hunte");
}

// What the class is to do, in the slowest way.
std::string by_hand(const std::vector<std::string>& values, const std::string& text) {
  std::vector<bool> covered(text.size());
  for (const std::string& value : values)
    for (size_t at = text.find(value); at != std::string::npos; at = text.find(value, at + 1))
      std::fill_n(covered.begin() + static_cast<ptrdiff_t>(at), value.size(), true);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!covered[i]) out += text[i];
    if (covered[i] && (i == 0 || !covered[i - 1])) out += "***";
  }
  return out;
}

std::string random_text(Random& random, size_t most, size_t least = 0) {
  std::string out(least + random.below(most - least + 1), ' ');
  for (char& c : out) c = static_cast<char>('a' + random.below(2));
  return out;
}

TEST(Redact, HoweverTheStreamIsCutTheSameComesOut) {
  SeededRandom random(7);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::string> values(1 + random.below(4));
    for (std::string& value : values) value = random_text(random, 9, 4);
    const std::string text = random_text(random, 60);
    Redactor redactor(words(values));
    std::string out;
    for (size_t at = 0; at < text.size();) {
      const size_t piece = 1 + random.below(7);
      out += redactor.append(std::string_view(text).substr(at, piece));
      at += piece;
    }
    out += redactor.finish();
    ASSERT_EQ(out, by_hand(values, text)) << text;
  }
}

// With a program that knows the value and means harm: as long as its output, and no longer.
TEST(Redact, AStreamOfNearValuesCostsNoMoreThanAnyOther) {
  Redactor redactor(words({std::string(200'000, 'a') + "b"}));
  const std::string text(4 << 20, 'a');
  EXPECT_EQ(redactor.append(text).size(), text.size() - 200'000);
  EXPECT_EQ(redactor.append("b"), "***");
}

}  // namespace
}  // namespace paddock::sandbox
