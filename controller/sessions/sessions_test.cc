#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/contracts/profile.h"
#include "controller/sessions/life.h"
#include "controller/sessions/open_commands.h"
#include "controller/sessions/placement.h"
#include "controller/sessions/under_way.h"

namespace paddock::sessions {
namespace {

using contracts::Node;
using contracts::Sandbox;
using contracts::SandboxPhase;
using testing::HasSubstr;

Node node(std::string name, int64_t most = 10) {
  Node out;
  out.metadata.name = std::move(name);
  out.status.ready = true;
  out.status.max_sessions = most;
  return out;
}

class Placement : public testing::Test {
 protected:
  Result<std::string> choose() {
    const auto policy = contracts::session_policy(
        spec_.security, contracts::builtin_profiles().at("session").policy);
    return choose_node({spec_, policy}, nodes_, counts_);
  }
  contracts::SandboxSpec spec_;
  std::vector<Node> nodes_ = {node("a"), node("b")};
  std::map<std::string, int64_t> counts_;
};

TEST_F(Placement, TakesTheNodeWithTheMostRoom) {
  EXPECT_EQ(*choose(), "a");
  counts_["a"] = 1;
  EXPECT_EQ(*choose(), "b");
  nodes_[1].status.max_sessions = 2;
  EXPECT_EQ(*choose(), "a");
}

TEST_F(Placement, SaysWhatStandsAgainstEachNode) {
  nodes_[0].status.ready = false;
  nodes_[1].spec.unschedulable = true;
  nodes_.push_back(node("c", 0));
  nodes_.push_back(node("d", 1));
  counts_["d"] = 1;
  nodes_.push_back(node("e"));
  nodes_.back().status.conditions.resize(1);
  nodes_.back().status.conditions[0].type = contracts::kDiskPressure;
  nodes_.back().status.conditions[0].status = "True";
  const auto chosen = choose();
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().reason, "NO_NODE");
  for (const char* why :
       {"1 not ready", "1 cordoned", "1 takes no sessions", "1 full", "1 with a full disk"})
    EXPECT_THAT(chosen.error().message, HasSubstr(why));
}

TEST_F(Placement, CountsTheNodesAndSaysWhatWouldHelpInFewWords) {
  nodes_.clear();
  for (int i = 0; i < 100; ++i) {
    nodes_.push_back(node(cat("n", 100 + i)));
    nodes_.back().spec.unschedulable = true;
  }
  nodes_.push_back(node("away"));
  nodes_.back().status.ready = false;
  nodes_.back().status.reason = "NODE_LOST";
  EXPECT_EQ(choose().error().message,
            "no node can take the session: 100 cordoned, 1 not ready; would help: `paddock "
            "uncordon NAME`, or start or upgrade a node's agent")
      << "no names, which are for those who may read nodes";
}

TEST_F(Placement, SaysThatThereIsNone) {
  nodes_.clear();
  EXPECT_THAT(choose().error().message, HasSubstr("start a node agent"));
}

TEST_F(Placement, GoesNowhereWhereACanaryOfItsSandboxFailed) {
  nodes_[0].status.canaries = {{.name = "x", .capability = "tools", .passed = false}};
  EXPECT_EQ(*choose(), "b");
  nodes_[0].status.canaries = {{.name = "x", .capability = "devices", .passed = false},
                               {.name = "z", .capability = "accounts", .passed = false},
                               {.name = "y", .capability = "allowDomains", .passed = false}};
  EXPECT_EQ(*choose(), "a");
  spec_.node_selector["zone"] = "z";
  EXPECT_FALSE(choose().ok());
  nodes_[1].metadata.labels["zone"] = "z";
  EXPECT_EQ(*choose(), "b");
}

TEST_F(Placement, AsksTheNodesOperatorForANetwork) {
  spec_.security.network = {true, {"example.org"}};
  EXPECT_FALSE(choose().ok());
  nodes_[1].status.ceilings = contracts::Ceilings{.network = true};
  EXPECT_EQ(*choose(), "b");
}

class Life : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = store::Store::open({});
    ASSERT_TRUE(opened.ok());
    store_ = std::move(*opened);
    session_.metadata.name = "s";
    session_.metadata.name_space = "default";
    session_.metadata.uid = "uid-1";
    session_.spec = contracts::with_session_defaults({});
    session_.spec.idle_timeout = wire::Duration{Millis(1'000)};
    session_.status.node_name = "n";
    session_.status.expires_at = wire::Timestamp{WallTime{10'000}};
    write([&](store::WriteTxn& txn) -> Status {
      TRY(txn.create(session_));
      return note_use(txn, session_, WallTime{0});
    });
  }
  void write(const std::function<Status(store::WriteTxn&)>& change) {
    const Status written = store_->write(change);
    ASSERT_TRUE(written.ok()) << written.error().describe();
  }
  std::vector<std::string> sweep_at(int64_t now_ms) {
    std::vector<std::string> swept;
    write([&](store::WriteTxn& txn) -> Status {
      ASSIGN_OR_RETURN(const auto due, txn.sessions_due(now_ms, 10));
      for (const store::DueSession& each : due) {
        TRY(sweep(txn, each, WallTime{now_ms}));
        swept.push_back(each.key.name);
      }
      return {};
    });
    return swept;
  }
  std::optional<Sandbox> stored() {
    std::optional<Sandbox> out;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(out, txn.find<Sandbox>({"default", "s"}));
                      return {};
                    })
                    .ok());
    return out;
  }
  std::vector<std::string> on_node() {
    std::vector<std::string> out;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(out, txn.sessions_on("n"));
                      return {};
                    })
                    .ok());
    return out;
  }

  std::unique_ptr<store::Store> store_;
  Sandbox session_;
};

TEST(UnderWay, ASessionIsBusyUntilTheLastOfItsCommandsHasEnded) {
  UnderWay under_way;
  EXPECT_EQ(under_way.busy("a", WallTime{100}), Millis(0));
  const auto longest = under_way.begin("a", WallTime{900});
  {
    const auto brief = under_way.begin("a", WallTime{300});
    EXPECT_EQ(under_way.busy("a", WallTime{100}), Millis(800));
    EXPECT_EQ(under_way.busy("b", WallTime{100}), Millis(0));
  }
  EXPECT_EQ(under_way.busy("a", WallTime{100}), Millis(800));  // the other one ended
  EXPECT_EQ(under_way.busy("a", WallTime{1'000}), Millis(0));  // late: it has no more time
  longest->end();
  longest->end();
  EXPECT_EQ(under_way.busy("a", WallTime{100}), Millis(0));
}

TEST_F(Life, EndsWhenNobodyUsesItAndGoesAnHourLater) {
  EXPECT_TRUE(sweep_at(1'999).empty());  // one of its last moment may be on its way to the store
  EXPECT_EQ(on_node(), std::vector<std::string>{"uid-1"});
  EXPECT_EQ(sweep_at(2'000).size(), 1U);
  ASSERT_TRUE(stored());
  EXPECT_EQ(stored()->status.phase, SandboxPhase::kEnded);
  EXPECT_EQ(stored()->status.reason, "IDLE_TIMEOUT");
  EXPECT_EQ(check_lives(*stored()).error().reason, "SESSION_ENDED");
  EXPECT_TRUE(on_node().empty());
  EXPECT_TRUE(sweep_at(3'601'000).empty());
  EXPECT_EQ(sweep_at(3'602'000).size(), 1U);
  EXPECT_FALSE(stored());
}

TEST_F(Life, WhoeverUsesAnEndedSessionHearsWhy) {
  session_.status.phase = SandboxPhase::kEnded;
  session_.status.reason = "SESSION_LOST";
  const Error expected = ended_error("SESSION_LOST");
  EXPECT_EQ(expected.code, Code::kGone);
  EXPECT_EQ(expected.reason, "SESSION_ENDED");
  EXPECT_EQ(check_lives(session_).error().message, expected.message);
  session_.status.phase = SandboxPhase::kReady;
  EXPECT_TRUE(check_lives(session_).ok());
}

TEST_F(Life, AUseMovesItsIdleTimeButNeverItsLifetime) {
  write([&](store::WriteTxn& txn) { return note_use(txn, session_, WallTime{900}, Millis(500)); });
  EXPECT_TRUE(sweep_at(3'399).empty());
  write([&](store::WriteTxn& txn) { return note_use(txn, session_, WallTime{9'900}); });
  EXPECT_TRUE(sweep_at(9'999).empty());
  EXPECT_EQ(sweep_at(10'000).size(), 1U);
  EXPECT_EQ(stored()->status.reason, "LIFETIME_OVER");
}

TEST_F(Life, CommandsThatTheControllerBeforeLeftOpenAreLostAndEachIsSaidOnce) {
  const auto record = [](store::WriteTxn& txn, const char* command, std::string_view type,
                         int64_t at) {
    Sandbox session;
    session.metadata.name = "s";
    session.metadata.name_space = "default";
    session.metadata.uid = "uid-1";
    contracts::AuditEvent event = command_event(session, command, WallTime{at});
    event.type = type;
    return txn.append_audit(event);
  };
  namespace audit = contracts::audit;
  write([&](store::WriteTxn& txn) -> Status {
    TRY(record(txn, "done", audit::kCommandStart, 100));
    TRY(record(txn, "done", audit::kCommandComplete, 200));
    TRY(record(txn, "open", audit::kCommandStart, 300));
    TRY(record(txn, "again", audit::kCommandStart, 400));
    TRY(record(txn, "again", audit::kCommandTimeout, 500));
    TRY(record(txn, "again", audit::kCommandStart, 600));
    // The run's own goes on without a controller; one that was executed in it does not.
    for (const char* command : {"uid-2/1", "uid-2/exec/open"}) {
      contracts::AuditEvent event;
      event.time = {WallTime{700}};
      event.object = "runs/r";
      event.type = audit::kCommandStart;
      event.command_id = command;
      TRY(txn.append_audit(event));
    }
    return {};
  });
  std::vector<int64_t> ended;
  for (int times = 0; times < 2; ++times) {
    write([&](store::WriteTxn& txn) -> Status {
      ASSIGN_OR_RETURN(const int64_t count, end_open_commands(txn, WallTime{900}));
      ended.push_back(count);
      return {};
    });
  }
  EXPECT_EQ(ended, (std::vector<int64_t>{3, 0}));
  std::vector<std::string> lost;
  write([&](store::WriteTxn& txn) -> Status {
    store::AuditQuery query;
    query.type = audit::kCommandLost;
    ASSIGN_OR_RETURN(const auto events, txn.audit_events(query));
    for (const auto& event : events) lost.push_back(event.command_id);
    return {};
  });
  EXPECT_THAT(lost, testing::UnorderedElementsAre("uid-1/open", "uid-1/again", "uid-2/exec/open"));
}

// proves: WSM-49, WSM-51
TEST_F(Life, ItsEndIsRecordedOnce) {
  sweep_at(2'000);
  sweep_at(2'001);
  std::vector<contracts::AuditEvent> events;
  EXPECT_TRUE(store_
                  ->read([&](store::ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(
                        events, txn.audit_events({.session_id = "uid-1", .after = 0, .limit = 10}));
                    return {};
                  })
                  .ok());
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].type, "sandbox.destroy");
  EXPECT_EQ(events[0].reason, "IDLE_TIMEOUT");
  EXPECT_EQ(events[0].subject, "controller");
}

TEST_F(Life, DeadlinesGoWithTheirSession) {
  write([&](store::WriteTxn& txn) { return txn.erase<Sandbox>({"default", "s"}); });
  EXPECT_TRUE(sweep_at(1'000'000).empty());
}

}  // namespace
}  // namespace paddock::sessions
