// Sessions are told of their nodes' troubles, so that lists and watches know of them.
#include "controller/reconciler/reconciler_test_support.h"
#include "controller/sessions/life.h"

namespace paddock::reconciler {
namespace {

using contracts::Node;
using contracts::Sandbox;

class SessionTrouble : public ReconcilerTest {
 protected:
  void SetUp() override {
    ReconcilerTest::SetUp();
    heartbeat();
  }
  void make(const std::string& name) {
    Sandbox session;
    session.metadata.name = session.metadata.uid = name;
    session.metadata.name_space = "default";
    session.spec = contracts::with_session_defaults({});
    session.status.node_name = "n1";
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      TRY(txn.create(session));
                      TRY(sessions::note_ready(txn, session, clock_.wall()));
                      return sessions::note_use(txn, session, clock_.wall());
                    })
                    .ok());
  }
  Sandbox session(const std::string& name = "s") {
    Sandbox found;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(found, txn.get<Sandbox>({"default", name}));
                      return {};
                    })
                    .ok());
    return found;
  }
  // The reason that is stored of it; empty: its node is well.
  std::string told(const std::string& name = "s") {
    const Sandbox found = session(name);
    const contracts::Condition* trouble = contracts::node_trouble(found.status);
    return trouble == nullptr ? "" : trouble->reason;
  }
  void change_node(const std::function<void(Node&)>& by) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(Node found, txn.get<Node>({"", "n1"}));
                      by(found);
                      return txn.update(found);
                    })
                    .ok());
  }
  void fail(const std::string& message) {
    change_node([&](Node& node) {
      node.status.conditions = {{contracts::kHostFault, "True", "NODE_DISK_FAILS", message, {}}};
    });
  }
};

TEST_F(SessionTrouble, IsToldWhileItsNodeIsSilent) {
  make("s");
  step();
  EXPECT_EQ(told(), "");
  clock_.advance(leases_.times().lease);
  step();
  EXPECT_EQ(told(), "LEASE_EXPIRED");
  EXPECT_EQ(contracts::node_trouble(session().status)->last_transition_time,
            wire::Timestamp{clock_.wall()});
  heartbeat();
  step();
  EXPECT_EQ(told(), "");
  EXPECT_EQ(session().status.ready_at, wire::Timestamp{clock_.wall()});
}

TEST_F(SessionTrouble, IsWrittenWhenItChangesAndNotWhenItsWordsDo) {
  make("s");
  fail("it fails");
  step();
  EXPECT_EQ(told(), "NODE_DISK_FAILS");
  const std::string version = session().metadata.resource_version;
  fail("it fails at another place");
  step();
  EXPECT_EQ(session().metadata.resource_version, version);
  const auto since = contracts::node_trouble(session().status)->last_transition_time;
  clock_.advance(leases_.times().lease);
  step();
  EXPECT_EQ(told(), "LEASE_EXPIRED");
  EXPECT_EQ(contracts::node_trouble(session().status)->last_transition_time, since)
      << "it is in trouble since then, whatever the reason is now";
  heartbeat();
  change_node([](Node& node) { node.status.conditions.clear(); });
  step();
  EXPECT_EQ(told(), "");
}

TEST_F(SessionTrouble, IsToldToSomeInATickAndToAllByTheNextOnes) {
  constexpr int kSessions = 75;
  for (int i = 0; i < kSessions; ++i) make(cat("s", i));
  step();
  fail("it fails");
  const auto know = [&] {
    int count = 0;
    for (int i = 0; i < kSessions; ++i) count += told(cat("s", i)).empty() ? 0 : 1;
    return count;
  };
  EXPECT_EQ(step().next, Millis(0)) << "the others at once";
  EXPECT_EQ(know(), 50);
  EXPECT_GT(step().next, Millis(0));
  EXPECT_EQ(know(), kSessions);
}

TEST_F(SessionTrouble, IsToldByTheControllerThatCameAfter) {
  make("s");
  fail("it fails");
  reconciler_.emplace(*store_, leases_, settings_);
  step();
  EXPECT_EQ(told(), "NODE_DISK_FAILS");
  change_node([](Node& node) { node.status.conditions.clear(); });
  reconciler_.emplace(*store_, leases_, settings_);
  step();
  EXPECT_EQ(told(), "");
}

TEST_F(SessionTrouble, IsThatItsNodeWasRemoved) {
  make("s");
  step();
  ASSERT_TRUE(store_->write([](store::WriteTxn& txn) { return txn.erase<Node>({"", "n1"}); }).ok());
  step();
  EXPECT_EQ(told(), "SESSION_LOST");
}

TEST_F(SessionTrouble, EndsWithTheSession) {
  make("s");
  fail("it fails");
  step();
  const Sandbox ended = session();
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) {
                    return sessions::end(txn, ended, "SESSION_LOST", clock_.wall());
                  })
                  .ok());
  step();
  EXPECT_EQ(told(), "");
}

}  // namespace
}  // namespace paddock::reconciler
