#include "node-agent/sessions/live_input.h"

#include <poll.h>

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::sessions {
namespace {

using contracts::InputPiece;
using contracts::TerminalSize;

InputPiece piece(int64_t seq, const std::string& bytes) { return {seq, base64(bytes), false, {}}; }

bool has_news(const LiveInput& input) {
  pollfd news{input.fd(), POLLIN, 0};
  return poll(&news, 1, 0) > 0;
}

TEST(LiveInput, TakesEachPieceOnceAndInOrder) {
  LiveInput input(false, true);
  EXPECT_FALSE(has_news(input));
  EXPECT_EQ(*input.add(piece(1, "a")), 2);
  EXPECT_TRUE(has_news(input));
  EXPECT_EQ(*input.add(piece(1, "again")), 2);
  EXPECT_EQ(input.add(piece(3, "c")).error().reason, "INPUT_OUT_OF_ORDER");
  EXPECT_EQ(*input.add(piece(2, "b")), 3);
  EXPECT_EQ(input.take().bytes, "ab");
  EXPECT_FALSE(has_news(input));
  EXPECT_EQ(*input.add(piece(2, "b")), 3);
  EXPECT_EQ(input.take().bytes, "");
}

TEST(LiveInput, TakesNoMoreThanMayWaitAndAllOfAPieceOrNothing) {
  LiveInput input(false, true);
  const std::string half(contracts::run_exec::kMostWaitingBytes / 2, 'x');
  EXPECT_TRUE(input.add(piece(1, half)).ok());
  EXPECT_TRUE(input.add(piece(2, half)).ok());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(input.add(piece(3, "y")).error().reason, "INPUT_WAITS");
  EXPECT_EQ(input.take().bytes, half + half);
  EXPECT_EQ(*input.add(piece(3, "y")), 4);
  EXPECT_EQ(input.take().bytes, "y");
}

TEST(LiveInput, HasOneEndWhichOfATerminalIsAKey) {
  LiveInput pipe(false, true);
  EXPECT_EQ(*pipe.add({1, base64("last"), true, {}}), 2);
  EXPECT_EQ(*pipe.add({1, base64("last"), true, {}}), 2);
  EXPECT_EQ(pipe.add(piece(2, "more")).error().reason, "COMMAND_TAKES_NO_INPUT");
  const auto taken = pipe.take();
  EXPECT_EQ(taken.bytes, "last");
  EXPECT_TRUE(taken.end);
  LiveInput terminal(true, true);
  EXPECT_EQ(terminal.add({1, "", true, {}}).error().reason, "COMMAND_TAKES_NO_INPUT");
}

TEST(LiveInput, HasSizesOfATerminalAndOfNothingElse) {
  LiveInput terminal(true, false);
  EXPECT_EQ(*terminal.add({1, "", false, TerminalSize{10, 20}}), 2);
  EXPECT_EQ(*terminal.add({2, "", false, TerminalSize{30, 40}}), 3);
  EXPECT_EQ(terminal.take_size()->rows, 30);  // the last one counts
  EXPECT_FALSE(terminal.take_size());
  EXPECT_EQ(terminal.add(piece(3, "typed")).error().reason, "COMMAND_TAKES_NO_INPUT");
  LiveInput pipe(false, true);
  EXPECT_EQ(pipe.add({1, "", false, TerminalSize{}}).error().reason, "COMMAND_TAKES_NO_INPUT");
}

// What was typed and is not read yet does not hold up the window.
TEST(LiveInput, HasASizeApartFromTheBytesBeforeIt) {
  LiveInput terminal(true, true);
  const auto has_size = [&] {
    pollfd size{terminal.size_fd(), POLLIN, 0};
    return poll(&size, 1, 0) > 0;
  };
  EXPECT_TRUE(terminal.add(piece(1, "typed")).ok());
  EXPECT_FALSE(has_size());
  EXPECT_TRUE(terminal.add({2, "", false, TerminalSize{10, 20}}).ok());
  EXPECT_TRUE(has_size());
  EXPECT_EQ(terminal.take_size()->rows, 10);
  EXPECT_FALSE(has_size());
  EXPECT_TRUE(has_news(terminal));
  EXPECT_EQ(terminal.take().bytes, "typed");
  EXPECT_TRUE(terminal.add({3, "", false, TerminalSize{10, 20}}).ok());
  EXPECT_FALSE(has_news(terminal));
}

TEST(LiveInput, OfWhatIsNoBase64TakesNothing) {
  LiveInput input(false, true);
  EXPECT_EQ(input.add({1, "@", false, {}}).error().reason, "BAD_DATA");
  EXPECT_EQ(*input.add(piece(1, "a")), 2);
}

}  // namespace
}  // namespace paddock::sessions
