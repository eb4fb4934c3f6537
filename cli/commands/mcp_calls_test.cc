#include "cli/commands/mcp_calls.h"

#include <future>
#include <map>

#include <gtest/gtest.h>

#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using wire::Value;

// Calls that are answered when the test says so; a name of a tool is that of a gate.
class Stage {
 public:
  std::shared_future<void> gate(const std::string& tool) {
    return gates_.with([&](auto& gates) { return std::shared_future(gates[tool].get_future()); });
  }
  void open(const std::string& tool) {
    gates_.with([&](auto& gates) { gates[tool].set_value(); });
  }
  void began(const std::string& tool) {
    state_.with([&](State& state) { state.began.push_back(tool); });
    changed_.notify_all();
  }
  void wait_begun(size_t count) {
    wait([&](const State& state) { return state.began.size() >= count; });
  }
  void written(const Value& answer) {
    state_.with([&](State& state) { state.answers.push_back(answer); });
    changed_.notify_all();
  }
  std::vector<Value> answers(size_t count) {
    wait([&](const State& state) { return state.answers.size() >= count; });
    return state_.with([](State& state) { return state.answers; });
  }
  McpCalls::Setup setup(size_t at_once = 16, size_t waiting = 64);

 private:
  struct State {
    std::vector<std::string> began;
    std::vector<Value> answers;
  };
  template <class Ready>
  void wait(const Ready& ready) {
    const auto whether = [](const State&, bool in_time) { return in_time; };
    ASSERT_TRUE(state_.wait_for(changed_, std::chrono::minutes(5), ready, whether));
  }
  Guarded<std::map<std::string, std::promise<void>>> gates_;
  Guarded<State> state_;
  std::condition_variable changed_;
};

class Actor final : public Answerer {
 public:
  explicit Actor(Stage& stage) : stage_(stage) {}
  mcp::Reply answer(const Value& message) override {
    const std::string tool = message.text("params.name");
    if (!tool.empty()) {
      const std::shared_future<void> gate = stage_.gate(tool);
      stage_.began(tool);
      while (!given_up_ &&
             gate.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready) {
      }
    }
    const Value* id = message.find("id");
    if (id == nullptr) return {};
    return {Value::Object{{"id", *id}, {"tool", tool}, {"givenUp", given_up_.load()}}};
  }
  void give_up() override { given_up_ = true; }

 private:
  Stage& stage_;
  std::atomic<bool> given_up_{false};
};

McpCalls::Setup Stage::setup(size_t at_once, size_t waiting) {
  return {[this] { return std::make_unique<Actor>(*this); },
          [this](const Value& answer) { written(answer); }, at_once, waiting};
}

Value call(int64_t id, const std::string& tool) {
  return Value::Object{{"jsonrpc", "2.0"},
                       {"id", id},
                       {"method", "tools/call"},
                       {"params", Value::Object{{"name", tool}}}};
}
Value ping(int64_t id) { return Value::Object{{"id", id}, {"method", "ping"}}; }
Value cancel(Value id) {
  return Value::Object{{"method", "notifications/cancelled"},
                       {"params", Value::Object{{"requestId", std::move(id)}}}};
}
const auto reads_on = [] { return false; };

TEST(McpCalls, ASecondCallIsAnsweredWhileTheFirstRuns) {
  Stage stage;
  McpCalls calls(stage.setup());
  calls.take(call(1, "slow"));
  calls.take(call(2, "quick"));
  calls.take(ping(3));
  stage.wait_begun(2);
  stage.open("quick");
  ASSERT_EQ(stage.answers(2).size(), 2u);
  stage.open("slow");
  calls.finish(reads_on);
  EXPECT_EQ(stage.answers(3)[2].text("tool"), "slow");
}

TEST(McpCalls, ACanceledCallIsGivenUpAndGetsNoAnswer) {
  Stage stage;
  McpCalls calls(stage.setup());
  calls.take(call(1, "slow"));
  calls.take(call(2, "other"));
  stage.wait_begun(2);
  for (const Value& nobody : {Value(7), Value("1"), Value(), Value(Value::Object{})})
    calls.take(cancel(nobody));
  calls.take(cancel(1));
  calls.take(call(4, "next"));
  stage.wait_begun(3);
  stage.open("other");
  stage.open("next");
  calls.finish(reads_on);
  const auto answers = stage.answers(2);
  ASSERT_EQ(answers.size(), 2u);
  for (const Value& each : answers) {
    EXPECT_NE(*each.find("id"), Value(1));
    EXPECT_EQ(*each.find("givenUp"), Value(false)) << "nobody answers for one that was given up";
  }
}

TEST(McpCalls, ACallThatWaitsForItsTurnIsCanceledBeforeItBegins) {
  Stage stage;
  McpCalls calls(stage.setup(1, 2));
  calls.take(call(1, "first"));
  stage.wait_begun(1);
  calls.take(call(2, "second"));
  calls.take(call(3, "third"));
  calls.take(call(4, "too many"));
  EXPECT_EQ(*stage.answers(1)[0].at("error.code"), Value(-32000));
  EXPECT_EQ(*stage.answers(1)[0].find("id"), Value(4));
  calls.take(cancel(2));
  stage.open("first");
  stage.open("third");
  calls.finish(reads_on);
  const auto answers = stage.answers(3);
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[1].text("tool"), "first");
  EXPECT_EQ(answers[2].text("tool"), "third");
}

TEST(McpCalls, WhereNobodyReadsAnswersAnyMoreAllIsGivenUp) {
  Stage stage;
  McpCalls calls(stage.setup(1));
  calls.take(call(1, "slow"));
  calls.take(call(2, "waits"));
  stage.wait_begun(1);
  calls.finish([] { return true; });
  EXPECT_TRUE(stage.answers(0).empty());
}

}  // namespace
}  // namespace paddock::cli
