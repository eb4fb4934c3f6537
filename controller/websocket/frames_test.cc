#include "controller/websocket/frames.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace paddock::websocket {
namespace {

constexpr size_t kMost = 1000;
constexpr uint8_t kBinary = 2;
constexpr uint8_t kClose = 8;
constexpr uint8_t kPing = 9;
constexpr uint8_t kPong = 10;
constexpr int kNoCode = 0;  // libwslay says none where a frame's head is bad

// As a client makes it, with a mask of zeros.
std::string frame(uint8_t opcode, const std::string& payload, bool last = true,
                  bool masked = true) {
  std::string out(1, static_cast<char>((last ? 0x80 : 0) | opcode));
  const int mark = masked ? 0x80 : 0;
  if (payload.size() < 126) {
    out += static_cast<char>(static_cast<size_t>(mark) | payload.size());
  } else {
    out += static_cast<char>(mark | 126);
    out += static_cast<char>(payload.size() >> 8);
    out += static_cast<char>(payload.size() & 0xff);
  }
  return out + (masked ? std::string(4, '\0') : "") + payload;
}

struct Client {
  std::vector<std::string> heard;
  Frames frames{kMost, [this](std::string_view message) { heard.emplace_back(message); }};
  std::string all_sent() {
    std::string out;
    for (std::string_view bytes = frames.unsent(); !bytes.empty(); bytes = frames.unsent()) {
      out += bytes;
      frames.sent(bytes.size());
    }
    return out;
  }
};

std::string close_of(int code) {
  if (code == kNoCode) return {'\x88', '\0'};
  return {'\x88', '\x02', static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
}

TEST(Frames, MessagesComeWholeHoweverTheyAreCut) {
  Client client;
  const std::string sent =
      frame(kBinary, "ab", false) + frame(kPing, "p") + frame(0, "c") + frame(kBinary, "");
  for (const char byte : sent) client.frames.take({&byte, 1});
  EXPECT_EQ(client.heard, (std::vector<std::string>{"abc", ""}));
  EXPECT_EQ(client.all_sent(), std::string("\x8a\x01p"));
  EXPECT_TRUE(client.frames.reads());
}

// Kubernetes' own client for Python sends text as such.
TEST(Frames, TextIsAMessageLikeAnother) {
  Client client;
  client.frames.take(frame(1, "text"));
  EXPECT_EQ(client.heard, std::vector<std::string>{"text"});
}

TEST(Frames, WhatBreaksTheProtocolIsClosed) {
  const std::pair<std::string, int> cases[] = {
      {frame(kBinary, "x", true, false), 1002},
      {frame(kPing, "x", false), kNoCode},
      {frame(kPing, std::string(200, 'x')), kNoCode},
      {frame(3, "x"), 1002},
      {frame(0, "x"), 1002},
      {frame(kBinary, std::string(kMost + 1, 'x')), 1009},
      {frame(kBinary, std::string(kMost, 'x'), false) + frame(0, "x"), 1009},
      {frame(1, "\xff"), 1007}};
  for (const auto& [bytes, code] : cases) {
    Client client;
    client.frames.take(bytes);
    EXPECT_EQ(client.heard.size(), 0U);
    EXPECT_EQ(client.all_sent(), close_of(code)) << code;
  }
}

TEST(Frames, TheCloseIsBehindWhatWasSent) {
  Client client;
  client.frames.send("last");
  client.frames.close(CloseCode::kNormal);
  EXPECT_EQ(client.all_sent(), "\x82\x04last" + close_of(1000));
  EXPECT_FALSE(client.frames.over());
  client.frames.take(frame(kClose, std::string("\x03\xe8", 2)));
  EXPECT_TRUE(client.frames.over());
}

TEST(Frames, TheClientsCloseIsAnswered) {
  Client client;
  client.frames.take(frame(kClose, std::string("\x03\xe9", 2)));
  EXPECT_FALSE(client.frames.reads());
  EXPECT_EQ(client.all_sent(), close_of(1001));
  EXPECT_TRUE(client.frames.over());
}

TEST(Frames, WhatWaitsIsCounted) {
  Client client;
  EXPECT_EQ(client.frames.queued(), 0U);
  client.frames.send(std::string(5000, 'x'));
  EXPECT_GE(client.frames.queued(), 5000U);
  for (int i = 0; i < 1000; ++i) client.frames.take(frame(kPing, ""));
  EXPECT_GE(client.frames.queued(), 100'000U);  // answers without bytes have their cost too
  (void)client.all_sent();
  EXPECT_EQ(client.frames.queued(), 0U);
  client.frames.ping();
  client.frames.pong();
  EXPECT_EQ(client.all_sent(), (std::string{static_cast<char>(0x80 | kPing), '\0',
                                            static_cast<char>(0x80 | kPong), '\0'}));
}

}  // namespace
}  // namespace paddock::websocket
