// The server as its operators meet it: start, stop, and what it holds of the process. (T1 to T26:
// see server_test.cc.)
#include <dirent.h>
#include <fcntl.h>

#include <csignal>

#include "controller/http_server/server_fixture.h"

namespace paddock::http_server {
namespace {

class ServerLife : public ServerTest {};

// Whoever waited for a client with these would wait an hour.
ServerOptions patient() {
  constexpr int kHourMs = 3'600'000;
  ServerOptions options;
  options.listen.push_back({});
  options.header_timeout_ms = options.body_timeout_ms = kHourMs;
  options.idle_timeout_ms = options.write_timeout_ms = kHourMs;
  return options;
}

TEST_F(ServerLife, StopEndsTwoHundredStreamsAndIdleConnectionsAtOnce) {  // T5, T6
  start(patient());
  std::vector<RawClient> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(client());
    clients.back().send(get(i % 2 == 0 ? "/stream/forever" : "/hold"));
  }
  for (int i = 0; i < 50; ++i) {
    clients.push_back(client());
    EXPECT_EQ(clients.back().ask(get("/ping")).body, "pong");  // idle from here on
  }
  ASSERT_TRUE(streaming_.wait_until(200));
  EXPECT_EQ(server_->connections(), 250u);
  server_->stop();
  EXPECT_EQ(server_->connections(), 0u);
  EXPECT_EQ(ended_.count(), 200);
  EXPECT_FALSE(client().connected());
  server_->stop();  // again does nothing
}

TEST_F(ServerLife, StopDoesNotWaitForAClientThatDoesNotRead) {
  start(patient());
  RawClient deaf = client();
  deaf.send(get("/big"));
  ASSERT_TRUE(handled_.wait_until(1));
  server_->stop();
  EXPECT_EQ(server_->connections(), 0u);
}

TEST_F(ServerLife, APortIsNeverShared) {  // T17
  start();
  ServerOptions second = one_listener();
  second.listen[0].port = server_->port(0);
  const auto refused = Server::start(second, [](Request&) { return Response(); });
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, "PORT_IN_USE");
  EXPECT_EQ(refused.error().code, Code::kFailedPrecondition);
  expect_alive();
  server_->stop();
  EXPECT_TRUE(Server::start(second, [](Request&) { return Response(); }).ok())
      << "TIME_WAIT does not block a restart";
}

TEST_F(ServerLife, PlainHttpIsForLoopbackOnly) {
  for (const std::string host : {"0.0.0.0", "::", "192.0.2.1", ""}) {
    ServerOptions options;
    options.listen.push_back({host, 0, std::nullopt, ""});
    const auto refused = Server::start(options, [](Request&) { return Response(); });
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, host.empty() ? "ADDRESS_INVALID" : "PLAIN_HTTP_NOT_LOOPBACK");
  }
}

int open_descriptors() {
  int count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

TEST_F(ServerLife, AThousandConnectionsLeaveNothingBehind) {  // T2, T16
  start();
  expect_alive();
  while (server_->connections() > 0) std::this_thread::yield();
  const int before = open_descriptors();
  for (int i = 0; i < 1000; ++i) {
    RawClient one = client();
    ASSERT_TRUE(one.connected());
    if (i % 3 == 0) one.send(get("/ping", "Connection: close\r\n"));
    if (i % 3 == 1) one.send("GET /pi");
    if (i % 3 == 0) {
      EXPECT_EQ(one.answer().status, 200);
    }
  }
  while (server_->connections() > 0) std::this_thread::yield();
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ServerLife, EveryDescriptorIsCloseOnExec) {  // T16
  start();
  RawClient one = client();
  EXPECT_EQ(one.ask(get("/ping")).status, 200);
  DIR* folder = ::opendir("/proc/self/fd");
  while (const dirent* entry = ::readdir(folder)) {
    const auto fd = parse_integer<int>(entry->d_name);
    int type = 0;
    socklen_t size = sizeof type;
    if (!fd || ::getsockopt(*fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || *fd <= 2) continue;
    EXPECT_NE(::fcntl(*fd, F_GETFD) & FD_CLOEXEC, 0) << "socket " << *fd;
  }
  ::closedir(folder);
}

TEST_F(ServerLife, TheProcessKeepsItsSigpipeDisposition) {  // T16
  struct sigaction before {};
  struct sigaction after {};
  ::sigaction(SIGPIPE, nullptr, &before);
  start();
  ::sigaction(SIGPIPE, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

}  // namespace
}  // namespace paddock::http_server
