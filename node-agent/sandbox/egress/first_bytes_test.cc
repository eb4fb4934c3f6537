#include "node-agent/sandbox/egress/first_bytes.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

using State = FirstBytes::State;

std::string sized(size_t width, const std::string& body) {
  std::string out;
  for (size_t i = width; i > 0; --i) out += static_cast<char>(body.size() >> (8 * (i - 1)));
  return out + body;
}

std::string extension(int type, const std::string& body) {
  return std::string{static_cast<char>(type >> 8), static_cast<char>(type)} + sized(2, body);
}

std::string server_name(const std::string& name) {
  return extension(0, sized(2, std::string(1, '\0') + sized(2, name)));
}

std::string hello(const std::string& extensions) {
  return std::string("\x01") +
         sized(3, std::string("\x03\x03", 2) + std::string(32, 'r') + sized(1, "session") +
                      sized(2, "\x13\x01") + sized(1, std::string(1, '\0')) + sized(2, extensions));
}

std::string record(const std::string& body) {
  return std::string("\x16\x03\x01", 3) + sized(2, body);
}

std::string name_in(const FirstBytes& read) {
  switch (read.state) {
    case State::kName:
      return read.name;
    case State::kNeedMore:
      return "more";
    case State::kBad:
      return "bad";
  }
  return "";
}

std::string tls(const std::string& bytes) { return name_in(read_client_hello(bytes)); }
std::string http(const std::string& bytes) { return name_in(read_http_host(bytes)); }

TEST(ClientHello, GivesTheServerName) {
  EXPECT_EQ(tls(record(hello(extension(10, "xx") + server_name("Example.org")))), "example.org");
  EXPECT_EQ(tls(record(hello(server_name("example.org"))) + "and more"), "example.org");
}

TEST(ClientHello, IsReadWhereverItIsCut) {
  const std::string whole = record(hello(server_name("example.org")));
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_EQ(tls(whole.substr(0, length)), "more") << length;
  const std::string message = hello(server_name("example.org"));
  std::string pieces;
  for (const char c : message) pieces += record(std::string(1, c));
  EXPECT_EQ(tls(pieces), "example.org");
  for (size_t length = 0; length < pieces.size(); ++length)
    EXPECT_EQ(tls(pieces.substr(0, length)), "more") << length;
}

TEST(ClientHello, RefusesWhatIsNotOne) {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n"), std::string("SSH-2.0-x\r\n"), std::string("\x16\x02"),
        std::string("\x17\x03\x03\x00\x01x", 6), std::string("\x80\x2e\x01\x03\x01", 5),
        std::string("\x16\x03\x01\x00\x00", 5), std::string("\x16\x03\x01\xff\xff", 5),
        record(std::string("\x02\x00\x00\x01x", 5)), record(std::string("\x01\xff\xff\xff", 4))}) {
    EXPECT_EQ(tls(bytes), "bad") << hex(bytes);
  }
}

TEST(ClientHello, RefusesNoNameTwoNamesAndWhatIsNoName) {
  for (const std::string& extensions :
       {std::string(), extension(10, "xx"), server_name("a.org") + server_name("b.org"),
        server_name("a.org") + server_name("a.org"), server_name("127.0.0.1"), server_name(""),
        server_name("a.org."), server_name(std::string("a.org\0.b.org", 12)),
        server_name("a_b c.org"),
        extension(0, sized(2, std::string(1, '\0') + sized(2, "a.org") + std::string(1, '\0') +
                                  sized(2, "b.org"))),
        extension(0, sized(2, std::string(1, '\1') + sized(2, "a.org"))),
        extension(0, sized(2, "") + "x"), extension(0, ""), std::string("\0\0\0\x7f", 4)}) {
    EXPECT_EQ(tls(record(hello(extensions))), "bad") << hex(extensions);
  }
}

TEST(HttpHost, GivesTheHost) {
  EXPECT_EQ(http("GET / HTTP/1.1\r\nHost: Example.org\r\n\r\n"), "example.org");
  EXPECT_EQ(http("POST /x?y HTTP/1.1\r\nA: b\r\nhOsT:example.org:80\r\n\r\nbody"), "example.org");
  EXPECT_EQ(http("GET http://example.org/x HTTP/1.1\r\nHost: example.org\r\n\r\n"), "example.org");
  EXPECT_EQ(http("OPTIONS * HTTP/1.0\r\nHost: example.org.\r\n\r\n"), "example.org");
}

TEST(HttpHost, WaitsForTheWholeHead) {
  const std::string whole = "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n";
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_EQ(http(whole.substr(0, length)), "more") << length;
  EXPECT_EQ(http("GET / HTTP/1.1\r\nHost: a.org\r\nX: " + std::string(kMostFirstBytes, 'x')),
            "bad");
}

TEST(HttpHost, RefusesWhatTwoServersMightReadDifferently) {
  for (const char* request : {"GET / HTTP/1.1\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost: a.org\r\nHost: b.org\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost: a.org\r\nHost: a.org\r\n\r\n",
                              "GET http://b.org/ HTTP/1.1\r\nHost: a.org\r\n\r\n",
                              "GET http://a.org@b.org/ HTTP/1.1\r\nHost: a.org\r\n\r\n",
                              "GET https://a.org/ HTTP/1.1\r\nHost: a.org\r\n\r\n",
                              "CONNECT a.org:443 HTTP/1.1\r\nHost: a.org\r\n\r\n",
                              "GET //x HTTP/1.1\nHost: b.org\n\nHost: a.org\r\n\r\n",
                              "GET / HTTP/1.1\r\nX: y\nHost: b.org\r\nHost: a.org\r\n\r\n",
                              "GET / HTTP/1.1\r\nX: y\rHost: b.org\r\nHost: a.org\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost: b.org\r\n a.org\r\n\r\n",
                              "GET / HTTP/1.1\r\n Host: b.org\r\nHost: a.org\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost : b.org\r\nHost: a.org\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost: a.org, b.org\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost:\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost: a.org:8080\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost: user@a.org\r\n\r\n",
                              "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                              "GET /\r\nHost: a.org\r\n\r\n",
                              "GET  / HTTP/1.1\r\nHost: a.org\r\n\r\n",
                              "GET / x HTTP/1.1\r\nHost: a.org\r\n\r\n",
                              "SSH-2.0-x \x01\r\n\r\n",
                              "\x16\x03\x01",
                              "\r\nGET / HTTP/1.1\r\nHost: a.org\r\n\r\n"}) {
    EXPECT_EQ(http(request), "bad") << request;
  }
}

}  // namespace
}  // namespace paddock::sandbox
