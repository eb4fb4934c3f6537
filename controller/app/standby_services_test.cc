// What a standby hands over to the leader that it becomes.
#include <vector>

#include <gtest/gtest.h>

#include "controller/api/server/authenticate.h"
#include "controller/app/controller.h"
#include "controller/standby/services.h"
#include "tests/support/temp_dir.h"

namespace paddock::app {
namespace {

class HandedOver : public testing::Test {
 protected:
  static constexpr int64_t kConnections = 8;

  HandedOver() {
    config_.data_dir = folder_.path();
    config_.max_connections = kConnections;
    const auto catch_up = [this] {
      standby_services_->history.begin(0);
      return Status();
    };
    leader_ = std::move(Controller::open(config_, {clock_, random_},
                                         Takeover{standby_services_, catch_up}))
                  .value();
    const auth::MintedToken token = auth::mint_token(random_, "pdk");
    secret_ = token.secret;
    const auto put = [&](store::WriteTxn& txn) {
      return txn.put_token(api::token_record(token, "reader", {"runs:read"}));
    };
    EXPECT_TRUE(leader_->store().write(put).ok());
  }
  // The status of a watch that the leader is asked for.
  int watch() {
    http_server::Request request;
    request.method = "GET";
    request.path = "/apis/paddock.dev/v1alpha1/runs";
    request.segments = {"apis", "paddock.dev", "v1alpha1", "runs"};
    request.query = {{"watch", "true"}};
    request.headers["authorization"] = "Bearer " + secret_;
    return leader_->handle(request).status;
  }

  const test::TempDir folder_;
  ManualClock clock_;
  SystemRandom random_;
  Config config_;
  const std::shared_ptr<standby::Services> standby_services_ =
      std::make_shared<standby::Services>(kConnections);
  std::unique_ptr<Controller> leader_;
  std::string secret_;
};

// They live on: forgotten, they would take the places that are kept for agents.
TEST_F(HandedOver, ConnectionsThatTheStandbyHasCountForTheLeader) {
  std::vector<std::shared_ptr<api::OpenRequests::Permit>> watches;
  for (const char* subject : {"a", "a", "b", "b"}) {
    auto place =
        standby_services_->open_requests->enter({subject, {"runs:read"}, subject, subject});
    ASSERT_TRUE(place.ok() && (*place)->make_endless().ok());
    watches.push_back(*place);
  }
  EXPECT_EQ(watch(), 429);
  watches.pop_back();
  EXPECT_EQ(watch(), 200);
}

}  // namespace
}  // namespace paddock::app
