// What the health routes say when the store's disk refuses.
#include <gmock/gmock.h>

#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

// Passes everything on; its disk is what the test says.
class StoreOnABadDisk final : public store::Store {
 public:
  explicit StoreOnABadDisk(store::Store& good) : good_(good) {}
  Status write(const std::function<Status(store::WriteTxn&)>& change) override {
    if (!writes.ok()) return writes;
    return good_.write(change);
  }
  Status read(const std::function<Status(store::ReadTxn&)>& look) override {
    return good_.read(look);
  }
  Status check_writable() override { return disk; }
  Status disk;
  Status writes;

 private:
  store::Store& good_;
};

class HealthTest : public ApiTest {
 protected:
  StoreOnABadDisk bad_{*store_};
  Services services_on_it_{bad_,     notifier_, history_, leases_,  blobs_,
                           *intake_, clock_,    random_,  metrics_, reconciler_};
};

TEST_F(HealthTest, ReadyzSaysThatNothingCanBeWrittenAndLivezDoesNot) {
  const Handler handler = make_handler(router_, services_on_it_);
  const auto status = [&](const std::string& path) {
    Request request = request_of("GET", path, "");
    FakeBody body("");
    request.body = &body;
    return handler(request).status;
  };
  EXPECT_EQ(status("/readyz"), 200);
  bad_.disk = Error{Code::kUnavailable, "STORE_FULL", "full"};
  for (const char* path : {"/readyz", "/healthz", "/health"}) EXPECT_EQ(status(path), 503) << path;
  EXPECT_EQ(status("/livez"), 200) << "a restart would not help";
  bad_.disk = {};
  EXPECT_EQ(status("/readyz"), 200);
}

TEST_F(HealthTest, StatusSaysToWhoHasATokenWhyNothingCanBeWritten) {
  const Handler handler = make_handler(router_, services_on_it_);
  const auto ask = [&](const std::string& path) {
    Request request = request_of("GET", path, admin_);
    FakeBody body("");
    request.body = &body;
    return wire::parse_json(handler(request).body).value();
  };
  EXPECT_EQ(ask("/status").find("reason"), nullptr);
  bad_.disk = Error{Code::kUnavailable, "STORE_FULL", "the disk is full"};
  const wire::Value status = ask("/status");
  EXPECT_EQ(status.find("ok")->boolean() != nullptr && !*status.find("ok")->boolean(), true);
  EXPECT_EQ(status.text("reason"), "STORE_FULL");
  EXPECT_EQ(status.text("message"), "the disk is full");
  EXPECT_EQ(ask("/readyz").find("reason"), nullptr) << "who has no token is told nothing more";
}

// It is ready all the same: requests are the way to mend it, and nodes that call keep their runs.
TEST_F(HealthTest, StatusSaysThatRoundsOfSchedulingFailOneAfterTheOther) {
  reconciler::Reconciler reconciler(bad_, leases_);
  Services services{bad_,     notifier_, history_, leases_,  blobs_,
                    *intake_, clock_,    random_,  metrics_, reconciler};
  const Handler handler = make_handler(router_, services);
  const auto why = [&] {
    Request request = request_of("GET", "/status", admin_);
    FakeBody body("");
    request.body = &body;
    return wire::parse_json(handler(request).body).value().text("scheduling.reason");
  };
  bad_.writes = Error{Code::kInternal, "STORE_DATA_INVALID", "a stored Node cannot be read"};
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(reconciler.tick(nodes::now(clock_)).ok());
  EXPECT_EQ(why(), "") << "a few may be the moment's";
  EXPECT_FALSE(reconciler.tick(nodes::now(clock_)).ok());
  EXPECT_EQ(why(), "STORE_DATA_INVALID");
  Request request = request_of("GET", "/readyz", "");
  FakeBody body("");
  request.body = &body;
  EXPECT_EQ(handler(request).status, 200);
  bad_.writes = {};
  EXPECT_TRUE(reconciler.tick(nodes::now(clock_)).ok());
  EXPECT_EQ(why(), "");
}

// It is ready all the same: runs that need no upload go on.
TEST_F(HealthTest, StatusSaysThatTheDiskTakesNoMoreFiles) {
  const auto full =
      workspaces::BlobIntake::open(blobs_, folder_ / "blobs", {.min_free = int64_t{1} << 60})
          .value();
  Services services{*store_, notifier_, history_, leases_,  blobs_,
                    *full,   clock_,    random_,  metrics_, reconciler_};
  Request request = request_of("GET", "/status", admin_);
  FakeBody body("");
  request.body = &body;
  const auto status = wire::parse_json(make_handler(router_, services)(request).body).value();
  EXPECT_TRUE(*status.find("ok")->boolean());
  EXPECT_EQ(status.text("files.reason"), "DISK_FULL");
  EXPECT_THAT(status.text("files.message"), testing::HasSubstr("blobs.minFree"));
  EXPECT_EQ(call("GET", "/status").body.find("files"), nullptr) << "where there is room";
}

TEST_F(HealthTest, StatusSaysThatFilesAreNotCountedYet) {
  const auto later = workspaces::BlobIntake::open(blobs_, folder_ / "blobs", {}, 0).value();
  Services services{*store_, notifier_, history_, leases_,  blobs_,
                    *later,  clock_,    random_,  metrics_, reconciler_};
  const auto counted = [&] {
    Request request = request_of("GET", "/status", admin_);
    FakeBody body("");
    request.body = &body;
    return wire::parse_json(make_handler(router_, services)(request).body)
               .value()
               .find("filesCounted") == nullptr;
  };
  EXPECT_FALSE(counted());
  EXPECT_TRUE(later->count().ok());
  EXPECT_TRUE(counted());
}

}  // namespace
}  // namespace paddock::api
