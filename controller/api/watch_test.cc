#include "controller/api/watch_test_support.h"
#include "controller/events/waiter.h"
#include "controller/store/run_writes.h"

namespace paddock::api {
namespace {

class Watches : public WatchTest {
 protected:
  static bool after(const ActingStream& stream, size_t events) {
    return stream.events.size() >= events;
  }
  ActingStream watch(const std::string& query, ActingStream::Act act,
                     const std::string& accept = {}) {
    return watch_target(cat(kRuns, "?watch=true", query), std::move(act), accept);
  }
  std::string list_version() { return call("GET", kRuns).body.text("metadata.resourceVersion"); }
  Answer patch(const std::string& name, const std::string& body) {
    Request request = request_of("PATCH", cat(kRuns, "/", name), admin_);
    request.headers["content-type"] = "application/merge-patch+json";
    return send(request, body);
  }
  void label(const std::string& name, const std::string& value) {
    const Answer answer = patch(name, cat(R"({"metadata":{"labels":{"app":)", value, "}}}"));
    ASSERT_EQ(answer.status, 200) << answer.text;
  }
};

TEST_F(Watches, TellEveryChangeAfterAVersionOnce) {
  make("before");
  const std::string version = list_version();
  bool acted = false;
  const ActingStream stream = watch(cat("&resourceVersion=", version), [&](ActingStream& s) {
    if (!acted) {
      acted = true;
      make("a");
      label("a", "\"x\"");
      call("POST", cat(kRuns, "/a/cancel"));
      call("DELETE", cat(kRuns, "/a"));
    }
    return !after(s, 4);
  });
  EXPECT_EQ(stream.types(), "AMMD") << stream.text;
  int64_t last = parse_integer<int64_t>(version).value();
  for (const wire::Value& event : stream.events) {
    EXPECT_EQ(event.text("object.metadata.name"), "a");
    EXPECT_EQ(event.text("object.kind"), "Run");
    const auto seen = parse_integer<int64_t>(event.text("object.metadata.resourceVersion"));
    EXPECT_GT(*seen, last);
    last = *seen;
  }
  EXPECT_EQ(stream.events[3].text("object.status.phase"), "Canceled");  // its last state
}

TEST_F(Watches, FirstTellWhatIsThereWhenNoVersionIsGiven) {
  make("a");
  make("b");
  for (const char* none : {"", "&resourceVersion=0", "&resourceVersion="}) {
    const ActingStream stream = watch(none, [](ActingStream& s) { return !after(s, 2); });
    EXPECT_EQ(stream.types(), "AA");
  }
}

TEST_F(Watches, AskSelectorsAboutTheOldAndTheNewState) {
  const std::string version = list_version();
  bool acted = false;
  const ActingStream stream =
      watch(cat("&labelSelector=app=x&resourceVersion=", version), [&](ActingStream& s) {
        if (!acted) {
          acted = true;
          make("a");            // not selected
          label("a", "\"x\"");  // enters
          patch("a", R"({"metadata":{"annotations":{"n":"1"}}})");
          label("a", "null");   // leaves
          label("a", "\"x\"");  // enters again
        }
        return !after(s, 4);
      });
  EXPECT_EQ(stream.types(), "AMDA") << stream.text;
}

// However little of it a client is told, a step reads no more objects than others can wait for.
TEST_F(Watches, ReadAFewObjectsInOneStep) {
  const std::string version = list_version();
  for (int i = 0; i < 40; ++i) make(cat("r", i));
  const Answer answer =
      call("GET", cat(kRuns, "?watch=true&labelSelector=app=none&resourceVersion=", version));
  ASSERT_TRUE(answer.response.steps);
  const auto waker = std::make_shared<events::WakeupEvent>();
  ActingStream stream([](ActingStream&) { return true; });
  EXPECT_EQ(answer.response.steps->step(stream, waker).then, Steps::Then::kAgain);
  EXPECT_EQ(answer.response.steps->step(stream, waker).then, Steps::Then::kWait);
  EXPECT_EQ(stream.text, "");
}

// A client that reads nothing costs no more than it could have taken.
TEST_F(Watches, TellWhatIsThereAFewObjectsInOneStep) {
  for (int i = 10; i < 70; ++i) make(cat("r", i));
  const Answer answer = call("GET", cat(kRuns, "?watch=true"));
  ASSERT_TRUE(answer.response.steps);
  EXPECT_FALSE(answer.response.stream);
  const auto waker = std::make_shared<events::WakeupEvent>();
  ActingStream stream([](ActingStream&) { return true; });
  std::vector<size_t> told;
  for (Steps::Then then = Steps::Then::kAgain; then != Steps::Then::kWait;) {
    const size_t before = stream.events.size();
    then = advance(*answer.response.steps, then, stream, waker);
    told.push_back(stream.events.size() - before);
  }
  EXPECT_EQ(stream.types(), std::string(60, 'A'));
  EXPECT_GT(told.size(), 2U);
  EXPECT_LE(std::ranges::max(told), 32U);
}

// Passes everything on, and counts who reads.
class CountingStore final : public store::Store {
 public:
  explicit CountingStore(store::Store& store) : store_(store) {}
  Status write(const std::function<Status(store::WriteTxn&)>& change) override {
    return store_.write(change);
  }
  Status read(const std::function<Status(store::ReadTxn&)>& look) override {
    ++reads;
    return store_.read(look);
  }
  Status check_writable() override { return store_.check_writable(); }
  int reads = 0;

 private:
  store::Store& store_;
};

// A store that does not answer holds up whoever asks it, and so no step does.
TEST_F(Watches, AskTheStoreInNoStep) {
  CountingStore counting(*store_);
  Services services{counting, notifier_, history_, leases_,  blobs_,
                    *intake_, clock_,    random_,  metrics_, reconciler_};
  services.calls = calls_;
  for (int i = 10; i < 30; ++i) make(cat("r", i));
  Request request = request_of("GET", cat(kRuns, "?watch=true"), admin_);
  FakeBody body("");
  request.body = &body;
  const Response response = make_handler(router_, services)(request);
  ASSERT_TRUE(response.steps);
  const auto waker = std::make_shared<events::WakeupEvent>();
  ActingStream stream([](ActingStream&) { return true; });
  int asked = 0;
  const auto until_it_waits = [&] {
    for (Steps::Then then = Steps::Then::kAgain; then != Steps::Then::kWait;) {
      ASSERT_NE(then, Steps::Then::kEnd);
      const int before = counting.reads;
      const bool asks = then == Steps::Then::kAsk;
      then = advance(*response.steps, then, stream, waker);
      if (asks) ++asked;
      EXPECT_EQ(counting.reads > before, asks);
    }
  };
  until_it_waits();
  EXPECT_EQ(stream.events.size(), 20U);
  const int for_pages = asked;
  EXPECT_GT(for_pages, 0);
  make("later");
  until_it_waits();
  EXPECT_EQ(stream.events.size(), 21U);
  EXPECT_EQ(asked, for_pages) << "what changes is told from memory";
  clock_.advance(Millis(61'000));
  until_it_waits();
  EXPECT_EQ(asked, for_pages + 1) << "whether its token holds";
}

// What a page of them is newer than the first one is not told again, and nothing else is missed.
TEST_F(Watches, TellWhatChangesWhileTheyTellWhatIsThereOnceAndInOrder) {
  for (int i = 10; i < 40; ++i) make(cat("r", i));
  const Answer answer =
      call("GET", cat(kRuns, "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
                      "&allowWatchBookmarks=true"));
  const auto waker = std::make_shared<events::WakeupEvent>();
  ActingStream stream([](ActingStream&) { return true; });
  ASSERT_EQ(answer.response.steps->step(stream, waker).then, Steps::Then::kAsk);
  Steps::Then then = answer.response.steps->ask(stream).then;
  const size_t first = stream.events.size();
  ASSERT_LT(first, 30U);
  make("r10a");           // among those that were told
  label("r10", "\"x\"");  // of those
  label("r39", "\"x\"");  // of those that are still to come
  make("z");              // behind all of them
  call("DELETE", cat(kRuns, "/r38"));
  while (then != Steps::Then::kWait) then = advance(*answer.response.steps, then, stream, waker);
  std::map<std::string, std::string> types;
  int64_t highest_told = 0;
  for (const wire::Value& each : stream.events)
    types[each.text("object.metadata.name")] += each.text("type").substr(0, 1);
  EXPECT_EQ(types["r10"], "AM");
  EXPECT_EQ(types["r10a"], "A");
  EXPECT_EQ(types["r39"], "A") << "with its label";
  EXPECT_EQ(types["z"], "A");
  EXPECT_EQ(types.contains("r38") ? types["r38"] : "", "") << "a run that waits is gone at once";
  ASSERT_EQ(types[""], "B");
  for (const wire::Value& each : stream.events) {
    const int64_t version =
        parse_integer<int64_t>(each.text("object.metadata.resourceVersion")).value_or(0);
    if (each.text("type") == "BOOKMARK") {
      EXPECT_GE(version, highest_told);
    }
    highest_told = std::max(highest_told, version);
  }
  EXPECT_EQ(stream.events.back().text("type"), "BOOKMARK");
}

TEST_F(Watches, SelectByNameWithoutReadingObjects) {
  const std::string version = list_version();
  bool acted = false;
  const ActingStream stream =
      watch(cat("&fieldSelector=metadata.name=b&resourceVersion=", version), [&](ActingStream& s) {
        if (!acted) {
          acted = true;
          make("a");
          make("b");
        }
        return !after(s, 1);
      });
  EXPECT_EQ(stream.events.at(0).text("object.metadata.name"), "b");
}

// As a list does: `kubectl wait --for=condition=Ready` reads on from one into the other.
TEST_F(Watches, TellWhatIsNotStoredOfAnObjectToo) {
  contracts::Node node;
  node.metadata.name = "n1";
  node.metadata.uid = "uid-n1";
  const auto write = [&](bool ready) {
    node.status.ready = ready;
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) {
                      return ready ? txn.update(node) : txn.create(node);
                    })
                    .ok());
  };
  write(false);
  const std::string from = call("GET", kNodes).body.text("metadata.resourceVersion");
  write(true);
  const ActingStream stream = watch_target(cat(kNodes, "?watch=1&resourceVersion=", from),
                                           [](ActingStream& seen) { return seen.events.empty(); });
  ASSERT_EQ(stream.types(), "M");
  const wire::Value* told = stream.events[0].at("object.status.conditions");
  ASSERT_NE(told, nullptr) << stream.text;
  EXPECT_EQ(*told, *call("GET", cat(kNodes, "/n1")).body.at("status.conditions"));
}

TEST_F(Watches, AreTablesWhenAskedWithColumnsOnce) {
  make("a");
  make("b");
  const ActingStream stream = watch(
      "", [](ActingStream& s) { return !after(s, 2); },
      "application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
  ASSERT_EQ(stream.types(), "AA");
  EXPECT_EQ(stream.events[0].text("object.kind"), "Table");
  EXPECT_FALSE(stream.events[0].at("object.columnDefinitions")->array()->empty());
  EXPECT_TRUE(stream.events[1].at("object.columnDefinitions")->array()->empty());
  EXPECT_EQ(stream.events[1].at("object.rows")->array()->at(0).text("object.metadata.name"), "b");
}

TEST_F(Watches, AreRefusedWhereNoHistoryLeads) {
  history_.begin(1000);  // a new process: what was before is not kept
  const Answer old = call("GET", cat(kNodes, "?watch=true&resourceVersion=1"));
  EXPECT_EQ(old.status, 410);
  EXPECT_EQ(old.body.text("reason"), "Expired");
  const Answer ahead = call("GET", cat(kRuns, "?watch=true&resourceVersion=999999"));
  EXPECT_EQ(ahead.status, 410);
  EXPECT_EQ(ahead.reason(), "RESOURCE_VERSION_AHEAD");
  for (const char* nonsense : {"-1", "x", "1e3", "99999999999999999999", "%00"})
    EXPECT_EQ(call("GET", cat(kRuns, "?watch=true&resourceVersion=", nonsense)).status, 400)
        << nonsense;
  EXPECT_EQ(call("GET", cat(kRuns, "?watch=true&timeoutSeconds=-1")).reason(), "PARAMETER_INVALID");
  EXPECT_EQ(call("GET", cat(kRuns, "?watch=true&sendInitialEvents=true")).status, 422);
}

TEST_F(Watches, ThatFallBehindAreToldAndEnd) {
  const std::string version = list_version();
  bool acted = false;
  const ActingStream stream = watch(cat("&resourceVersion=", version), [&](ActingStream&) {
    if (!acted) {
      acted = true;
      std::vector<store::ObjectWrite> flood;  // more than is kept
      for (int64_t i = 0; i < 50'010; ++i)
        flood.push_back(
            {100'000 + i, "Run", {"default", "x"}, store::ObjectWrite::Op::kCreate, {}, "{}"});
      history_.publish(std::move(flood));
    }
    return true;
  });
  ASSERT_EQ(stream.types(), "E");
  EXPECT_EQ(stream.events[0].text("object.reason"), "Expired");
  EXPECT_EQ(*stream.events[0].at("object.code")->integer(), 410);
}

TEST_F(Watches, MarkTheEndOfWhatWasThere) {
  make("a");
  const ActingStream stream =
      watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
            [](ActingStream& s) { return !after(s, 2); });
  ASSERT_EQ(stream.types(), "AB");
  EXPECT_EQ(stream.events[1].at("object.metadata.annotations")->text("k8s.io/initial-events-end"),
            "");  // the key has dots
  EXPECT_NE(stream.text.find(R"("k8s.io/initial-events-end":"true")"), std::string::npos);
  EXPECT_EQ(stream.events[1].text("object.metadata.resourceVersion"), list_version());
}

TEST_F(Watches, BookmarkFourTimesAMinuteWhenAskedAndEndWithTheirTimeout) {
  const std::string version = list_version();
  const auto quarter = [&](ActingStream&) {
    clock_.advance(Millis(16'000));
    notifier_.notify({store::kind_topic("Run")});
    return true;
  };
  EXPECT_EQ(
      watch(cat("&timeoutSeconds=70&allowWatchBookmarks=true&resourceVersion=", version), quarter)
          .types()
          .substr(0, 2),
      "BB");
  EXPECT_EQ(watch(cat("&timeoutSeconds=40&resourceVersion=", version), quarter).types(), "");
}

TEST_F(Watches, EndWithTheTokenThatOpenedThem) {
  const auto secret = add_token("reader", {"runs:read"});
  Request request =
      request_of("GET", cat(kRuns, "?watch=true&resourceVersion=", list_version()), secret);
  const Answer answer = send(request);
  int looks = 0;
  ActingStream stream([&](ActingStream&) {
    if (++looks == 1) {
      revoke(secret);
      clock_.advance(Millis(61'000));
    }
    return looks < 5;
  });
  stream_here(answer.response, stream);
  EXPECT_LT(looks, 5);  // the server ended it
}

TEST_F(Watches, SeeOnlyTheirNamespace) {
  const std::string inside = add_token("a", {"*"}, "default");
  EXPECT_EQ(send(request_of("GET", "/apis/paddock.dev/v1alpha1/runs?watch=true", inside)).status,
            403);
  const std::string version = list_version();
  bool acted = false;
  const ActingStream stream = watch(cat("&resourceVersion=", version), [&](ActingStream& s) {
    if (!acted) {
      acted = true;
      contracts::Run other;
      other.metadata.name = "other";
      other.metadata.name_space = "elsewhere";
      other.metadata.uid = "u-1";
      EXPECT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(other); }).ok());
      make("mine");
    }
    return !after(s, 1);
  });
  EXPECT_EQ(stream.events.at(0).text("object.metadata.name"), "mine");
}

TEST_F(Watches, ShowRunsAsPodsToo) {
  make("a");
  const Answer answer = call("GET", "/api/v1/namespaces/default/pods?watch=true");
  ActingStream stream([](ActingStream& s) { return !after(s, 1); });
  stream_here(answer.response, stream);
  EXPECT_EQ(stream.events.at(0).text("object.kind"), "Pod");
  EXPECT_EQ(stream.events.at(0).text("object.status.phase"), "Pending");
}

TEST_F(Watches, GoOnFromAPageOfAListWithoutALoss) {
  for (const char* name : {"a", "b", "c"}) make(name);
  const Answer first = call("GET", cat(kRuns, "?limit=2"));
  const std::string version = first.body.text("metadata.resourceVersion");
  make("later");
  const Answer second =
      call("GET", cat(kRuns, "?limit=2&continue=", first.body.text("metadata.continue")));
  EXPECT_EQ(second.body.text("metadata.resourceVersion"), version);
  const ActingStream stream =
      watch(cat("&resourceVersion=", version), [](ActingStream& s) { return !after(s, 1); });
  EXPECT_EQ(stream.events.at(0).text("object.metadata.name"), "later");
  const std::string forged = base64("v2:999999:default/a");
  EXPECT_EQ(call("GET", cat(kRuns, "?continue=", forged)).status, 410);
}

}  // namespace
}  // namespace paddock::api
