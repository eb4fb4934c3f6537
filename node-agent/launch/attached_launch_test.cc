#include "node-agent/launch/attached_launch.h"

#include <sys/socket.h>
#include <unistd.h>

#include "node-agent/launch/attached_launch_fixture.h"

namespace paddock::launch {
namespace {

TEST_F(Fed, OrdersTheRequestAndIsFollowedToItsResult) {
  AttachedLaunch launch = order();
  EXPECT_EQ(ordered_.bytes, contracts::kLaunchAttachedOrder);
  ASSERT_EQ(ordered_.fds.size(), 3u);
  const auto text = os::read_all(ordered_.fds[0].get(), 1 << 20);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, wire::encode_json(request_));
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
  EXPECT_TRUE(launch.has_result());
  EXPECT_EQ(launch.take_result().rc, 7);
  EXPECT_FALSE(launch.has_result()) << "it was taken";
}

TEST_F(Fed, SaysThatItsLauncherDied) {
  AttachedLaunch launch = order();
  EXPECT_FALSE(launch.ended());
  EXPECT_FALSE(*launch.read_events());  // nothing to read, and it does not wait
  connection_.reset();
  ordered_.fds.clear();
  EXPECT_TRUE(launch.ended());
  EXPECT_EQ(follow(launch).error().reason, "LAUNCHER_LOST");
}

TEST_F(Fed, TakesNoResultOverItsBoundAndNoNonsense) {
  AttachedLaunch bounded = order(16);
  say(FrameType::kResult, result(0));
  EXPECT_FALSE(follow(bounded).ok());
  AttachedLaunch nonsense = order();
  say(FrameType::kResult, "{");
  EXPECT_FALSE(follow(nonsense).ok());
}

TEST_F(Fed, EndsWhenItIsToldAndStillBringsItsResult) {
  AttachedLaunch launch = order();
  launch.end();
  EXPECT_FALSE(os::receive_packet(connection_.get()).ok());  // the launcher hears that it is over
  say(FrameType::kResult, result(143));
  ASSERT_TRUE(follow(launch).ok());
  EXPECT_EQ(launch.take_result().rc, 143);
}

TEST_F(Fed, OrderedAheadItIsToldTheEndOfItsCommandWhenItBegins) {
  AttachedLaunch launch = order(1 << 20, true);
  EXPECT_EQ(ordered_.bytes, contracts::kPrelaunchOrder);
  ASSERT_EQ(ordered_.fds.size(), 2u);
  EXPECT_EQ(launch.talk(), -1);
  ASSERT_TRUE(launch.begin(Millis(700), "echo 'a\nb'").ok());
  const auto word = os::receive_packet(connection_.get());
  ASSERT_TRUE(word.ok());
  EXPECT_EQ(word->bytes, "begin 700\necho 'a\nb'");
  EXPECT_TRUE(word->fds.empty());
  ASSERT_TRUE(launch.begin(Millis(700), "true", true).ok());
  EXPECT_EQ(os::receive_packet(connection_.get())->bytes, "begin 700 shown\ntrue");
}

TEST_F(Fed, OrderedAheadItIsGivenWhatIsTooLongForAPacketInAFile) {
  AttachedLaunch launch = order(1 << 20, true);
  const std::string end(os::kMaxPacketBytes, 'x');
  ASSERT_TRUE(launch.begin(Millis(700), end).ok());
  const auto word = os::receive_packet(connection_.get());
  ASSERT_TRUE(word.ok());
  EXPECT_EQ(contracts::begun(word->bytes)->wall_time, Millis(700));
  ASSERT_EQ(word->fds.size(), 1u);
  EXPECT_EQ(os::read_all(word->fds[0].get(), 1 << 20).value(), end);
}

TEST_F(Fed, OrderedAheadItCannotBeginOnceItsLauncherHasLeft) {
  AttachedLaunch launch = order(1 << 20, true);
  connection_.reset();
  EXPECT_EQ(launch.begin(Millis(700), "true").error().reason, "PEER_GONE");
}

TEST_F(Fed, TalksToItsProgramUntilThatIsClosed) {
  AttachedLaunch launch = order();
  const int inside = ordered_.fds.at(2).get();
  ASSERT_EQ(send(launch.talk(), "in", 2, MSG_NOSIGNAL), 2);
  char bytes[8] = {};
  EXPECT_EQ(recv(inside, bytes, sizeof bytes, 0), 2);
  launch.close_talk();
  EXPECT_EQ(recv(inside, bytes, sizeof bytes, 0), 0);
}

class Executing : public Fed {
 protected:
  static Status understood(const std::string& reply) {
    test::TempDir dir;
    const std::string socket = dir.path() + "/socket";
    auto listener = os::listen_packets(socket);
    std::thread server([&] {
      const auto client = os::accept_packets(listener->get());
      (void)os::receive_packet(client->get());
      if (!reply.empty()) (void)os::send_packet(client->get(), reply);
    });
    const auto begun = AttachedLaunch::execute(socket, {.run_uid = "r"}, 1 << 20);
    server.join();
    return begun.ok() ? Status() : Status(begun.error());
  }
};

TEST_F(Executing, AsksTheLauncherOfARunWhichItNeverSignals) {
  std::thread server([&] {
    auto client = os::accept_packets(listener_.get());
    ordered_ = std::move(*os::receive_packet(client->get()));
    // The pid is that of this very process, so that a signal to it would end the test.
    ASSERT_TRUE(os::send_packet(client->get(), cat("pid ", getpid())).ok());
    connection_ = std::move(*client);
  });
  contracts::ExecOrder order{.run_uid = "r", .command_id = "c", .command = {"true"}};
  auto command = AttachedLaunch::execute(socket(), order, 1 << 20);
  server.join();
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(ordered_.bytes, contracts::kExecOrder);
  ASSERT_EQ(ordered_.fds.size(), 2u);
  EXPECT_EQ(command->launcher(), 0);
  command->kill();
  EXPECT_FALSE(os::receive_packet(connection_.get()).ok());
  say(FrameType::kResult, result(3));
  ASSERT_TRUE(follow(*command).ok());
  EXPECT_EQ(command->take_result().rc, 3);
}

TEST_F(Executing, FeedsACommandByAPipeThatIsNotInItsOrder) {
  std::thread server([&] {
    auto client = os::accept_packets(listener_.get());
    ordered_ = std::move(*os::receive_packet(client->get()));
    ASSERT_TRUE(os::send_packet(client->get(), cat("pid ", getpid())).ok());
    connection_ = std::move(*client);
  });
  const contracts::ExecOrder order{
      .run_uid = "r", .command_id = "c", .command = {"cat"}, .input_comes = true};
  auto command = AttachedLaunch::execute(socket(), order, 1 << 20, AttachedLaunch::Input::kPipe);
  server.join();
  ASSERT_TRUE(command.ok());
  // A launcher that is older than this word refuses an order that has it.
  const auto text = os::read_all(ordered_.fds[0].get(), 1 << 20);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->find("stdinComes"), std::string::npos) << *text;
  ASSERT_EQ(ordered_.fds.size(), 3u);
  ASSERT_EQ(write(command->talk(), "in", 2), 2);
  command->close_talk();
  EXPECT_EQ(os::read_all(ordered_.fds[2].get(), 16).value(), "in");
  EXPECT_EQ(command->talk(), -1);
}

TEST_F(Executing, SaysWhyItDoesNot) {
  EXPECT_EQ(AttachedLaunch::execute(socket() + "-none", {}, 1).error().reason, "RUN_NOT_RUNNING");
  EXPECT_EQ(understood("").error().reason, "RUN_NOT_RUNNING");
  EXPECT_EQ(understood("refused RUN_NOT_RUNNING: over").error().reason, "RUN_NOT_RUNNING");
  const Status many = understood("refused TOO_MANY_COMMANDS: four");
  EXPECT_EQ(many.error().reason, "TOO_MANY_COMMANDS");
  EXPECT_EQ(many.error().code, Code::kResourceExhausted);
}

}  // namespace
}  // namespace paddock::launch
