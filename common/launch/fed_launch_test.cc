#include "common/launch/fed_launch.h"

#include <poll.h>
#include <sys/socket.h>

#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/packet_socket.h"
#include "common/wire/json.h"

namespace paddock::launch {
namespace {

using contracts::FrameType;

// A launcher of this test's: what it is ordered, and what it says.
class Fed : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/paddock-fed-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    auto listener = os::listen_packets(socket());
    ASSERT_TRUE(listener.ok()) << listener.error().describe();
    listener_ = std::move(*listener);
    request_.trace_id = "trace-1";
  }
  void TearDown() override { (void)os::remove_tree(folder_); }
  std::string socket() const { return folder_ + "/socket"; }

  FedLaunch order(size_t max_result = 1 << 20) {
    std::thread server([&] {
      auto client = os::accept_packets(listener_.get());
      ASSERT_TRUE(client.has_value());
      auto packet = os::receive_packet(client->get());
      ASSERT_TRUE(packet.ok());
      ordered_ = std::move(*packet);
      ASSERT_TRUE(os::send_packet(client->get(), "pid 4711").ok());
      connection_ = std::move(*client);
    });
    auto out = FedLaunch::order(socket(), request_, max_result);
    server.join();
    EXPECT_TRUE(out.ok());
    return std::move(*out);
  }
  void say(FrameType type, const std::string& payload) {
    ASSERT_TRUE(os::write_all(ordered_.fds.at(1).get(),
                              cat(contracts::frame_header(type, 0, payload.size()), payload, "\n"))
                    .ok());
  }
  static std::string result(int64_t rc) {
    contracts::SandboxResult out;
    out.rc = rc;
    return wire::to_json(wire::encode(out));
  }
  // Until there is a result or an error.
  static Status follow(FedLaunch& launch, const FedLaunch::OnOutput& on_output = {}) {
    while (true) {
      pollfd waits{launch.events(), POLLIN, 0};
      if (poll(&waits, 1, 60'000) != 1)
        return Error{Code::kInternal, "NOTHING_CAME", "in a minute"};
      ASSIGN_OR_RETURN(const bool there, launch.read_events(on_output));
      if (there) return {};
    }
  }

  std::string folder_;
  os::Fd listener_;
  contracts::LaunchRequest request_;
  os::Packet ordered_;
  os::Fd connection_;
};

TEST_F(Fed, OrdersTheRequestAndIsFollowedToItsResult) {
  FedLaunch launch = order();
  EXPECT_EQ(ordered_.bytes, contracts::kLaunchFedOrder);
  ASSERT_EQ(ordered_.fds.size(), 3u);
  const auto text = os::read_all(ordered_.fds[0].get(), 1 << 20);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, wire::to_json(wire::encode(request_)));
  launch.begin(Millis(1'500));
  EXPECT_EQ(os::receive_packet(connection_.get())->bytes, cat(contracts::kLaunchBegin, 1'500));
  say(FrameType::kStarted, "{}");
  say(FrameType::kStdout, "one ");
  say(FrameType::kStderr, "two");
  say(FrameType::kResult, result(7));
  std::string seen;
  const Status followed = follow(launch, [&](FrameType type, std::string_view bytes) {
    seen += cat(type == FrameType::kStdout ? "out:" : "err:", bytes);
  });
  ASSERT_TRUE(followed.ok()) << followed.error().describe();
  EXPECT_EQ(seen, "out:one err:two");
  EXPECT_EQ(launch.take_result().rc, 7);
}

TEST_F(Fed, SaysThatItsLauncherDied) {
  FedLaunch launch = order();
  EXPECT_FALSE(launch.ended());
  EXPECT_FALSE(*launch.read_events());  // nothing to read, and it does not wait
  connection_.reset();
  ordered_.fds.clear();
  EXPECT_TRUE(launch.ended());
  EXPECT_EQ(follow(launch).error().reason, "LAUNCHER_LOST");
}

TEST_F(Fed, TakesNoResultOverItsBoundAndNoNonsense) {
  FedLaunch bounded = order(16);
  say(FrameType::kResult, result(0));
  EXPECT_FALSE(follow(bounded).ok());
  FedLaunch nonsense = order();
  say(FrameType::kResult, "{");
  EXPECT_FALSE(follow(nonsense).ok());
}

TEST_F(Fed, EndsWhenItIsToldAndStillBringsItsResult) {
  FedLaunch launch = order();
  launch.end();
  EXPECT_FALSE(os::receive_packet(connection_.get()).ok());  // the launcher hears that it is over
  say(FrameType::kResult, result(143));
  ASSERT_TRUE(follow(launch).ok());
  EXPECT_EQ(launch.take_result().rc, 143);
}

TEST_F(Fed, TalksToItsProgramUntilThatIsClosed) {
  FedLaunch launch = order();
  const int inside = ordered_.fds.at(2).get();
  ASSERT_EQ(send(launch.talk(), "in", 2, MSG_NOSIGNAL), 2);
  char bytes[8] = {};
  EXPECT_EQ(recv(inside, bytes, sizeof bytes, 0), 2);
  launch.close_talk();
  EXPECT_EQ(recv(inside, bytes, sizeof bytes, 0), 0);
}

}  // namespace
}  // namespace paddock::launch
