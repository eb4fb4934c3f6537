// The audit log's chain over the API: whole, in pages, and to who may see all of it.
#include <gmock/gmock.h>

#include "common/audit_chain/chain.h"
#include "common/audit_chain/checkpoint.h"
#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

class AuditChain : public ApiTest {
 protected:
  AuditChain() {
    make_workspace();
    for (const char* name : {"a", "b", "c"})
      EXPECT_EQ(call("POST", kRuns, run_text(name)).status, 201);
  }
  contracts::AuditChainPage page(const std::string& query = {}) {
    const Answer answer = call("GET", "/audit/chain" + query);
    EXPECT_EQ(answer.status, 200) << answer.text;
    return *wire::decode<contracts::AuditChainPage>(answer.body);
  }
  audit_chain::Checkpoint checkpoint() {
    const auto keys = *wire::decode<contracts::ReceiptKeyList>(call("GET", "/receipt-keys").body);
    return *audit_chain::open_checkpoint(call("GET", "/audit/checkpoint").body,
                                         {keys.items.front().public_key});
  }
};

TEST_F(AuditChain, HoldsAndEndsInItsCheckpoint) {
  const contracts::AuditChainPage all = page();
  ASSERT_GE(all.items.size(), 4u);
  audit_chain::Verifier verifier(all.anchor);
  verifier.expect(checkpoint().place);
  for (const auto& record : all.items) verifier.take(record);
  verifier.end_at(all.last_given);
  EXPECT_TRUE(verifier.finish().ok());
  EXPECT_EQ(checkpoint().place.id, all.items.back().id);
  EXPECT_EQ(checkpoint().time.ms, clock_.wall().ms);
}

TEST_F(AuditChain, ACheckpointSignsWhatWasForgotten) {
  EXPECT_EQ(checkpoint().forgotten, contracts::ChainPlace());
  const auto second = page().items.at(1);
  ASSERT_TRUE(store_
                  ->write([](store::WriteTxn& txn) -> Status {
                    EXPECT_EQ(txn.prune_audit(INT64_MAX, 100, 2).value(), 2);
                    return {};
                  })
                  .ok());
  EXPECT_EQ(checkpoint().forgotten, (contracts::ChainPlace{second.id, second.hash}));
  EXPECT_EQ(page().anchor, *checkpoint().forgotten);
}

TEST_F(AuditChain, IsReadInPages) {
  const auto first = page("?limit=3");
  ASSERT_EQ(first.items.size(), 3u);
  const size_t count = page().items.size();
  EXPECT_EQ(page("?after=3").items.size(), count - 3);
  EXPECT_EQ(page(cat("?after=", count)).items.size(), 0u);
  for (const char* query : {"?after=-1", "?after=x", "?limit=0", "?limit=5001"})
    EXPECT_EQ(call("GET", cat("/audit/chain", query)).reason(), "PARAMETER_INVALID") << query;
}

// A part proves nothing, and digests of hidden records would tell what is in them.
TEST_F(AuditChain, IsForWhoMaySeeAllOfIt) {
  for (const char* target : {"/audit/chain", "/audit/checkpoint"}) {
    const auto status = [&](const std::string& token) {
      return send(request_of("GET", target, token)).status;
    };
    EXPECT_EQ(status(add_token("u", {"audit:read"})), 200);
    EXPECT_EQ(status(add_token("u", {"audit:read"}, "default")), 403);
    EXPECT_EQ(status(add_token("u", {"runs:read"})), 403);
    EXPECT_EQ(status(""), 401);
  }
}

// Long records make short pages, so that no answer is too large for its reader.
TEST_F(AuditChain, AnAnswerIsBoundedInBytes) {
  const int64_t before = page().last_given;
  ASSERT_TRUE(store_
                  ->write([](store::WriteTxn& txn) -> Status {
                    for (int i = 0; i < 8; ++i) {
                      contracts::AuditEvent event;
                      event.details["text"] = std::string(700'000, '"');
                      TRY(txn.append_audit(event));
                    }
                    return {};
                  })
                  .ok());
  const auto some = page(cat("?after=", before));
  EXPECT_GE(some.items.size(), 1u);
  EXPECT_LT(some.items.size(), 4u);
}

}  // namespace
}  // namespace paddock::api
