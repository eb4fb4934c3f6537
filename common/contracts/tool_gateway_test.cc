#include "common/contracts/tool_gateway.h"

#include <gtest/gtest.h>

namespace paddock::contracts {
namespace {

using State = GatewayHeader::State;
constexpr std::string_view kUid = "0190f5a0-1234-7abc-8def-0123456789ab";

TEST(ToolGateway, ItsHeaderSaysWhoseTheConnectionIs) {
  const std::string header = gateway_header(kUid);
  ASSERT_EQ(header.size(), kGatewayHeaderBytes);
  const GatewayHeader read = read_gateway_header(header + "\x16\x03\x01");
  EXPECT_EQ(read.state, State::kRun);
  EXPECT_EQ(read.run_uid, kUid);
  for (size_t size = 0; size < header.size(); ++size)
    EXPECT_EQ(read_gateway_header(header.substr(0, size)).state, State::kNeedMore) << size;
}

TEST(ToolGateway, OtherFirstBytesAreNoHeader) {
  for (const std::string_view bytes :
       {"GET / HTTP/1.1", "\r\nGET / HTTP/1.1", "\x16\x03\x01\x02", "\r\n\r\nGET",
        "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n", "\r\n\r\n\x01"})
    EXPECT_EQ(read_gateway_header(bytes).state, State::kNone) << bytes;
}

// Addresses that a proxy claims, other fields, another length: nobody means us by it.
TEST(ToolGateway, OtherHeadersOfThatProtocolAreRefused) {
  const std::string header = gateway_header(kUid);
  for (size_t at = 12; at < 19; ++at) {
    std::string other = header;
    other[at] = static_cast<char>(other[at] + 1);
    EXPECT_EQ(read_gateway_header(other).state, State::kBad) << at;
  }
  for (const char c : {'g', 'A', '/', '\0', '\n', ' '}) {
    std::string other = header;
    other.back() = c;
    EXPECT_EQ(read_gateway_header(other).state, State::kBad) << c;
  }
}

TEST(ToolGateway, KnowsThePlaceOfAUrl) {
  const auto place = [](std::string_view url) {
    const auto read = place_of_url(url);
    return read ? read->host + " " + std::to_string(read->port) : std::string("none");
  };
  EXPECT_EQ(place("https://127.0.0.1:8443"), "127.0.0.1 8443");
  EXPECT_EQ(place("https://Controller.Example/"), "controller.example 443");
  EXPECT_EQ(place("http://[::1]:80"), "::1 80");
  EXPECT_EQ(place("http://[fd00::1]"), "fd00::1 80");
  for (const std::string_view url :
       {"", "https://", "https://:1", "https://a:0", "https://a:65536", "https://a:b",
        "https://u@a", "ftp://a", "https://[::1", "https://[::1]x", "a:1"})
    EXPECT_EQ(place(url), "none") << url;
}

}  // namespace
}  // namespace paddock::contracts
