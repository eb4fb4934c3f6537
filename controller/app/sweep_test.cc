// A calendar that leapt, seen from a whole controller.
#include <fcntl.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/cas/blob_store.h"
#include "controller/app/controller.h"
#include "tests/support/temp_dir.h"

namespace paddock::app {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class SweepingByTheCalendar : public testing::Test {
 protected:
  void SetUp() override {
    config_.data_dir = folder_.path();
    config_.nodes.lease.value = minutes(10);  // so that few looks are a life
    open();
    blob_ = std::move(cas::BlobStore::open(folder_ / "blobs")->put("nobody names it")).value();
    const int64_t now = clock_.wall().ms / 1000;
    const timespec used[2] = {{now, 0}, {now, 0}};
    const std::string path = folder_ / cat("blobs/", blob_.substr(0, 2), "/", blob_);
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), used, 0), 0);
  }
  void open() {
    controller_.reset();
    controller_ = std::move(Controller::open(config_, {clock_, random_})).value();
    ASSERT_TRUE(controller_->step().ok());
  }
  int64_t sweep_twice() { return controller_->sweep()->blobs + controller_->sweep()->blobs; }
  void live(Millis time) {
    for (Millis lived(0); lived < time; lived += Millis(minutes(1))) {
      clock_.advance(minutes(1));
      ASSERT_TRUE(controller_->step().ok());
    }
  }

  test::TempDir folder_;
  ManualClock clock_;
  SystemRandom random_;
  Config config_;
  std::unique_ptr<Controller> controller_;
  cas::Digest blob_;
};

TEST_F(SweepingByTheCalendar, RemovesNothingForAnHourBehindALeap) {
  EXPECT_EQ(sweep_twice(), 0) << "it was used lately";
  clock_.skew_wall(hours(24 * 365));
  EXPECT_EQ(sweep_twice(), 0);
  live(minutes(50));
  EXPECT_EQ(sweep_twice(), 0);
  live(minutes(11));
  EXPECT_EQ(sweep_twice(), 1);
}

TEST_F(SweepingByTheCalendar, NorBehindAStartWithACalendarThatIsYearsAhead) {
  contracts::AuditEvent record;
  record.time = wire::Timestamp{clock_.wall()};
  record.type = "token.create";
  const auto write = [&](store::WriteTxn& txn) { return txn.append_audit(record); };
  ASSERT_TRUE(controller_->store().write(write).ok());
  clock_.skew_wall(hours(24 * 365));
  open();
  EXPECT_EQ(sweep_twice(), 0);
  live(minutes(61));
  EXPECT_EQ(sweep_twice(), 1);
}

}  // namespace
}  // namespace paddock::app
