// A fed run: it waits for its input, belongs to its client, and its time counts from the word.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <thread>

#include "common/os/file.h"
#include "common/os/packet_socket.h"
#include "common/wire/json.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;

struct Fed {
  launch::Launched run;
  os::Fd talk;  // the other end of its standard input
  os::Fd events;
};

class FedRun : public ServeTest {
 protected:
  static constexpr Millis kLong{60'000};

  Result<Fed> feed(const contracts::LaunchRequest& launch) {
    const os::Fd file(open((write_request(launch) + ".request").c_str(), O_RDONLY | O_CLOEXEC));
    ASSIGN_OR_RETURN(os::Pipe events, os::make_pipe());
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return system_error("a socket", errno);
    Fed out{{}, os::Fd(ends[0]), std::move(events.read)};
    const os::Fd inside(ends[1]);
    launch::OrderFiles files;
    files.request = file.get();
    files.events = events.write.get();
    files.input = inside.get();
    ASSIGN_OR_RETURN(out.run, launch::order_launch(socket(), files));
    return out;
  }
  contracts::SandboxResult result_of(const Fed& fed) {
    const auto bytes = os::read_all(fed.events.get(), 1 << 20);
    EXPECT_TRUE(bytes.ok());
    std::string_view rest = *bytes;
    contracts::Frame frame;
    contracts::SandboxResult out;
    while (contracts::take_frame(rest, frame).value()) {
      if (frame.type != contracts::FrameType::kResult) continue;
      out = wire::decode<contracts::SandboxResult>(wire::parse_json(frame.payload).value()).value();
    }
    return out;
  }
  void say(Fed& fed, std::string_view text) {
    EXPECT_TRUE(os::write_all(fed.talk.get(), text).ok());
    shutdown(fed.talk.get(), SHUT_WR);
  }
};
INSTANTIATE_TEST_SUITE_P(, FedRun, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(FedRun, WaitsBeyondItsWallTimeAndHasAllOfItAfterwards) {
  auto launch = request({"sh", "-c", "read line; sleep 0.3; echo got $line"});
  launch.policy.limits.wall_time = wire::Duration{Millis(1'000)};
  auto fed = feed(launch);
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  std::this_thread::sleep_for(Millis(1'500));
  ASSERT_TRUE(launch::begin_fed(fed->run, Millis(900)).ok());
  say(*fed, "it\n");
  const auto result = result_of(*fed);
  EXPECT_EQ(result.status, SandboxStatus::kOk) << result.reason;
  EXPECT_EQ(result.out, "got it\n");
  EXPECT_LT(result.duration_ms, 1'400);
}

// proves: ELV-101, ELV-128
TEST_P(FedRun, IsEndedWhenTheTimeOfItsRequestIsUpAndThePolicysIsTheMost) {
  for (const auto& [policy_ms, asked_ms] : {std::pair{60'000, 300}, std::pair{300, 60'000}}) {
    auto launch = request({"sh", "-c", "read line; sleep 50"});
    launch.policy.limits.wall_time = wire::Duration{Millis(policy_ms)};
    auto fed = feed(launch);
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    ASSERT_TRUE(launch::begin_fed(fed->run, Millis(asked_ms)).ok());
    say(*fed, "it\n");
    EXPECT_EQ(result_of(*fed).status, SandboxStatus::kTimeout);
  }
}

TEST_P(FedRun, EndsWithItsClientBeforeAndAfterTheWord) {
  for (const bool begun : {false, true}) {
    auto launch = request({"sh", "-c", "trap '' TERM; sleep 50"});
    launch.cancel_grace_ms = 0;
    auto fed = feed(launch);
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    if (begun) {
      ASSERT_TRUE(launch::begin_fed(fed->run, kLong).ok());
    }
    fed->run.connection.reset();
    EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled);
  }
}

TEST_P(FedRun, TakesTheWordOnceAndNoOther) {
  for (const char* word : {"begin", "begin x", "begin -1", "stop"}) {
    auto fed = feed(request({"sleep", "50"}));
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    ASSERT_TRUE(os::send_packet(fed->run.connection.get(), word).ok());
    EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled) << word;
  }
  auto fed = feed(request({"sleep", "50"}));
  ASSERT_TRUE(fed.ok());
  ASSERT_TRUE(launch::begin_fed(fed->run, kLong).ok());
  ASSERT_TRUE(launch::begin_fed(fed->run, kLong).ok());
  EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled);
}

TEST_P(FedRun, HasNothingOpenButItsThreeStreams) {
  auto fed = feed(request(probe("descriptors", {"fed"})));
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  ASSERT_TRUE(launch::begin_fed(fed->run, kLong).ok());
  say(*fed, "");
  const auto result = result_of(*fed);
  EXPECT_THAT(result.out, testing::HasSubstr("CONTAINED")) << result.reason;
  EXPECT_THAT(result.out, testing::Not(testing::HasSubstr("BREACH")));
}

}  // namespace
}  // namespace paddock::adversarial
