#include <gtest/gtest.h>

#include "controller/store/engine_test_support.h"

namespace paddock::store {
namespace {

using contracts::AuditEvent;
using Ids = std::vector<int64_t>;

class StoreAudit : public StoreTest {
 protected:
  void add(const std::string& type, const std::string& name_space, int64_t time_ms,
           const std::string& session = {}) {
    AuditEvent event;
    event.type = type;
    event.subject = "admin";
    event.name_space = name_space;
    event.session_id = session;
    event.time = {WallTime{time_ms}};
    ASSERT_TRUE(store_->write([&](WriteTxn& txn) { return txn.append_audit(event); }).ok());
  }
  Ids ids(const AuditQuery& query) {
    Ids out;
    EXPECT_TRUE(store_
                    ->read([&](ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const auto events, txn.audit_events(query));
                      for (const AuditEvent& event : events) out.push_back(event.id);
                      return {};
                    })
                    .ok());
    return out;
  }
  int64_t prune(int64_t before_ms, int64_t keep, int64_t most) {
    int64_t gone = 0;
    EXPECT_TRUE(store_
                    ->write([&](WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(gone, txn.prune_audit(before_ms, keep, most));
                      return {};
                    })
                    .ok());
    return gone;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinds, StoreAudit, all_engines(), engine_name);

TEST_P(StoreAudit, IsReadInOrderByWhatItTellsOf) {
  add("object.create", "a", 1000);
  add("command.start", "a", 2000, "u1");
  add("command.start", "b", 3000, "u2");
  add("node.cordon", "", 4000);
  EXPECT_EQ(ids({}), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(ids({.name_space = "a"}), (Ids{1, 2}));
  EXPECT_EQ(ids({.name_space = ""}), Ids{4});
  EXPECT_EQ(ids({.type = "command.start"}), (Ids{2, 3}));
  EXPECT_EQ(ids({.session_id = "u2"}), Ids{3});
  EXPECT_EQ(ids({.since_ms = 3000}), (Ids{3, 4}));
  EXPECT_EQ(ids({.subject = "nobody"}), Ids{});
  EXPECT_EQ(ids({.limit = 2}), (Ids{3, 4})) << "the newest";
  EXPECT_EQ(ids({.after = 1, .limit = 2}), (Ids{2, 3})) << "going on";
}

TEST_P(StoreAudit, IsShortenedFromItsOldEndOnly) {
  for (int64_t i = 1; i <= 6; ++i) add("object.create", "a", i * 1000);
  EXPECT_EQ(prune(0, 10, 100), 0);
  EXPECT_EQ(prune(3000, 10, 100), 2);
  EXPECT_EQ(ids({}), (Ids{3, 4, 5, 6}));
  EXPECT_EQ(prune(0, 3, 100), 1);
  EXPECT_EQ(prune(9000, 10, 2), 2) << "a part at a time";
  EXPECT_EQ(ids({}), Ids{6});
  EXPECT_EQ(prune(9000, 0, 2), 0) << "the newest stays";
  add("object.create", "a", 9500);
  EXPECT_EQ(prune(9600, 10, 2), 1);
  EXPECT_EQ(ids({}), Ids{7}) << "no id is given out twice";
}

TEST_P(StoreAudit, HoldsOnlyWhatWasCommitted) {
  AuditEvent event;
  event.type = "object.create";
  const Status undone = store_->write([&](WriteTxn& txn) -> Status {
    TRY(txn.append_audit(event));
    return Error{Code::kInternal, "PRECONDITION_FAILED", "on purpose"};
  });
  EXPECT_FALSE(undone.ok());
  EXPECT_EQ(ids({}), Ids{});
}

}  // namespace
}  // namespace paddock::store
