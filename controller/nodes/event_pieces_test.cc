#include "controller/nodes/event_pieces.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::nodes {
namespace {

std::string joined(const std::vector<std::string_view>& pieces) {
  std::string out;
  for (const std::string_view piece : pieces) out += piece;
  return out;
}

TEST(EventPieces, AreEachShortAsJsonWhateverTheyHold) {
  for (const std::string& unit : {std::string("x"), std::string(1, '\0'), std::string("\x1b"),
                                  std::string("\""), std::string("\xff"), std::string("ä🦀"),
                                  std::string(50'000, 'x') + "\xff", std::string("\x1b\xff")}) {
    std::string text;
    while (text.size() < (256 << 10)) text += unit;
    const auto pieces = event_pieces(text);
    EXPECT_EQ(joined(pieces), text);
    for (const std::string_view piece : pieces) {
      const size_t exact = is_utf8(piece) ? 0 : base64(piece).size();
      EXPECT_LE(wire::to_json(to_utf8_lossy(piece)).size() + exact, kMostEventJson + 2);
      if (is_utf8(text)) EXPECT_TRUE(is_utf8(piece));  // no character is cut
    }
  }
}

TEST(EventPieces, OfLittleAreOne) {
  EXPECT_TRUE(event_pieces("").empty());
  EXPECT_EQ(event_pieces("hello\n").size(), 1U);
  EXPECT_EQ(event_pieces(std::string(kMostEventJson, 'x')).size(), 1U);
  EXPECT_EQ(event_pieces(std::string(kMostEventJson + 1, 'x')).size(), 2U);
}

}  // namespace
}  // namespace paddock::nodes
