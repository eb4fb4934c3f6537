#include "cli/commands/input_sender.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

constexpr Millis kEachTime{25'000};

// Answers with the next of these, and with the last for ever; each takes a while by our clock. Used
// by the sender's thread, and by ours once that has ended.
class Answers final : public http::Client {
 public:
  struct Answer {
    int status = 0;  // 0: there is none
    std::string code;
  };
  Answers(ManualClock& clock, std::vector<Answer> answers, Millis each_time = kEachTime)
      : clock_(clock), answers_(std::move(answers)), each_time_(each_time) {}

  Result<http::Response> send(const http::Request& request) override {
    const Answer& answer = answers_[std::min(asked.size(), answers_.size() - 1)];
    asked.push_back(*wire::parse_json(request.body));
    clock_.advance(each_time_);
    if (answer.status == 0) return Error{Code::kUnavailable, "UNREACHABLE", "nobody is there"};
    http::Response response;
    response.status = answer.status;
    response.body = cat(R"({"error":{"code":")", answer.code, R"(","message":"no"}})");
    return response;
  }
  void abort() override {}
  std::vector<wire::Value> asked;

 private:
  ManualClock& clock_;
  const std::vector<Answer> answers_;
  const Millis each_time_;
};

struct Sender {
  explicit Sender(std::vector<Answers::Answer> answers, InputPlan plan,
                  Millis patience = Millis(60'000), Millis each_time = kEachTime)
      : client(new Answers(clock, std::move(answers), each_time)),
        sender(std::unique_ptr<http::Client>(client), std::move(plan), patience, clock,
               [this] { failed.set_value(); }) {
    sender.start();
  }
  ManualClock clock;
  Answers* client;
  std::promise<void> failed;
  InputSender sender;
};

InputPlan given(const std::string& first, int fd) {
  InputPlan plan;
  plan.target = "/t";
  plan.input = true;
  plan.first = first;
  plan.fd = fd;
  return plan;
}

TEST(InputSender, WhatIsRefusedIsToldAtOnce) {
  Sender it({{401, "TOKEN_EXPIRED"}}, given("a", -1));
  it.failed.get_future().wait();
  it.sender.stop();
  EXPECT_EQ(it.sender.failure()->reason, "TOKEN_EXPIRED");
  EXPECT_EQ(it.client->asked.size(), 1U);
}

TEST(InputSender, WhereNobodyAnswersItGivesUp) {
  Sender it({{0, ""}}, given("a", -1));
  it.failed.get_future().wait();
  it.sender.stop();
  EXPECT_EQ(it.sender.failure()->reason, "STREAM_LOST");
  EXPECT_EQ(it.client->asked.size(), 3U);  // 75 s
}

// A laptop that was closed, a process that was stopped: of that only the longest try counts.
TEST(InputSender, WhoStoodStillIsAsPatientAsBefore) {
  Sender it({{0, ""}, {0, ""}, {200, ""}, {400, "ENOUGH"}}, given(std::string(100'000, 'a'), -1),
            Millis(100'000), Millis(3'600'000));
  it.failed.get_future().wait();
  it.sender.stop();
  EXPECT_EQ(it.sender.failure()->reason, "ENOUGH");
}

TEST(InputSender, ACommandMayReadAsLateAsItWill) {
  auto pipe = os::make_pipe();
  ASSERT_TRUE(pipe.ok());
  const Answers::Answer waits{429, "INPUT_WAITS"};
  // Its end is refused, so that we hear of it.
  Sender it({waits, {503, "NODES_BUSY"}, waits, {0, ""}, waits, {200, ""}, {400, "ENOUGH"}},
            given("a", pipe->read.get()));
  pipe->write.reset();
  it.failed.get_future().wait();
  it.sender.stop();
  EXPECT_EQ(it.sender.failure()->reason, "ENOUGH");
  ASSERT_EQ(it.client->asked.size(), 7U);
  EXPECT_EQ(it.client->asked[5].text("data"), base64("a"));
  EXPECT_NE(it.client->asked[6].at("end"), nullptr);
}

TEST(InputSender, ACommandThatHasEndedNeedsNothing) {
  for (const std::string code : {"COMMAND_NOT_FOUND", "RUN_NOT_RUNNING"}) {
    ManualClock clock;
    auto pipe = os::make_pipe();
    ASSERT_TRUE(pipe.ok());
    InputSender sender(std::make_unique<Answers>(clock, std::vector<Answers::Answer>{{404, code}}),
                       given("a", pipe->read.get()), Millis(60'000), clock, [] { FAIL(); });
    sender.start();
    sender.stop();
    EXPECT_FALSE(sender.failure()) << code;
  }
}

TEST(InputSender, WhatCannotBeReadIsNoEnd) {
  const os::Fd folder(::open("/", O_RDONLY | O_CLOEXEC));
  Sender it({{200, ""}}, given("a", folder.get()));
  it.failed.get_future().wait();
  it.sender.stop();
  EXPECT_TRUE(it.sender.failure());
  ASSERT_EQ(it.client->asked.size(), 1U);
  EXPECT_EQ(it.client->asked[0].text("data"), base64("a"));
}

TEST(InputSender, AWindowThatChangedBeforeTheBeginningIsTold) {
  InputPlan plan = given("", -1);
  plan.terminal = true;
  plan.window = {11, 4095};
  Sender it({{400, "ENOUGH"}}, plan);
  it.failed.get_future().wait();
  it.sender.stop();
  ASSERT_EQ(it.client->asked.size(), 1U);
  const wire::Value* rows = it.client->asked[0].at("terminal.rows");
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(*rows->integer(), window_size(STDIN_FILENO, STDOUT_FILENO).rows);
}

// Each look at it is later.
class PassingClock final : public Clock {
 public:
  WallTime wall() const override { return {}; }
  MonoTime mono() const override { return {at_ += 300}; }

 private:
  mutable int64_t at_ = 0;
};

TEST(GatherInput, AWriterThatGoesOnIsNotWaitedFor) {
  const os::Fd zeros(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  const PassingClock clock;
  const auto soon = gather_input(zeros.get(), 8 << 20, Until::kSoon, clock);
  ASSERT_TRUE(soon.ok());
  EXPECT_FALSE(soon->whole);
  EXPECT_FALSE(soon->bytes.empty());
  EXPECT_LT(soon->bytes.size(), size_t{1} << 20);
  const auto end = gather_input(zeros.get(), 8 << 20, Until::kEnd, clock);
  ASSERT_TRUE(end.ok());
  EXPECT_GT(end->bytes.size(), size_t{8} << 20);
}

TEST(GatherInput, WhatHasEndedIsWhole) {
  auto pipe = os::make_pipe();
  ASSERT_TRUE(pipe.ok());
  ASSERT_EQ(::write(pipe->write.get(), "abc", 3), 3);
  pipe->write.reset();
  const auto all = gather_input(pipe->read.get(), 8, Until::kSoon, SystemClock());
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(all->whole);
  EXPECT_EQ(all->bytes, "abc");
}

}  // namespace
}  // namespace paddock::cli
