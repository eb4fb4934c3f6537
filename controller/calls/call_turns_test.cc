// Callers that compete for the same nodes.
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "controller/calls/call_table.h"

namespace paddock::calls {
namespace {

using contracts::CallAnswer;
using contracts::CallsRequest;

class CompetingCalls : public testing::Test {
 protected:
  // A node that has said how many it does at once, with as many lanes that wait.
  void node(const std::string& name, int64_t parallel) {
    places_[name] = parallel;
    for (int64_t number = 0; number < parallel; ++number) come({name, "process-1", number});
  }
  void come(const LaneKey& lane, std::optional<CallAnswer> answer = {}) {
    CallsRequest request;
    request.process = lane.process;
    request.generation = 1;
    request.lane = lane.lane;
    request.answer = std::move(answer);
    request.snippets = contracts::SnippetSkills{};
    request.snippets->enabled = true;
    request.snippets->parallel = places_.contains(lane.node) ? places_[lane.node] : 0;
    request.places = own_places_;
    ASSERT_TRUE(table_.open(lane, request, wakes_).ok());
    table_.set_eligible(lane, true, wakes_);
  }
  void nodes(int64_t parallel) { node("node-1", parallel); }
  Status ask(const CallId& id, const std::string& caller) {
    return table_.submit(id, {"snippet", id, 1, {}, caller}, now_, wakes_);
  }
  // What only node-1 can do.
  Status ask_node(const CallId& id, const std::string& caller, const char* kind = "session.run") {
    return table_.submit(id, {kind, id, 1, "node-1", caller}, now_, wakes_);
  }
  void ask_node_often(const std::string& caller, int count) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(ask_node(cat(caller, "-", i), caller).ok());
  }
  void ask_many(const std::string& caller, int count) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(ask(cat(caller, "-", i), caller).ok());
  }
  bool runs(const CallId& id) { return !table_.holder(id).empty(); }
  size_t running(const std::string& caller, int count) {
    size_t out = 0;
    for (int i = 0; i < count; ++i) out += runs(cat(caller, "-", i)) ? size_t{1} : 0;
    return out;
  }
  // The lane that has the call brings its answer, and asks again.
  void finish(const CallId& id) {
    for (int64_t number = 0; number < places_["node-1"]; ++number) {
      const LaneKey lane{"node-1", "process-1", number};
      const auto told = table_.poll(lane);
      if (told && told->call) has_[told->call->id] = lane;
    }
    ASSERT_TRUE(has_.contains(id)) << id;
    come(has_[id], CallAnswer{id, cat("did ", id), std::nullopt});
    (void)table_.take_outcome(id, now_);
  }
  // What the only lane has.
  CallId has_now() {
    const LaneKey lane{"node-1", "process-1", 0};
    const auto told = table_.poll(lane);
    const CallId id = told && told->call ? told->call->id : "";
    has_[id] = lane;
    return id;
  }
  std::string why(const CallId& id) {
    const auto error = table_.give_up(id, now_);
    said_ = error ? error->message : "";
    return error ? error->reason.str() : "";
  }

  CallTable table_;
  std::string said_;  // beside the reason
  MonoTime now_{};
  Wakes wakes_;
  std::map<std::string, int64_t> places_;
  int64_t own_places_ = 0;
  std::map<CallId, LaneKey> has_;
};

TEST_F(CompetingCalls, OneCallerNeverHoldsAllPlaces) {
  nodes(4);
  ask_many("a", 6);
  EXPECT_EQ(running("a", 6), 3u);
  ASSERT_TRUE(ask("b-0", "b").ok());
  EXPECT_TRUE(runs("b-0"));
  EXPECT_EQ(running("a", 6), 3u);
  EXPECT_EQ(table_.load(now_).running, 4u);
  EXPECT_EQ(table_.load(now_).waiting, 3u);
  EXPECT_EQ(table_.load(now_).places, 4u);
}

TEST_F(CompetingCalls, WhoHoldsFewestGoesFirstThoughOthersCameBefore) {
  nodes(4);
  ask_many("a", 6);
  ask_many("b", 3);
  EXPECT_EQ(running("b", 3), 1u);
  finish("a-0");
  EXPECT_EQ(running("b", 3), 2u);  // b held one, a two
  EXPECT_EQ(running("a", 6), 2u);
}

TEST_F(CompetingCalls, AreServedInTurnWhereThereIsOnePlace) {
  nodes(1);
  ask_many("a", 3);
  ask_many("b", 2);
  EXPECT_TRUE(runs("a-0"));
  for (const char* next : {"b-0", "a-1", "b-1", "a-2"}) {
    const CallId before = has_now();
    finish(before);
    EXPECT_TRUE(runs(next)) << next;
  }
}

TEST_F(CompetingCalls, ACanceledCallCountsUntilItsNodeLetsGoOfIt) {
  nodes(4);
  ask_many("a", 4);
  finish("a-0");
  EXPECT_EQ(running("a", 4), 3u);
  table_.cancel("a-1", wakes_);
  ASSERT_TRUE(ask("a-5", "a").ok());
  EXPECT_FALSE(runs("a-5"));
  finish("a-1");
  EXPECT_TRUE(runs("a-5"));
}

TEST_F(CompetingCalls, TheNextMayGoOnAnotherLaneThanTheOneThatCameBack) {
  nodes(4);
  ask_many("a", 4);
  EXPECT_FALSE(runs("a-3"));
  ASSERT_TRUE(table_.poll({"node-1", "process-1", 3}));  // picks up a-0
  CallsRequest tired;
  tired.process = "process-1";
  tired.generation = 1;
  tired.lane = 3;
  tired.takes = false;
  tired.answer = CallAnswer{"a-0", "did", std::nullopt};
  ASSERT_TRUE(table_.open({"node-1", "process-1", 3}, tired, wakes_).ok());
  EXPECT_TRUE(runs("a-3"));
}

TEST_F(CompetingCalls, WhatWaitedInVainIsToldWhy) {
  nodes(4);
  ask_many("a", 4);
  EXPECT_EQ(why("a-3"), "NODES_BUSY");
  EXPECT_NE(said_.find("3 of 4"), std::string::npos) << said_;
  EXPECT_EQ(why("a-0"), "");  // it runs
  ASSERT_TRUE(ask("b-0", "b").ok());
  ASSERT_TRUE(ask("c-0", "c").ok());
  EXPECT_EQ(why("c-0"), "NODES_BUSY");
  EXPECT_EQ(table_.load(now_).waiting, 0u);
  for (int64_t number = 0; number < 4; ++number)
    table_.set_eligible({"node-1", "process-1", number}, false, wakes_);
  ASSERT_TRUE(ask("d-0", "d").ok());
  EXPECT_EQ(why("d-0"), "NO_NODE");
}

TEST_F(CompetingCalls, OneCallerCannotFillWhatWaits) {
  table_ = CallTable({.waiting_calls = 4, .waiting_bytes = 100});
  nodes(1);
  ask_many("a", 4);  // one runs
  const Status more = ask("a-more", "a");
  EXPECT_EQ(more.error().reason, "TOO_MANY_CALLS");
  EXPECT_EQ(more.error().facts.at(0).second, "1");
  EXPECT_TRUE(ask("b-0", "b").ok());
  EXPECT_EQ(ask("b-1", "b").error().reason, "TOO_MANY_CALLS");
}

TEST_F(CompetingCalls, ANodeThatIsGoneCountsForNobody) {
  nodes(4);
  node("node-2", 4);
  ask_many("a", 8);
  EXPECT_EQ(running("a", 8), 6u);
  for (int64_t number = 0; number < 4; ++number) {
    (void)table_.poll({"node-2", "process-1", number});  // it has them
    table_.close({"node-2", "process-1", number}, CallTable::RequestEnd::kHungUp, now_, wakes_);
  }
  now_ = now_ + Millis(5'000);
  EXPECT_EQ(table_.load(now_).places, 4u);
  EXPECT_EQ(table_.load(now_).running, 2u);
}

TEST_F(CompetingCalls, OneCallerNeverHoldsAllPlacesOfANodeForWhatOnlyItCanDo) {
  own_places_ = 4;
  nodes(6);
  ask_node_often("a", 5);
  EXPECT_EQ(running("a", 5), 3u);
  ASSERT_TRUE(ask_node("b-0", "b", "session.file").ok());
  EXPECT_TRUE(runs("b-0"));
  EXPECT_EQ(why("a-3"), "NODES_BUSY");
  EXPECT_NE(said_.find("you hold 3 of the 4 places"), std::string::npos) << said_;
  EXPECT_NE(said_.find("end one of your commands"), std::string::npos) << said_;
  finish("a-0");
  EXPECT_TRUE(runs("a-4"));
}

TEST_F(CompetingCalls, OneSubjectOfANamespaceLeavesAPlaceToTheOthers) {
  own_places_ = 4;
  nodes(6);
  ask_node_often("ns/a", 3);
  EXPECT_EQ(running("ns/a", 3), 2u);
  ask_node_often("ns/b", 1);
  EXPECT_TRUE(runs("ns/b-0"));
}

// Whoever may make tokens of one namespace can appear as any number of subjects.
TEST_F(CompetingCalls, TheSubjectsOfANamespaceNeverHoldAllPlacesOfANode) {
  own_places_ = 8;
  nodes(10);
  ask_node_often("ns/a", 6);
  EXPECT_EQ(running("ns/a", 6), 5u) << "a share of the namespace's";
  EXPECT_EQ(why("ns/a-5"), "NODES_BUSY");
  EXPECT_NE(said_.find("you hold 5 of the 8 places"), std::string::npos) << said_;
  ask_node_often("ns/b", 2);
  EXPECT_EQ(running("ns/b", 2), 1u);
  EXPECT_EQ(why("ns/b-1"), "NODES_BUSY");
  EXPECT_NE(said_.find("your namespace hold 6 of the 8"), std::string::npos) << said_;
  ask_node_often("other/a", 1);
  ask_node_often("/a", 1);
  EXPECT_TRUE(runs("other/a-0") && runs("/a-0"));
}

TEST_F(CompetingCalls, TheSubjectsOfANamespaceNeverHoldAllPlacesForShortCode) {
  nodes(4);
  for (int i = 0; i < 4; ++i) ask_many(cat("ns/", i), 1);
  EXPECT_FALSE(runs("ns/3-0"));
  EXPECT_EQ(why("ns/3-0"), "NODES_BUSY");
  EXPECT_NE(said_.find("your namespace hold 3 of 4"), std::string::npos) << said_;
  ask_many("other/a", 1);
  EXPECT_TRUE(runs("other/a-0"));
}

TEST_F(CompetingCalls, NamespacesAreServedInTurnAndTheirSubjectsWithin) {
  nodes(1);
  for (const char* caller : {"ns/a", "ns/b", "ns/c"}) ask_many(caller, 1);
  ask_many("ns/a-again", 1);
  ask_many("other/a", 2);
  EXPECT_TRUE(runs("ns/a-0"));
  for (const char* next : {"other/a-0", "ns/b-0", "other/a-1", "ns/c-0", "ns/a-again-0"}) {
    const CallId before = has_now();
    finish(before);
    EXPECT_TRUE(runs(next)) << next;
  }
}

TEST_F(CompetingCalls, TheSubjectsOfANamespaceCannotFillWhatWaits) {
  table_ = CallTable({.waiting_calls = 8, .waiting_bytes = 100});
  nodes(1);
  ask_many("ns/a", 1 + 5);  // one runs
  EXPECT_EQ(ask("ns/a-more", "ns/a").error().reason, "TOO_MANY_CALLS") << "of its own";
  ask_many("ns/b", 1);
  const Status more = ask("ns/c-0", "ns/c");
  EXPECT_EQ(more.error().reason, "TOO_MANY_CALLS");
  EXPECT_NE(more.error().message.find("your namespace"), std::string::npos);
  EXPECT_TRUE(ask("other/a-0", "other/a").ok());
}

TEST_F(CompetingCalls, ACanceledCommandHoldsItsPlaceUntilItsNodeLetsGoOfIt) {
  own_places_ = 4;
  nodes(6);
  ask_node_often("a", 4);
  finish("a-0");
  EXPECT_TRUE(runs("a-3"));
  table_.cancel("a-1", wakes_);
  ASSERT_TRUE(ask_node("a-4", "a").ok());
  EXPECT_FALSE(runs("a-4"));
  finish("a-1");
  EXPECT_TRUE(runs("a-4"));
}

TEST_F(CompetingCalls, WhatIsTypedAndWhoWaitsForItTakeNoPlaceOfTheirNode) {
  own_places_ = 1;
  nodes(6);
  ASSERT_TRUE(ask_node("a-0", "a").ok());
  for (const char* kind : {"run.attach", "run.input"}) {
    ASSERT_TRUE(ask_node(kind, "a", kind).ok());
    EXPECT_TRUE(runs(kind)) << kind;
  }
  ASSERT_TRUE(ask_node("a-1", "a").ok());
  EXPECT_FALSE(runs("a-1"));
  ASSERT_TRUE(ask_node("close", "").ok());  // by the controller itself
  EXPECT_TRUE(runs("close"));
}

TEST_F(CompetingCalls, AnAgentThatDoesNotSayHowManyItDoesGivesThemWithoutABound) {
  nodes(4);
  ask_node_often("a", 4);
  EXPECT_EQ(running("a", 4), 4u);
}

TEST_F(CompetingCalls, NodesThatDoNotSayHowManyGiveWithoutABound) {
  for (int64_t number = 0; number < 4; ++number) come({"old", "process-1", number});
  ask_many("a", 4);
  EXPECT_EQ(running("a", 4), 4u);
}

}  // namespace
}  // namespace paddock::calls
