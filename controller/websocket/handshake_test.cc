#include "controller/websocket/handshake.h"

#include <array>
#include <utility>

#include <gtest/gtest.h>

namespace paddock::websocket {
namespace {

constexpr std::array<std::string_view, 2> kKnown = {"v5", "v4"};

std::map<std::string, std::string> good() {
  return {{"upgrade", "WebSocket"},
          {"connection", "keep-alive, Upgrade"},
          {"sec-websocket-version", "13"},
          {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="},
          {"sec-websocket-protocol", "v3, v4,v5"}};
}

TEST(Handshake, AnswersTheStandardsExampleWithTheBestKnownProtocol) {
  const auto opening = open_by(good(), kKnown);
  ASSERT_TRUE(opening.ok());
  EXPECT_EQ(opening->accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(opening->protocol, "v5");
}

TEST(Handshake, NamesTheHeaderThatIsWrong) {
  const std::pair<std::string, std::string> wrong[] = {{"upgrade", "h2c"},
                                                       {"connection", "keep-alive"},
                                                       {"sec-websocket-version", "8"},
                                                       {"sec-websocket-key", "abc"},
                                                       {"sec-websocket-key", "c2hvcnQ="},
                                                       {"sec-websocket-protocol", "v3, v44"}};
  for (const auto& [name, value] : wrong) {
    for (const bool absent : {false, true}) {
      auto headers = good();
      if (absent)
        headers.erase(name);
      else
        headers[name] = value;
      const auto opening = open_by(headers, kKnown);
      ASSERT_FALSE(opening.ok()) << name;
      EXPECT_EQ(opening.error().reason, "HEADER_INVALID");
      ASSERT_FALSE(opening.error().causes.empty());
      EXPECT_EQ(opening.error().causes[0].field, name);
    }
  }
}

// kubectl shows the message: it says what does work.
TEST(Handshake, OfWhoeverAsksForNoneSaysWhoDoes) {
  const std::string message = open_by({}, kKnown).error().message;
  for (const char* needed : {"Connection: Upgrade", "kubectl exec", "1.30", "paddock exec"})
    EXPECT_NE(message.find(needed), std::string::npos) << needed;
}

}  // namespace
}  // namespace paddock::websocket
