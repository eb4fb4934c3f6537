#include "node-agent/launch/order.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

#include "common/contracts/launch.h"
#include "common/os/file.h"
#include "common/os/packet_socket.h"
#include "tests/support/temp_dir.h"

namespace paddock::launch {
namespace {

class Order : public testing::Test {
 protected:
  void SetUp() override {
    auto listener = os::listen_packets(socket());
    ASSERT_TRUE(listener.ok()) << listener.error().describe();
    listener_ = std::move(*listener);
    file_.reset(open("/dev/null", O_RDWR | O_CLOEXEC));
  }

  std::string socket() const { return dir_.path() + "/socket"; }
  // What order_launch() says to a server that answers this.
  Result<Launched> answered(const std::string& answer, int lock = -1) {
    std::thread server([&] {
      const auto client = os::accept_packets(listener_.get());
      auto packet = os::receive_packet(client->get());
      if (packet.ok()) order_ = std::move(*packet);
      if (!answer.empty()) {
        EXPECT_TRUE(os::send_packet(client->get(), answer).ok());
      }
    });
    auto out = order_launch(socket(), {file_.get(), file_.get(), lock});
    server.join();
    return out;
  }

  test::TempDir dir_;
  os::Fd listener_;
  os::Fd file_;
  os::Packet order_;
};

TEST_F(Order, CarriesItsFilesAndLearnsThePid) {
  const auto launched = answered("pid 4711");
  ASSERT_TRUE(launched.ok()) << launched.error().describe();
  EXPECT_EQ(launched->launcher, 4711);
  EXPECT_EQ(order_.bytes, contracts::kLaunchOrder);
  EXPECT_EQ(order_.fds.size(), 2u);
  ASSERT_TRUE(answered("pid 4711", file_.get()).ok());
  EXPECT_EQ(order_.fds.size(), 3u);
}

TEST_F(Order, OfASignalIsOneWordAndItsRefusalsAreToldOfTheRun) {
  const auto sent = [&](const std::string& answer) {
    std::thread server([&] {
      const auto client = os::accept_packets(listener_.get());
      auto packet = os::receive_packet(client->get());
      if (packet.ok()) order_ = std::move(*packet);
      if (!answer.empty()) {
        EXPECT_TRUE(os::send_packet(client->get(), answer).ok());
      }
    });
    const Status out = order_signal(socket(), contracts::RunSignal::kUsr1);
    server.join();
    return out.ok() ? std::string() : out.error().reason.str();
  };
  EXPECT_EQ(sent("pid 4711"), "");
  EXPECT_EQ(order_.bytes, "paddock signal 1 USR1");
  EXPECT_TRUE(order_.fds.empty());
  EXPECT_EQ(sent("refused RUN_NOT_RUNNING: the run has ended"), "RUN_NOT_RUNNING");
  EXPECT_EQ(sent(""), "RUN_NOT_RUNNING");
  EXPECT_EQ(sent("refused BAD_ORDER: no"), "RUN_EXEC_UNSUPPORTED");
  listener_.reset();
  EXPECT_EQ(order_signal(socket(), contracts::RunSignal::kUsr1).error().reason, "RUN_NOT_RUNNING");
}

TEST_F(Order, KnowsWhyItWasRefused) {
  const auto launched = answered("refused LOCK_HELD: it is held");
  ASSERT_FALSE(launched.ok());
  EXPECT_EQ(launched.error().reason, "LOCK_HELD");
}

TEST_F(Order, DoesNotTrustAnAnswerThatMakesNoSense) {
  for (const char* answer : {"pid", "pid ", "pid 0", "pid -5", "pid 12x", "ok", "refused"}) {
    const auto launched = answered(answer);
    ASSERT_FALSE(launched.ok()) << answer;
    EXPECT_TRUE(may_have_started(launched.error())) << answer;
  }
  for (const char* answer : {"refused ", "refused LOCK_HELD: it is held", ""})
    EXPECT_FALSE(may_have_started(answered(answer).error())) << answer;
}

TEST_F(Order, FailsWhenTheServerDiesWithoutAnAnswer) {
  EXPECT_EQ(answered("").error().reason, "PEER_GONE");
}

TEST_F(Order, FailsWhenNobodyListens) {
  listener_.reset();
  EXPECT_EQ(order_launch(socket(), {file_.get(), file_.get(), -1}).error().reason, "NOT_LISTENING");
}

TEST_F(Order, ThatWasGivenUpCanNoLongerBeAnswered) {
  const auto late = order_launch(socket(), {file_.get(), file_.get(), -1}, 10);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().reason, "NO_ANSWER");
  // The server comes to it only now: the order is there, and it learns that nobody waits.
  const auto client = os::accept_packets(listener_.get());
  ASSERT_TRUE(client);
  EXPECT_TRUE(os::receive_packet(client->get()).ok());
  EXPECT_FALSE(os::send_packet(client->get(), "pid 4711").ok());
}

}  // namespace
}  // namespace paddock::launch
