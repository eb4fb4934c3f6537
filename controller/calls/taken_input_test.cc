#include "controller/calls/taken_input.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::calls {
namespace {

contracts::InputPiece piece(int64_t seq, bool end = false) {
  contracts::InputPiece out;
  out.seq = seq;
  if (end) {
    out.end = true;
  } else {
    out.data = "YQ==";
  }
  return out;
}

std::optional<int64_t> asked(const TakenInput& input, const contracts::InputPiece& sent,
                             const std::string& caller = "me", const std::string& name = "one") {
  return input.settled(name, caller, "", sent);
}

TEST(TakenInput, APieceThatWasTakenIsSettledAndOneThatWasNotIsNot) {
  TakenInput input;
  input.begin("one", "me", "");
  EXPECT_FALSE(asked(input, piece(1)));
  input.took("one", 3);
  EXPECT_EQ(asked(input, piece(1)), 3);
  EXPECT_EQ(asked(input, piece(2)), 3);
  EXPECT_FALSE(asked(input, piece(3))) << "nobody has read it, and nobody will";
  input.took("one", 2);
  EXPECT_EQ(asked(input, piece(2)), 3) << "answers may overtake each other";
}

TEST(TakenInput, TheEndOfTheInputOfACommandThatEndedIsSettledWhetherItWasTakenOrNot) {
  TakenInput input;
  input.begin("one", "me", "");
  EXPECT_EQ(asked(input, piece(1, true)), 2);
  EXPECT_FALSE(asked(input, piece(2, true))) << "a piece before it is missing";
  auto last = piece(1);
  last.end = true;
  EXPECT_FALSE(asked(input, last)) << "its bytes were not read";
}

TEST(TakenInput, IsForWhoBeganTheCommandAndForThatCommand) {
  TakenInput input;
  input.begin("one", "me", "");
  input.took("one", 5);
  EXPECT_FALSE(asked(input, piece(1), "somebody"));
  EXPECT_FALSE(input.settled("one", "me", "team", piece(1)));
  EXPECT_FALSE(asked(input, piece(1), "me", "two"));
  input.begin("one", "me", "");
  EXPECT_FALSE(asked(input, piece(1))) << "another command of that name has had none of it";
  input.took("two", 9);
  EXPECT_FALSE(asked(input, piece(1), "me", "two")) << "nobody began it here";
}

TEST(TakenInput, OfManyTheOnesThatBeganFirstAreForgotten) {
  TakenInput input;
  for (size_t i = 0; i <= TakenInput::kMost; ++i) {
    input.begin(cat(i), "me", "");
    input.took(cat(i), 2);
  }
  EXPECT_FALSE(asked(input, piece(1), "me", "0"));
  EXPECT_EQ(asked(input, piece(1), "me", "1"), 2);
  EXPECT_EQ(asked(input, piece(1), "me", cat(TakenInput::kMost)), 2);
}

}  // namespace
}  // namespace paddock::calls
