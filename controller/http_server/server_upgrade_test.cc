// A connection that leaves HTTP.
#include <array>
#include <atomic>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "controller/http_server/raw_client.h"
#include "controller/http_server/server.h"

namespace paddock::http_server {
namespace {

// Says back what comes, and tells when it has ended.
void say_back(Upgraded& connection, std::atomic<int>& ended) {
  std::array<char, 64> bytes;
  connection.waker()->wake();  // one too many costs a look
  while (connection.wait({.read = true}, Millis(60'000))) {
    const auto got = connection.read(bytes.data(), bytes.size());
    if (!got) break;
    std::string_view rest(bytes.data(), *got);
    if (!connection.write_last(rest)) break;
    if (rest.ends_with("!")) break;
  }
  if (connection.stopping()) {
    EXPECT_TRUE(connection.write_last("stopped"));
  }
  ++ended;
  ended.notify_all();
}

class Upgrade : public testing::Test {
 protected:
  Upgrade() {
    ServerOptions options;
    options.listen = {ListenAddress{}};
    auto server = Server::start(std::move(options), [this](Request& request) {
      Response response;
      if (request.header("upgrade") != "websocket") return response;
      response.headers = {{"X-Chosen", "it"}, {"Upgrade", "other"}, {"Content-Length", "5"}};
      response.upgraded = [this](Upgraded& connection) { say_back(connection, ended_); };
      return response;
    });
    EXPECT_TRUE(server.ok());
    server_ = std::move(*server);
  }
  RawClient client() const { return RawClient::tcp(server_->port(0)); }
  static std::string ask(const std::string& method, const std::string& more = "") {
    return cat(method, " /up HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n", more, "\r\n");
  }
  void wait_for_end() { ended_.wait(0); }

  std::atomic<int> ended_{0};
  std::unique_ptr<Server> server_;
};

constexpr std::string_view kHead =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "X-Chosen: it\r\n\r\n";

TEST_F(Upgrade, BothDirectionsAreTheHandlersAndBytesBehindTheRequestAreFirst) {
  RawClient one = client();
  one.send(ask("GET") + "at once, and");
  one.send(" later!");
  const std::string all = one.read_to_end();
  EXPECT_TRUE(all.starts_with(kHead)) << all;
  EXPECT_TRUE(all.substr(kHead.size()).starts_with("at once, and")) << all;
}

TEST_F(Upgrade, AClientThatHangsUpOrClosesItsSideEndsIt) {
  RawClient one = client();
  one.send(ask("GET"));
  one.close_sending();
  wait_for_end();
  EXPECT_EQ(one.read_to_end(), kHead);
}

TEST_F(Upgrade, TheStopEndsItWithItsLastWords) {
  RawClient one = client();
  one.send(ask("GET") + "x");
  EXPECT_TRUE(one.read_until("\r\n\r\nx"));
  server_->stop();
  EXPECT_EQ(one.read_to_end(), cat(kHead, "xstopped"));
}

TEST_F(Upgrade, IsForNoHeadAndNoForeignPage) {
  RawClient head = client();
  head.send(ask("HEAD"));
  EXPECT_EQ(head.answer(true).status, 200) << "as a GET that asks for none";
  RawClient page = client();
  page.send(ask("GET", "Origin: https://evil.example\r\n"));
  EXPECT_TRUE(page.read_to_end().starts_with("HTTP/1.1 403 "));
  EXPECT_EQ(ended_.load(), 0);
  RawClient own = client();
  own.send(ask("GET", "Origin: http://localhost\r\n") + "!");
  EXPECT_EQ(own.read_to_end(), cat(kHead, "!"));
}

}  // namespace
}  // namespace paddock::http_server
