#include "controller/nodes/agent_lines.h"

#include <gtest/gtest.h>

namespace paddock::nodes {
namespace {

std::string tool_use(const std::string& id) {
  return R"({"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":")" +
         id + R"(","name":"ask","input":{}}]}})" + "\n";
}

class AgentLines : public testing::Test {
 protected:
  AgentLines() : store_(store::Store::open({}).value()) {
    run_.metadata.name = "a";
    run_.metadata.name_space = "default";
    run_.metadata.uid = "run-uid";
    run_.spec.type = contracts::RunType::kAgent;
    run_.spec.command.argv = {"agent"};
    run_.status.attempt = 1;
    EXPECT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(run_); }).ok());
  }
  std::vector<std::string> after(const std::vector<std::string>& pieces,
                                 std::string_view stream = contracts::kEventStdout) {
    runs::Events output;
    for (const std::string& each : pieces) output.push_back({0, 0, std::string(stream), each});
    EXPECT_TRUE(
        store_->write([&](store::WriteTxn& txn) { return take_agent_output(txn, run_, output); })
            .ok());
    std::vector<std::string> ids;
    for (const auto& use : run_.status.pending_tool_uses) ids.push_back(use.id);
    return ids;
  }
  std::unique_ptr<store::Store> store_;
  contracts::Run run_;
};

using Ids = std::vector<std::string>;

TEST_F(AgentLines, MakePendingWhatALineAsksForWhereverItIsCut) {
  const std::string line = tool_use("one");
  EXPECT_EQ(after({"hello\n", line.substr(0, 20)}), Ids{});
  EXPECT_EQ(after({line.substr(20, 5)}), Ids{});
  EXPECT_EQ(after({line.substr(25) + tool_use("two") + "{\"type\":"}), (Ids{"one", "two"}));
  EXPECT_EQ(after({tool_use("one")}), (Ids{"one", "two"})) << "asked again, and once pending";
}

TEST_F(AgentLines, AreThoseOfStandardOutputThatAreSuchMessages) {
  EXPECT_EQ(after({tool_use("x")}, contracts::kEventStderr), Ids{});
  for (const char* line :
       {"tool_use\n", "{\"tool_use\":1}\n", "[\"tool_use\"]\n", "{\"type\":\"tool_use\"}\n",
        "{\"type\":\"tool_use\",\"id\":5}\n", "{\"message\":{\"content\":\"tool_use\"}}\n"})
    EXPECT_EQ(after({line}), Ids{}) << line;
  EXPECT_EQ(after({"{\"type\":\"tool_use\",\"id\":\"plain\"}\n"}), Ids{"plain"});
}

// PostgreSQL keeps no NUL in a text: the report of its node would be refused for ever.
TEST_F(AgentLines, WithAnIdThatNotEveryStoreTakesAskForNothing) {
  for (const char* id : {"\\u0000", "a\\u0000b", "a\\u001fb", "a\\nb"})
    EXPECT_EQ(after({tool_use(id)}), Ids{}) << id;
  EXPECT_EQ(after({tool_use("\u00e9")}), Ids{"\u00e9"});
}

TEST_F(AgentLines, ThatAreTooLongAreOnlyOutput) {
  const std::string long_line(size_t{2} << 20, 'x');
  EXPECT_EQ(after({"{\"type\":\"tool_use\",\"id\":\"" + long_line}), Ids{});
  EXPECT_EQ(after({long_line, "\"}\n" + tool_use("next")}), Ids{"next"});
}

TEST_F(AgentLines, GrowPieceByPieceAndAreWholeAtTheirEnd) {
  const std::string line = tool_use(std::string(100, 'x') + "é");
  const std::string head = "{\"pad\":\"" + std::string(20'000, 'p') + "\"}\n";
  for (size_t at = 0; at < head.size(); at += 997) EXPECT_EQ(after({head.substr(at, 997)}), Ids{});
  for (size_t at = 0; at < line.size() - 1; ++at) EXPECT_EQ(after({line.substr(at, 1)}), Ids{});
  EXPECT_EQ(after({"\n"}), Ids{std::string(100, 'x') + "é"});
  EXPECT_EQ(store_
                ->read([](store::ReadTxn& txn) -> Status {
                  ASSIGN_OR_RETURN(const std::string rest, txn.open_line("run-uid", 1));
                  EXPECT_EQ(rest, "");
                  return {};
                })
                .ok(),
            true);
}

TEST_F(AgentLines, NeverMakePendingAgainWhatWasAnswered) {
  contracts::RunInput input{0, "{}\n"};
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) {
                    return txn.append_input("run-uid", 1, "done", input);
                  })
                  .ok());
  EXPECT_EQ(after({tool_use("done") + tool_use("new")}), Ids{"new"});
}

}  // namespace
}  // namespace paddock::nodes
