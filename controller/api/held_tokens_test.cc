// Answers that go on for long end with the token that they were asked for with.
#include "controller/api/watch_test_support.h"

namespace paddock::api {
namespace {

constexpr const char* kOfTools = "/apis/paddock.dev/v1alpha1/namespaces/default/tooltokens";

// Ends the token, and a minute passes, as soon as this word comes. A client that is still told of
// what happened after that goes away by itself.
class EndingStream final : public ResponseStream {
 public:
  EndingStream(std::string word, std::function<void()> end)
      : word_(std::move(word)), end_(std::move(end)) {}
  bool write(std::string_view bytes) override {
    text += bytes;
    if (text.find(word_) != text.npos && !std::exchange(ended_, true)) end_();
    return open();
  }
  bool open() const override { return !broken && ++looks_ < 20; }
  void break_off() override { broken = true; }
  std::string text;
  bool broken = false;

 private:
  const std::string word_;
  const std::function<void()> end_;
  bool ended_ = false;
  mutable int looks_ = 0;
};

class HeldTokens : public WatchTest {
 protected:
  HeldTokens() { uid_ = call("POST", kRuns, run_text("r")).body.text("metadata.uid"); }

  void append(const std::string& data) {
    contracts::RunEvent event{0, clock_.wall().ms, "stdout", data};
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) {
                      txn.touch(store::run_topic(uid_));
                      return txn.append_event(uid_, event);
                    })
                    .ok());
  }
  // What is told until the server ends it, where `end` is done at this word, a minute passes and
  // the run writes "late".
  EndingStream told(const std::string& target, const std::string& token,
                    const std::function<void()>& end, const char* word = "early") {
    const Answer answer = send(request_of("GET", target, token));
    EXPECT_EQ(answer.status, 200) << answer.text;
    EndingStream stream(word, [&] {
      end();
      clock_.advance(Millis(61'000));
      append("late\n");
    });
    stream_here(answer.response, stream);
    return stream;
  }
  std::string uid_;
};

// They are broken off: who takes an end for the end of the log would have a part of it.
TEST_F(HeldTokens, OfFollowedLogsAndEventsEndThem) {
  for (const char* what : {"/r/events", "/r/log?follow=true"}) {
    append("early\n");
    const std::string reader = add_token("reader", {"runs:read"});
    const EndingStream read = told(cat(kRuns, what), reader, [&] { revoke(reader); });
    EXPECT_NE(read.text.find("early"), std::string::npos) << what;
    EXPECT_EQ(read.text.find("late"), std::string::npos) << what;
    EXPECT_TRUE(read.broken) << what;
    EXPECT_EQ(send(request_of("GET", cat(kRuns, what), reader)).reason(), "TOKEN_REVOKED");
    call("POST", cat(kRuns, "/r/cancel"));
    call("DELETE", cat(kRuns, "/r"));
    uid_ = call("POST", kRuns, run_text("r")).body.text("metadata.uid");
  }
}

// A log that is not followed, and that its reader takes slowly.
TEST_F(HeldTokens, BreakOffALogThatTheyOutlastedOnlyInPart) {
  for (int i = 0; i < 300; ++i) append(i == 0 ? "early\n" : "more\n");
  const std::string reader = add_token("reader", {"runs:read"});
  const EndingStream read = told(cat(kRuns, "/r/log"), reader, [&] { revoke(reader); });
  EXPECT_TRUE(read.broken);
  EXPECT_EQ(read.text.find("late"), std::string::npos);
  EXPECT_FALSE(told(cat(kRuns, "/r/log"), admin_, [] {}).broken);
}

TEST_F(HeldTokens, OfToolsEndWhatTheyFollow) {
  const Answer made = call("POST", cat(kRuns, "/r/tool-tokens"), R"({"operations":["run:read"]})");
  ASSERT_EQ(made.status, 201) << made.text;
  append("early\n");
  const EndingStream read =
      told(cat(kRuns, "/r/log?follow=true"), made.body.text("status.token"),
           [&] { call("POST", cat(kOfTools, "/", made.body.text("metadata.name"), "/revoke")); });
  EXPECT_EQ(read.text, "early\n");
  EXPECT_TRUE(read.broken);
}

TEST_F(HeldTokens, ThatHoldLetAFollowerGoOn) {
  append("early\n");
  const EndingStream read = told(cat(kRuns, "/r/log?follow=true"), admin_, [&] {});
  EXPECT_EQ(read.text, "early\nlate\n");
}

// A client that takes them slowly has the pages of a long list for as long as it likes.
TEST_F(HeldTokens, EndAWatchThatStillTellsWhatThereWas) {
  for (int i = 0; i < 40; ++i) make(cat("a", i));
  const std::string reader = add_token("reader", {"runs:read"});
  const std::string text = told(
                               cat(kRuns, "?watch=true"), reader, [&] { revoke(reader); }, "ADDED")
                               .text;
  size_t lines = 0;
  for (const char c : text) lines += c == '\n' ? size_t{1} : 0;
  EXPECT_GT(lines, 0U);
  EXPECT_LT(lines, 41U) << "all of what was there was told";
}

}  // namespace
}  // namespace paddock::api
