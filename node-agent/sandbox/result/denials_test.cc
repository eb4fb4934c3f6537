#include "node-agent/sandbox/result/denials.h"

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

contracts::Denial attempt(std::string what, std::string target) {
  return {std::move(what), std::move(target), "/bin/x", "a rule", "nothing"};
}

TEST(DenialList, CountsRepetitionsAndStaysBounded) {
  DenialList list;
  for (int i = 0; i < 1000; ++i) list.add(attempt("network connect", cat(i % 300)));
  const auto denials = list.take();
  ASSERT_EQ(denials.size(), DenialList::kMost + 1);
  EXPECT_EQ(denials[0].count, 4);
  int64_t total = 0;
  for (const auto& denial : denials) total += denial.count;
  EXPECT_EQ(total, 1000);
  EXPECT_TRUE(list.take().empty());
}

TEST(DenialList, HidesNoKindOfAttemptBehindAFloodOfAnother) {
  DenialList list;
  for (int i = 0; i < 10'000; ++i) list.add(attempt("network connect", cat(i)));
  list.add(attempt("forbidden system call", "reboot"));
  list.add(attempt("forbidden system call", "swapon"));
  const auto denials = list.take();
  EXPECT_EQ(denials.back().what, "forbidden system call");
  EXPECT_EQ(denials.back().count, 2);
  EXPECT_EQ(denials.back().rule, "a rule");
}

// Any sequence: the counts add up, and nothing is there twice.
TEST(DenialList, LosesNoAttempt) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SeededRandom random(seed);
    DenialList list;
    const uint64_t targets = 1 + random.below(600);
    for (int i = 0; i < 3000; ++i) {
      list.add(attempt(cat("kind ", random.below(7)), cat(random.below(targets))));
    }
    const auto denials = list.take();
    EXPECT_LE(denials.size(), DenialList::kMost + 7);
    int64_t total = 0;
    for (size_t i = 0; i < denials.size(); ++i) {
      total += denials[i].count;
      for (size_t j = 0; j < i; ++j) {
        EXPECT_FALSE(denials[i].what == denials[j].what && denials[i].target == denials[j].target);
      }
    }
    EXPECT_EQ(total, 3000);
  }
}

TEST(PrintableName, CannotForgeLinesOrLookLikeAnother) {
  EXPECT_EQ(printable_name("/usr/bin/python3"), "/usr/bin/python3");
  EXPECT_EQ(printable_name("/tmp/a\nDENIED"), "/tmp/a\\u{a}DENIED");
  EXPECT_EQ(printable_name("/tmp/\x1b[2J"), "/tmp/\\u{1b}[2J");
  EXPECT_EQ(printable_name("/tmp/a\\u{a}"), "/tmp/a\\\\u{a}");
  EXPECT_EQ(printable_name("/tmp/\xff"), "/tmp/\xef\xbf\xbd");
  EXPECT_EQ(printable_name("/tmp/\xe2\x80\xae"
                           "gpj.sh"),
            "/tmp/\\u{202e}gpj.sh");
  EXPECT_EQ(printable_name("/tmp/\xc3\xa4"), "/tmp/\xc3\xa4");
  EXPECT_LE(printable_name(std::string(5000, 'x')).size(), 1003u);
}

TEST(Denials, OfCommandsInARunAreToldApart) {
  DenialList list;
  for (const char* command : {"", "one", "two", "one"}) {
    contracts::Denial denial{"execute", "/bin/ls", "/bin/sh", "tools", "name it"};
    denial.command_id = command;
    list.add(std::move(denial));
  }
  const auto found = list.take();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].command_id, "one");
  EXPECT_EQ(found[1].count, 2);
}

TEST(PrintableName, IsOneLineOfTextWhateverTheBytesAre) {
  SeededRandom random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random.below(64), '\0');
    random.fill({reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
    const std::string name = printable_name(bytes);
    EXPECT_TRUE(is_utf8(name));
    for (const char c : name) {
      EXPECT_FALSE(static_cast<uint8_t>(c) < 0x20 || c == 0x7f);
    }
  }
}

}  // namespace
}  // namespace paddock::sandbox
