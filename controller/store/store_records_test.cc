// What the store keeps beside objects: the events of runs, tokens, settings, idempotency keys.
#include "controller/store/engine_test_support.h"

namespace paddock::store {
namespace {

using contracts::RunEvent;

class StoreRecords : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, StoreRecords, all_engines(), engine_name);

TEST_P(StoreRecords, NumbersTheEventsOfARunFromOneWithoutGaps) {
  contracts::Run run = make_run("a");
  ASSERT_TRUE(create(run).ok());
  const std::string uid = run.metadata.uid;
  const std::string bytes("\0\xff raw", 6);
  const Status appended = store_->write([&](WriteTxn& txn) -> Status {
    for (int64_t i = 1; i <= 3; ++i) {
      RunEvent event{0, 10 * i, "stdout", bytes};
      TRY(txn.append_event(uid, event));
      EXPECT_EQ(event.id, i);
    }
    TRY(txn.put_output_acked(uid, 1, 2));
    return txn.put_output_acked(uid, 1, 3);
  });
  ASSERT_TRUE(appended.ok()) << appended.error().describe();
  ASSERT_TRUE(store_
                  ->read([&](ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(const auto events, txn.run_events(uid, 1, 1));
                    EXPECT_EQ(events.size(), 1u);
                    EXPECT_EQ(events.at(0).id, 2);
                    EXPECT_EQ(events.at(0).data, bytes);
                    EXPECT_EQ(txn.run_events(uid, 0, 0).value().size(), 3u);
                    EXPECT_EQ(txn.last_event_id(uid).value(), 3);
                    EXPECT_EQ(txn.output_acked(uid, 1).value(), 3);
                    EXPECT_EQ(txn.output_acked(uid, 2).value(), 0);
                    return {};
                  })
                  .ok());
}

TEST_P(StoreRecords, ErasesARunWithItsEventsAndRefusesEventsOfNoRun) {
  contracts::Run run = make_run("a");
  ASSERT_TRUE(create(run).ok());
  const std::string uid = run.metadata.uid;
  auto append = [&](WriteTxn& txn) -> Status {
    RunEvent event{0, 1, "stdout", "x"};
    TRY(txn.append_event(uid, event));
    return txn.put_output_acked(uid, 1, 1);
  };
  ASSERT_TRUE(store_->write(append).ok());
  ASSERT_TRUE(
      store_->write([](WriteTxn& txn) {
              return txn.erase<contracts::Run>({"default", "a"});
            })
          .ok());
  ASSERT_TRUE(store_
                  ->read([&](ReadTxn& txn) -> Status {
                    EXPECT_EQ(txn.last_event_id(uid).value(), 0);
                    EXPECT_EQ(txn.output_acked(uid, 1).value(), 0);
                    return {};
                  })
                  .ok());
  EXPECT_EQ(store_->write(append).error().reason, "RUN_NOT_FOUND");
}

// What is known of a token without a look into the store is never older than the last change.
TEST_P(StoreRecords, KnowsATokenAsItWasLastWritten) {
  TokenRecord token{"id1", "hash1", "admin", {"runs:read"}, "default", std::nullopt, false};
  const auto put = [&](WriteTxn& txn) { return txn.put_token(token); };
  EXPECT_FALSE(store_->token_by_hash("hash1").value());
  ASSERT_TRUE(store_->write(put).ok());
  for (int round = 0; round < 2; ++round) {
    const auto found = store_->token_by_hash("hash1").value();
    EXPECT_TRUE(found && found->id == "id1" && !found->revoked && found->scopes == token.scopes);
  }
  token.revoked = true;
  EXPECT_FALSE(store_
                   ->write([&](WriteTxn& txn) -> Status {
                     TRY(put(txn));
                     return invalid_argument("PRECONDITION_FAILED", "it is undone");
                   })
                   .ok());
  EXPECT_FALSE(store_->token_by_hash("hash1").value()->revoked);
  ASSERT_TRUE(store_->write(put).ok());
  EXPECT_TRUE(store_->token_by_hash("hash1").value()->revoked);
  token.hash = "hash2";
  ASSERT_TRUE(store_->write(put).ok());
  EXPECT_FALSE(store_->token_by_hash("hash1").value());
  EXPECT_TRUE(store_->token_by_hash("hash2").value());
  for (const int64_t now_ms : {1'000, 2'000}) {
    ASSERT_TRUE(store_
                    ->write([&](WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN([[maybe_unused]] const auto gone,
                                       txn.prune_tokens(now_ms, 0, 10));
                      return {};
                    })
                    .ok());
  }
  EXPECT_FALSE(store_->token_by_hash("hash2").value()) << "it was forgotten with its end";
}

TEST_P(StoreRecords, KeepsTokensSettingsAndIdempotencyKeys) {
  TokenRecord token{"id1", "hash1", "admin", {"runs:read", "runs:write"}, "default", 99, false};
  ASSERT_TRUE(store_
                  ->write([&](WriteTxn& txn) -> Status {
                    TRY(txn.put_token(token));
                    TRY(txn.put_token({"id2", "hash2", "x", {}, "", std::nullopt, false}));
                    TRY(txn.put_setting("k", "v1"));
                    TRY(txn.put_setting("k", "v2"));
                    return txn.put_idempotent_create("runs/default", "key", 0, {"a", "digest"});
                  })
                  .ok());
  token.revoked = true;
  ASSERT_TRUE(store_->write([&](WriteTxn& txn) { return txn.put_token(token); }).ok());
  ASSERT_TRUE(store_
                  ->read([&](ReadTxn& txn) -> Status {
                    const auto found = txn.token_by_hash("hash1").value();
                    EXPECT_TRUE(found && found->revoked && found->scopes == token.scopes &&
                                found->expires_ms == 99 && found->name_space == "default");
                    EXPECT_FALSE(txn.token_by_hash("none").value());
                    EXPECT_EQ(txn.tokens().value().size(), 2u);
                    EXPECT_TRUE(txn.tokens().value().at(1).scopes.empty());
                    EXPECT_EQ(txn.setting("k").value(), "v2");
                    EXPECT_FALSE(txn.setting("none").value());
                    EXPECT_EQ(txn.idempotent_creates("runs/default", "key").value().at(0).name,
                              "a");
                    EXPECT_TRUE(txn.idempotent_creates("runs/other", "key").value().empty());
                    return {};
                  })
                  .ok());
}

TEST_P(StoreRecords, TokensThatEndedLongAgoGoWithWhatIsKeptOfTheirUse) {
  const auto ids = [&] {
    std::string all;
    EXPECT_TRUE(store_
                    ->read([&](ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(const auto tokens, txn.tokens());
                      for (const TokenRecord& each : tokens) all += each.id;
                      return {};
                    })
                    .ok());
    return all;
  };
  const auto prune = [&](int64_t now_ms, int64_t most) {
    int64_t gone = 0;
    EXPECT_TRUE(store_
                    ->write([&](WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(gone, txn.prune_tokens(now_ms, 1000, most));
                      return {};
                    })
                    .ok());
    return gone;
  };
  ASSERT_TRUE(store_
                  ->write([&](WriteTxn& txn) -> Status {
                    TRY(txn.put_token({"a", "1", "x", {}, "", 100, false}));
                    TRY(txn.put_idempotent_create("id1 /admin/tokens", "key", 0, {"a", "d"}));
                    TRY(txn.put_idempotent_create("id1 /runs", "key", 0, {"a", "d"}));
                    TRY(txn.put_token({"b", "2", "x", {}, "", 200, true}));
                    TRY(txn.put_token({"c", "3", "x", {}, "", 9000, false}));
                    TRY(txn.put_token({"d", "4", "x", {}, "", 9000, true}));
                    TRY(txn.put_token({"e", "5", "x", {}, "", std::nullopt, true}));
                    TRY(txn.put_token({"f", "6", "x", {}, "", std::nullopt, false}));
                    TRY(txn.put_setting("enroll-token/a", "who"));
                    return txn.put_setting("enroll-token/c", "who");
                  })
                  .ok());
  EXPECT_EQ(prune(1100, 9), 0) << "not yet";
  EXPECT_EQ(ids(), "abcdef");
  EXPECT_EQ(prune(1300, 1), 1) << "at most so many";
  EXPECT_EQ(ids(), "bcdef") << "the one that ended first";
  EXPECT_EQ(prune(1300, 9), 1);
  EXPECT_EQ(prune(2100, 9), 0) << "revoked ones count from when that was seen";
  EXPECT_EQ(prune(2101, 9), 2);
  EXPECT_EQ(ids(), "cf");
  EXPECT_TRUE(store_
                  ->read([](ReadTxn& txn) -> Status {
                    EXPECT_FALSE(txn.setting("enroll-token/a").value());
                    EXPECT_TRUE(txn.setting("enroll-token/c").value());
                    EXPECT_TRUE(txn.idempotent_creates("id1 /admin/tokens", "key").value().empty());
                    EXPECT_FALSE(txn.idempotent_creates("id1 /runs", "key").value().empty());
                    return {};
                  })
                  .ok());
}

}  // namespace
}  // namespace paddock::store
