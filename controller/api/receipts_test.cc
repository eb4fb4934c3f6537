// Receipts over the API: of ended runs alone, to who may read the run; the key is an
// administrator's.
#include <gmock/gmock.h>

#include "common/receipts/envelope.h"
#include "controller/api/api_test_support.h"
#include "controller/receipts/receipt_keys.h"

namespace paddock::api {
namespace {

using testing::HasSubstr;

constexpr const char* kReceipt = "/apis/paddock.dev/v1alpha1/namespaces/default/runs/a/receipt";

class Receipts : public ApiTest {
 protected:
  Receipts() {
    make_workspace();
    EXPECT_EQ(call("POST", kRuns, run_text("a")).status, 201);
  }
  std::vector<std::string> keys(const std::string& token) {
    const auto list = wire::decode<contracts::ReceiptKeyList>(
        send(request_of("GET", "/receipt-keys", token)).body);
    std::vector<std::string> out;
    for (const auto& each : list->items) out.push_back(each.public_key);
    return out;
  }
};

TEST_F(Receipts, AreOfEndedRuns) {
  const Answer early = call("GET", kReceipt);
  EXPECT_EQ(early.status, 422);
  EXPECT_THAT(early.text, HasSubstr("RUN_NOT_ENDED"));
  end_run("a");
  const Answer answer = call("GET", kReceipt);
  ASSERT_EQ(answer.status, 200) << answer.text;
  const auto envelope = *wire::decode<contracts::ReceiptEnvelope>(answer.body);
  const auto opened = receipts::open_receipt(envelope, keys(add_token("u", {"runs:read"})));
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(wire::parse_json(opened->statement)->text("predicate.run.name"), "a");
}

TEST_F(Receipts, AreForWhoMayReadTheRun) {
  end_run("a");
  const std::string elsewhere = add_token("u", {"runs:read"}, "other");
  EXPECT_EQ(send(request_of("GET", kReceipt, elsewhere)).status, 403);
  EXPECT_EQ(send(request_of("GET", kReceipt, add_token("u", {"runs:write"}))).status, 403);
  EXPECT_EQ(send(request_of("GET", kReceipt, "")).status, 401);
  EXPECT_EQ(send(request_of("GET", "/receipt-keys", "")).status, 401);
}

TEST_F(Receipts, AnAdministratorRotatesTheKeyAndItIsRecorded) {
  EXPECT_EQ(
      send(request_of("POST", "/admin/receipt-key/rotate", add_token("u", {"runs:write"})), "{}")
          .status,
      403);
  const std::vector<std::string> before = keys(admin_);
  const Answer rotated = call("POST", "/admin/receipt-key/rotate", "{}");
  ASSERT_EQ(rotated.status, 200) << rotated.text;
  EXPECT_EQ(rotated.text.find("PRIVATE"), std::string::npos);
  const std::vector<std::string> after = keys(admin_);
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(after.back(), before.front());
  EXPECT_THAT(call("GET", "/audit").text, HasSubstr("receiptkey.rotate"));
  EXPECT_EQ(call("POST", "/admin/receipt-key/rotate", R"({"a":1})").status, 400);
  EXPECT_EQ(call("POST", "/admin/receipt-key/rotate?dryRun=All", "{}").status, 400);
  EXPECT_EQ(keys(admin_), after);
}

// The next leader, whose file has not been copied since.
TEST_F(Receipts, TheNextLeaderPublishesTheKeysOfTheOneBeforeIt) {
  end_run("a");
  const auto envelope = *wire::decode<contracts::ReceiptEnvelope>(call("GET", kReceipt).body);
  services_.receipt_keys = std::make_shared<receipts::ReceiptKeys>();
  EXPECT_TRUE(receipts::open_receipt(envelope, keys(admin_)).ok());
  const auto again = *wire::decode<contracts::ReceiptEnvelope>(call("GET", kReceipt).body);
  EXPECT_TRUE(receipts::open_receipt(again, keys(admin_)).ok());
}

}  // namespace
}  // namespace paddock::api
