#include "controller/http_server/listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <gtest/gtest.h>

#include "controller/http_server/raw_client.h"

namespace paddock::http_server {
namespace {

int number_of(const os::Fd& socket, int level, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(socket.get(), level, option, &value, &size) == 0 ? value : -1;
}

// A host that lost its network says nothing: without questions its requests would be held for ever.
TEST(Listener, AsksAPeerThatIsSilentWhetherItIsThere) {
  const auto listener = Listener::open({});
  ASSERT_TRUE(listener.ok()) << listener.error().describe();
  const RawClient client = RawClient::tcp((*listener)->port());
  pollfd waits{(*listener)->fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&waits, 1, kPatienceMs), 1);
  const os::Fd connection = (*listener)->accept();
  ASSERT_TRUE(connection.valid());
  EXPECT_EQ(number_of(connection, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(number_of(connection, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(number_of(connection, IPPROTO_TCP, TCP_KEEPINTVL) *
                    number_of(connection, IPPROTO_TCP, TCP_KEEPCNT) +
                number_of(connection, IPPROTO_TCP, TCP_KEEPIDLE),
            60);
}

}  // namespace
}  // namespace paddock::http_server
