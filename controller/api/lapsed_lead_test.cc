// What a controller answers that led and is not confirmed any more by its database: whoever asks is
// sent to the next one, and nothing that may have been done is done again there.
#include "controller/api/node_test_support.h"
#include "controller/api/watch_test_support.h"
#include "controller/store/follow.h"

namespace paddock::api {
namespace {

// Passes everything on, until the lease has run out.
class LeasedStore final : public store::Store {
 public:
  explicit LeasedStore(store::Store& store) : store_(store) {}
  Status write(const std::function<Status(store::WriteTxn&)>& change) override {
    if (lapsed || refuses_writes) return store::not_leader();
    return store_.write(change);
  }
  Status read(const std::function<Status(store::ReadTxn&)>& look) override {
    return lapsed ? Status(store::not_leader()) : store_.read(look);
  }
  Status check_writable() override { return lapsed ? Status(store::not_leader()) : Status(); }
  bool lapsed = false;
  bool refuses_writes = false;

 private:
  store::Store& store_;
};

class LapsedLead : public WatchTest {
 protected:
  LapsedLead() { services_on_it_.calls = calls_; }
  static std::string leader_in(const Answer& answer) {
    for (const auto& [name, value] : answer.response.headers)
      if (name == "paddock-leader") return value;
    return {};
  }
  Answer ask(Request request, const std::string& bytes = {}) {
    return send_to(handler_on_it_, std::move(request), bytes);
  }
  Answer ask(const std::string& method, const std::string& target, const std::string& bytes = {}) {
    return ask(request_of(method, target, admin_), bytes);
  }
  Response begin(const std::string& target) {
    Request request = request_of("GET", target, admin_);
    FakeBody body("");
    request.body = &body;
    return handler_on_it_(request);
  }
  void expect_elsewhere(const Answer& answer, const std::string& what) {
    EXPECT_EQ(answer.status, 503) << what;
    EXPECT_EQ(answer.reason(), "NOT_LEADER") << what << answer.text;
    EXPECT_EQ(leader_in(answer), "elsewhere") << what;
  }
  LeasedStore leased_{*store_};
  Services services_on_it_{leased_,  notifier_, history_, leases_,  blobs_,
                           *intake_, clock_,    random_,  metrics_, reconciler_};
  Handler handler_on_it_ = make_handler(router_, services_on_it_);
};

TEST_F(LapsedLead, SendsEverybodyElsewhere) {
  make("a");
  ASSERT_EQ(ask("GET", kRuns).status, 200);
  leased_.lapsed = true;
  expect_elsewhere(ask("GET", kRuns), "a list");
  expect_elsewhere(ask("GET", cat(kRuns, "/a/log")), "a log");
  expect_elsewhere(ask("POST", kRuns, run_text("b")), "a create");
  expect_elsewhere(ask("DELETE", cat(kRuns, "/a")), "a delete");
  expect_elsewhere(ask("GET", "/readyz"), "whether it is ready");
  EXPECT_EQ(ask("GET", "/livez").status, 200);
}

// Who was let in before may have done some of it: a client must not do it once more by itself.
TEST_F(LapsedLead, DoesNotSayThatNothingWasDoneOfWhatItHadBegun) {
  make("a");
  leased_.refuses_writes = true;
  for (const char* key : {"", "key"}) {
    Request request = request_of("POST", kRuns, admin_);
    if (*key != '\0') request.headers["idempotency-key"] = key;
    const Answer begun = ask(std::move(request), run_text("b"));
    EXPECT_EQ(begun.status, 503);
    EXPECT_EQ(begun.reason(), "STORE_AWAY") << begun.text;
    EXPECT_EQ(leader_in(begun), "");
  }
  expect_elsewhere(ask("DELETE", cat(kRuns, "/a")), "what may be done twice");
}

TEST_F(LapsedLead, EndsItsWatchesWithAnErrorToGoOnElsewhereAfter) {
  const Response response = begin(cat(kRuns, "?watch=true"));
  ASSERT_EQ(response.status, 200);
  make("a");
  ActingStream stream([&](ActingStream& seen) {
    if (seen.events.size() == 1) {
      history_.close(store::not_leader());
      notifier_.notify_all();
    }
    return true;
  });
  stream_here(response, stream);
  EXPECT_EQ(stream.types(), "AE");
  EXPECT_EQ(stream.events.back().text("object.error.code"), "NOT_LEADER");
}

TEST_F(LapsedLead, BreaksAFollowedLogOffRatherThanEndIt) {
  make("a");
  for (const char* target : {"/a/log?follow=true", "/a/events"}) {
    leased_.lapsed = false;
    const Response response = begin(cat(kRuns, target));
    ASSERT_EQ(response.status, 200) << target;
    leased_.lapsed = true;
    FakeStream out;
    response.stream(out);
    EXPECT_TRUE(out.broken) << target;
  }
}

}  // namespace
}  // namespace paddock::api
