#include <sys/stat.h>

#include "controller/http_server/server_fixture.h"
#include "tests/support/temp_dir.h"

namespace paddock::http_server {
namespace {

using testing::HasSubstr;

class ServerUnixSocket : public ServerTest {
 protected:
  ServerOptions socket_listener() const {
    ServerOptions options;
    options.listen.push_back({"", 0, std::nullopt, path_});
    return options;
  }
  test::TempDir folder_;
  const std::string path_ = folder_ / "controller.sock";
};

TEST_F(ServerUnixSocket, IsForItsOwnerOnlyAndGoesWhenTheServerStops) {
  start(socket_listener());
  struct stat made {};
  ASSERT_EQ(::lstat(path_.c_str(), &made), 0);
  EXPECT_TRUE(S_ISSOCK(made.st_mode));
  EXPECT_EQ(made.st_mode & 0777, 0600u);
  EXPECT_EQ(
      RawClient::local(path_).ask("GET /ping HTTP/1.1\r\nHost: anything.example\r\n\r\n").body,
      "pong");
  EXPECT_EQ(RawClient::local(path_).ask("GET /ping HTTP/1.1\r\nHost: not a host\r\n\r\n").status,
            400);
  EXPECT_EQ(server_->port(0), 0);
  server_->stop();
  EXPECT_NE(::lstat(path_.c_str(), &made), 0);
}

TEST_F(ServerUnixSocket, AStreamEndsWhenItsClientGoes) {
  start(socket_listener());
  RawClient one = RawClient::local(path_);
  one.send(get("/stream/forever"));
  ASSERT_TRUE(one.read_until("begun"));
  one.close();
  EXPECT_TRUE(ended_.wait_until(1));
}

TEST_F(ServerUnixSocket, AStaleFileIsReplacedALiveOneAndOtherFilesAreNot) {
  start(socket_listener());
  const auto second = Server::start(socket_listener(), [](Request&) { return Response(); });
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().reason, "UNIX_SOCKET_IN_USE");
  EXPECT_EQ(RawClient::local(path_).ask(get("/ping")).body, "pong");

  const std::string stale = folder_ / "stale.sock";
  {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, stale.data(), stale.size());
    const os::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ServerOptions options = socket_listener();
  options.listen[0].unix_socket = stale;
  start(options);
  EXPECT_EQ(RawClient::local(stale).ask(get("/ping")).body, "pong");

  folder_.write("file", "precious");
  options.listen[0].unix_socket = folder_ / "file";
  const auto onto_file = Server::start(options, [](Request&) { return Response(); });
  ASSERT_FALSE(onto_file.ok());
  EXPECT_EQ(onto_file.error().reason, "UNIX_SOCKET_PATH_INVALID");
  EXPECT_EQ(os::read_file(folder_ / "file").value(), "precious");

  options.listen[0].unix_socket = folder_ / std::string(200, 'a');
  EXPECT_EQ(Server::start(options, [](Request&) { return Response(); }).error().reason,
            "UNIX_SOCKET_PATH_INVALID");
}

TEST_F(ServerUnixSocket, AServerServesSeveralAddressesAtOnce) {
  ServerOptions options = socket_listener();
  options.listen.push_back({});
  start(options);
  EXPECT_EQ(RawClient::local(path_).ask(get("/ping")).body, "pong");
  EXPECT_EQ(RawClient::tcp(server_->port(1)).ask(get("/ping")).body, "pong");
}

}  // namespace
}  // namespace paddock::http_server
