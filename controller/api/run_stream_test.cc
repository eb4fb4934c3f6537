// When whoever follows a run's events looks at the store.
#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

// The store of a test, which counts how often it is read.
class CountedStore final : public store::Store {
 public:
  explicit CountedStore(store::Store& inner) : inner_(inner) {}
  Status write(const std::function<Status(store::WriteTxn&)>& change) override {
    return inner_.write(change);
  }
  Status write_freeing(const std::function<Status(store::WriteTxn&)>& change,
                       store::Frees what) override {
    return inner_.write_freeing(change, what);
  }
  Status read(const std::function<Status(store::ReadTxn&)>& look) override {
    ++reads;
    return inner_.read(look);
  }
  Status check_writable() override { return inner_.check_writable(); }
  int reads = 0;

 private:
  store::Store& inner_;
};

// Does something at the first heartbeat: nothing has happened for a while then, and the stream goes
// on to wait.
class BeatingStream final : public ResponseStream {
 public:
  explicit BeatingStream(std::function<void()> at_beat) : at_beat_(std::move(at_beat)) {}
  bool write(std::string_view bytes) override {
    text += bytes;
    if (bytes == ": hb\n\n" && at_beat_) std::exchange(at_beat_, {})();
    return true;
  }
  bool open() const override { return !broken; }
  void break_off() override { broken = true; }
  std::string text;
  bool broken = false;

 private:
  std::function<void()> at_beat_;
};

class FollowedRun : public ApiTest {
 protected:
  FollowedRun() {
    make_workspace();
    call("POST", kRuns, run_text("r"));
  }
  // Follows it until it ends, or the server stops.
  BeatingStream follow(const std::function<void()>& at_beat) {
    const Handler handler = make_handler(router_, counted_services_);
    Request request = request_of("GET", cat(kRuns, "/r/events"), admin_);
    const Response response = handler(request);
    BeatingStream out(at_beat);
    response.stream(out);
    return out;
  }
  CountedStore counted_{*store_};
  Services counted_services_{counted_, notifier_, history_, leases_,  blobs_,
                             *intake_, clock_,    random_,  metrics_, reconciler_};
};

TEST_F(FollowedRun, IsReadAgainOnlyOnceThereIsNews) {
  int reads = 0;
  const BeatingStream out = follow([&] {
    reads = counted_.reads;
    notifier_.shutdown();
  });
  EXPECT_NE(out.text.find("event: phase"), std::string::npos);
  EXPECT_EQ(counted_.reads, reads + 1);  // for its tool tokens, at the end of the stream
  EXPECT_TRUE(out.broken);
}

TEST_F(FollowedRun, TellsOfItsEndWhereItIsCanceledMeanwhile) {
  const BeatingStream out = follow([&] { call("POST", cat(kRuns, "/r/cancel")); });
  EXPECT_NE(out.text.find("event: end"), std::string::npos);
  EXPECT_FALSE(out.broken);
}

TEST_F(FollowedRun, EndsItsStreamWhereItIsDeletedMeanwhile) {
  const BeatingStream out = follow([&] {
    call("POST", cat(kRuns, "/r/cancel"));
    EXPECT_EQ(call("DELETE", cat(kRuns, "/r")).status, 200);
  });
  EXPECT_EQ(out.text.find("event: end"), std::string::npos);
  EXPECT_FALSE(out.broken);
}

}  // namespace
}  // namespace paddock::api
