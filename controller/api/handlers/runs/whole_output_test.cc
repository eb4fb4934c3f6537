#include "controller/api/handlers/runs/whole_output.h"

#include <gtest/gtest.h>

namespace paddock::api {
namespace {

// What a caller sees of `text`, of which `budget` bytes are shown, in pieces of `piece` bytes.
std::string seen(const std::string& text, int64_t budget, size_t piece) {
  HeadAndTail shown(budget);
  WholeOutput whole(budget);
  std::string out;
  for (size_t at = 0; at < text.size(); at += piece)
    out += whole.take(shown.append(std::string_view(text).substr(at, piece)));
  out += whole.take(shown.rest());
  return shown.cut() ? out : out + whole.rest();
}

TEST(WholeOutput, IsAllOfItOrItsBeginning) {
  const std::string text = "one \u00e4\u00f6\u00fc two \u20ac\u20ac three \u00df four";
  for (size_t length = 0; length <= text.size(); ++length) {
    const std::string part = text.substr(0, length);
    for (const size_t piece : {1U, 3U, 100U}) {
      for (const int64_t budget : {0, 1, 7, 20, 1000}) {
        const std::string out = seen(part, budget, piece);
        if (static_cast<int64_t>(length) <= budget) {
          EXPECT_EQ(out, part) << budget;
        }
        EXPECT_TRUE(part.starts_with(out)) << budget << " " << piece << ": " << out;
      }
    }
  }
}

TEST(WholeOutput, ComesAsItIsMadeUpToWhatMayBeTheLast) {
  WholeOutput whole(int64_t{4} << 20);
  EXPECT_EQ(whole.take("prompt> "), "prompt> ");
  EXPECT_EQ(whole.take(std::string(3 << 20, 'x')).size(), (size_t{3} << 20) - 3 - 8);
}

}  // namespace
}  // namespace paddock::api
