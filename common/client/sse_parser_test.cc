#include "common/client/sse_parser.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> parse(std::string_view bytes, size_t piece) {
  std::vector<std::string> out;
  SseParser parser;
  while (!bytes.empty()) {
    const Result<bool> fed = parser.feed(bytes.substr(0, piece), [&](const SseEvent& event) {
      out.push_back(event.id + "|" + event.type + "|" + event.data);
      return true;
    });
    EXPECT_TRUE(fed.ok());
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return out;
}

TEST(SseParser, GivesTheSameEventsHoweverTheStreamIsCut) {
  const std::string stream =
      "\xEF\xBB\xBF"
      "id: 1\nevent: stdout\ndata: one\n\n: heartbeat\n\nid:2\rdata:  a\rdata: "
      "b\r\rdata\r\n\r\nevent: lost\n\n"
      "data: no type\n\nunknown: x\nretry: 5\nid: 3\r\ndata:\r\ndata:\r\n\r\ndata: incomplete";
  const std::vector<std::string> whole = parse(stream, stream.size());
  EXPECT_THAT(whole, ElementsAre("1|stdout|one", "2|message| a\nb", "2|message|",
                                 "2|message|no type", "3|message|\n"));
  for (size_t piece = 1; piece < 12; ++piece) EXPECT_EQ(parse(stream, piece), whole) << piece;
}

TEST(SseParser, IgnoresAnIdWithANulByte) {
  EXPECT_THAT(parse(std::string_view("id: 1\0 2\ndata: x\n\n", 18), 3), ElementsAre("|message|x"));
}

TEST(SseParser, StopsWhenTold) {
  SseParser parser;
  int calls = 0;
  EXPECT_FALSE(
      *parser.feed("data: 1\n\ndata: 2\n\n", [&](const SseEvent&) { return ++calls, false; }));
  EXPECT_EQ(calls, 1);
}

TEST(SseParser, CapsALineAndAnEvent) {
  const auto ignore = [](const SseEvent&) { return true; };
  SseParser line;
  EXPECT_EQ(line.feed(std::string(SseParser::kMaxEventBytes + 1, 'x'), ignore).error().reason,
            "EVENT_TOO_LARGE");
  SseParser event;
  const std::string data = "data: " + std::string(1000, 'x') + "\n";
  Result<bool> fed = true;
  for (int i = 0; i < 2000 && fed.ok(); ++i) fed = event.feed(data, ignore);
  ASSERT_FALSE(fed.ok());
  EXPECT_EQ(fed.error().code, Code::kTooLarge);
}

}  // namespace
}  // namespace paddock::client
