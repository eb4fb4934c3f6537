// Events, listed and watched: each is told once, never changes, and goes with its run.
#include <set>

#include "controller/api/watch_test_support.h"
#include "controller/events/waiter.h"

namespace paddock::api {
namespace {

constexpr const char* kEvents = "/api/v1/namespaces/default/events";

class EventWatches : public WatchTest {
 protected:
  // With its Pending and Canceled, and gone again with both.
  void live_and_die(const std::string& name) {
    make(name);
    ASSERT_EQ(call("POST", cat(kRuns, "/", name, "/cancel")).status, 200);
    ASSERT_EQ(call("DELETE", cat(kRuns, "/", name)).status, 200);
  }
  std::string list_version() { return call("GET", kEvents).body.text("metadata.resourceVersion"); }
};

TEST_F(EventWatches, TellEachEventOnceAndItsEnd) {
  make("before");
  const std::string version = list_version();
  bool acted = false;
  const ActingStream stream =
      watch_target(cat(kEvents, "?watch=true&resourceVersion=", version), [&](ActingStream& s) {
        if (!std::exchange(acted, true)) live_and_die("a");
        return s.events.size() < 4;
      });
  ASSERT_EQ(stream.types(), "AADD") << stream.text;
  int64_t last = parse_integer<int64_t>(version).value();
  for (const wire::Value& event : stream.events) {
    EXPECT_EQ(event.text("object.kind"), "Event");
    EXPECT_EQ(event.text("object.involvedObject.name"), "a");
    const auto seen = parse_integer<int64_t>(event.text("object.metadata.resourceVersion"));
    EXPECT_GT(*seen, last);
    last = *seen;
  }
  EXPECT_EQ(stream.events[0].text("object.reason"), "Pending");
  EXPECT_EQ(stream.events[3].text("object.metadata.name"),
            stream.events[1].text("object.metadata.name"));
}

TEST_F(EventWatches, GoOnFromAListAndFromAnyEvent) {
  const std::string version = list_version();
  make("a");
  call("POST", cat(kRuns, "/a/cancel"));
  const auto from = [&](const std::string& at, size_t events) {
    return watch_target(cat(kEvents, "?watch=true&resourceVersion=", at),
                        [&](ActingStream& s) { return s.events.size() < events; });
  };
  const ActingStream both = from(version, 2);
  const ActingStream second = from(both.events[0].text("object.metadata.resourceVersion"), 1);
  EXPECT_EQ(second.events[0].text("object.reason"), both.events[1].text("object.reason"));
  // A list says the same of it as a watch.
  const Answer listed = call("GET", kEvents);
  EXPECT_EQ(wire::to_json(listed.body.find("items")->array()->at(1)),
            wire::to_json(*both.events[1].find("object")));
}

TEST_F(EventWatches, FirstTellWhatIsThereAndMarkItsEnd) {
  make("a");
  make("b");
  const ActingStream stream = watch_target(
      cat(kEvents, "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
          "&allowWatchBookmarks=true"),
      [](ActingStream& s) { return s.events.size() < 3; });
  ASSERT_EQ(stream.types(), "AAB");
  EXPECT_EQ(stream.events[2].text("object.kind"), "Event");
  EXPECT_EQ(stream.events[2].text("object.metadata.resourceVersion"), list_version());
}

TEST_F(EventWatches, OfMetadataAloneMarkTheirEndAsSuch) {
  make("a");
  const ActingStream stream = watch_target(
      cat(kEvents, "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
          "&allowWatchBookmarks=true"),
      [&](ActingStream& s) {
        if (s.events.size() == 2) clock_.advance(Millis(15'000));
        return s.events.size() < 3;
      },
      "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
  ASSERT_EQ(stream.types(), "ABB") << stream.text;
  for (const wire::Value& each : stream.events) {
    EXPECT_EQ(each.text("object.kind"), "PartialObjectMetadata");
    EXPECT_EQ(each.text("object.apiVersion"), "meta.k8s.io/v1");
  }
}

TEST_F(EventWatches, TellWhatHappensWhileTheyTellWhatIsThereOnce) {
  for (int i = 10; i < 30; ++i) make(cat("r", i));
  const Answer answer =
      call("GET", cat(kEvents, "?watch=true&sendInitialEvents=true&resourceVersionMatch=",
                      "NotOlderThan&allowWatchBookmarks=true"));
  const auto waker = std::make_shared<events::WakeupEvent>();
  ActingStream stream([](ActingStream&) { return true; });
  ASSERT_EQ(answer.response.steps->step(stream, waker).then, Steps::Then::kAsk);
  Steps::Then then = answer.response.steps->ask(stream).then;
  ASSERT_LT(stream.events.size(), 20U);
  call("POST", cat(kRuns, "/r10/cancel"));  // of one that was told
  call("POST", cat(kRuns, "/r29/cancel"));  // of one that is still to come
  while (then != Steps::Then::kWait) then = advance(*answer.response.steps, then, stream, waker);
  std::set<std::string> names;
  for (const wire::Value& each : stream.events) {
    if (each.text("type") != "BOOKMARK")
      EXPECT_TRUE(names.insert(each.text("object.metadata.name")).second) << stream.text;
  }
  EXPECT_EQ(names.size(), call("GET", kEvents).body.find("items")->array()->size());
  EXPECT_EQ(stream.events.back().text("type"), "BOOKMARK");
}

TEST_F(EventWatches, AreChosenByTheirRunTheirNameAndTheirNamespace) {
  const std::string version = list_version();
  make("a");
  make("b");
  const Answer all = call("GET", kEvents);
  const std::string name = all.body.find("items")->array()->at(1).text("metadata.name");
  for (const std::string& selector :
       {std::string("involvedObject.name=b"), cat("metadata.name=", name)}) {
    const Answer listed = call("GET", cat(kEvents, "?fieldSelector=", selector));
    ASSERT_EQ(listed.body.find("items")->array()->size(), 1u) << selector;
    for (const char* begin : {"", "0"}) {
      const ActingStream stream =
          watch_target(cat("/api/v1/events?watch=true&fieldSelector=", selector,
                           "&resourceVersion=", *begin == '0' ? "0" : version),
                       [](ActingStream& s) { return s.events.empty(); });
      EXPECT_EQ(stream.events.at(0).text("object.involvedObject.name"), "b") << selector;
    }
  }
  EXPECT_EQ(call("GET", cat(kEvents, "?fieldSelector=metadata.name=b.x.1"))
                .body.find("items")
                ->array()
                ->size(),
            0u);
}

TEST_F(EventWatches, AreReadOneByOneByTheirName) {
  make("a");
  ASSERT_EQ(call("POST", cat(kRuns, "/a/cancel")).status, 200);
  const Answer all = call("GET", kEvents);
  ASSERT_EQ(all.body.find("items")->array()->size(), 2u);
  for (const wire::Value& listed : *all.body.find("items")->array()) {
    const std::string name = listed.text("metadata.name");
    const Answer one = call("GET", cat(kEvents, "/", name));
    ASSERT_EQ(one.status, 200) << one.text;
    EXPECT_EQ(wire::to_json(one.body), wire::to_json(listed)) << "as the list tells it";
    Request request = request_of("GET", cat(kEvents, "/", name), admin_);
    request.headers["accept"] = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    const Answer table = send(std::move(request));
    EXPECT_EQ(table.body.text("kind"), "Table");
    EXPECT_EQ(table.body.find("rows")->array()->size(), 1u);
    EXPECT_EQ(call("GET", cat("/api/v1/namespaces/other/events/", name)).status, 404);
  }
  const std::string name = all.body.find("items")->array()->at(0).text("metadata.name");
  for (const std::string& other :
       {cat(name, "0"), name.substr(0, name.size() - 2), std::string("a"), std::string(".x.1"),
        std::string("b.00000000.1")}) {
    const Answer none = call("GET", cat(kEvents, "/", other));
    EXPECT_EQ(none.status, 404) << other;
    EXPECT_EQ(none.reason(), "EVENT_NOT_FOUND") << other;
  }
  const std::string other = add_token("o", {"runs:read"}, "other");
  EXPECT_EQ(send(request_of("GET", cat(kEvents, "/", name), other)).status, 403);
  ASSERT_EQ(call("DELETE", cat(kRuns, "/a")).status, 200);
  EXPECT_EQ(call("GET", cat(kEvents, "/", name)).status, 404) << "it goes with its run";
}

TEST_F(EventWatches, AreTablesWhenAsked) {
  make("a");
  const ActingStream stream = watch_target(
      cat(kEvents, "?watch=true"), [](ActingStream& s) { return s.events.empty(); },
      "application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
  ASSERT_EQ(stream.events.size(), 1u);
  EXPECT_EQ(stream.events[0].text("object.kind"), "Table");
  EXPECT_EQ(stream.events[0].at("object.rows")->array()->at(0).at("cells")->array()->at(3),
            wire::Value("run/a"));
}

TEST_F(EventWatches, AreRefusedWhereNoHistoryLeads) {
  make("a");
  history_.begin(1000);
  const Answer ahead = call("GET", cat(kEvents, "?watch=true&resourceVersion=999999"));
  EXPECT_EQ(ahead.status, 410);
  EXPECT_EQ(ahead.reason(), "RESOURCE_VERSION_AHEAD");
  EXPECT_EQ(call("GET", cat(kEvents, "?resourceVersion=999999")).status, 410);
  EXPECT_EQ(call("GET", cat(kEvents, "?watch=true&resourceVersion=-1")).status, 400);
  EXPECT_EQ(call("GET", cat(kEvents, "?watch=true&fieldSelector=x=y")).reason(),
            "FIELD_SELECTOR_UNSUPPORTED");
}

TEST_F(EventWatches, NeedTheScopeAndStayInTheirNamespace) {
  const std::string version = list_version();
  make("a");
  const std::string other = add_token("o", {"runs:read"}, "other");
  EXPECT_EQ(send(request_of("GET", cat(kEvents, "?watch=true"), other)).status, 403);
  EXPECT_EQ(send(request_of("GET", "/api/v1/events?watch=true", other)).status, 403);
  const Answer none = call("GET", cat("/api/v1/namespaces/other/events?watch=true&timeoutSeconds=1",
                                      "&resourceVersion=", version));
  ActingStream stream([&](ActingStream&) {
    clock_.advance(Millis(2000));
    return true;
  });
  stream_here(none.response, stream);
  EXPECT_TRUE(stream.events.empty()) << stream.text;
}

}  // namespace
}  // namespace paddock::api
