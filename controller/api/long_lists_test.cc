// Lists of more than is read at once: with `limit` in pages that end early, without it whole.
#include <set>

#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

constexpr const char* kEventList = "/api/v1/namespaces/default/events";
constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr int kRunCount = 20;

class LongLists : public ApiTest {
 protected:
  LongLists() {
    make_workspace();
    for (int i = 0; i < kRunCount; ++i)
      add(cat("r", i / 10, i % 10), i < kRunCount / 2 ? "first" : "second");
  }
  void add(const std::string& name, const std::string& half) {
    contracts::Run run;
    run.metadata.name = name;
    run.metadata.name_space = "default";
    run.metadata.uid = cat("uid-", name);
    run.spec.command.argv = {"true"};
    run.metadata.annotations["note"] = std::string(60'000, 'x');
    run.metadata.labels["half"] = half;
    EXPECT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(run); }).ok());
  }
  // What a client makes of the answer, however it comes.
  wire::Value document(const std::string& target, const std::string& accept = {}) {
    Request request = request_of("GET", target, admin_);
    if (!accept.empty()) request.headers["accept"] = accept;
    const Answer answer = send(request);
    EXPECT_EQ(answer.status, 200) << answer.text;
    streamed_ = answer.response.steps != nullptr;
    if (!streamed_) return answer.body;
    FakeStream stream;
    stream_here(answer.response, stream);
    auto parsed = wire::parse_json(stream.text);
    EXPECT_TRUE(parsed.ok()) << stream.text.substr(0, 200);
    return parsed.ok() ? *parsed : wire::Value();
  }
  // Each of them once, in more than one page.
  void expect_all_in_pages(const std::string& list,
                           const std::function<void(const Answer&)>& look) {
    std::set<std::string> all;
    std::string next;
    int pages = 0;
    do {
      const std::string from = next.empty() ? "" : cat("&continue=", next);
      const Answer page = call("GET", cat(list, "?limit=100", from));
      look(page);
      if (HasFatalFailure()) return;
      for (const std::string& name : names(page.body)) EXPECT_TRUE(all.insert(name).second);
      next = page.body.text("metadata.continue");
      ++pages;
    } while (!next.empty() && pages < 100);
    EXPECT_EQ(all.size(), static_cast<size_t>(kRunCount));
    EXPECT_GT(pages, 1);
  }
  static std::set<std::string> names(const wire::Value& list, const char* items = "items",
                                     const char* name = "metadata.name") {
    std::set<std::string> out;
    for (const wire::Value& each : *list.find(items)->array()) {
      EXPECT_TRUE(out.insert(each.text(name)).second) << "it comes once";
    }
    return out;
  }
  bool streamed_ = false;
};

TEST_F(LongLists, ThatWereAskedForWholeAreWhole) {
  for (const char* target : {kRuns, kPods}) {
    const wire::Value list = document(target);
    EXPECT_TRUE(streamed_) << "they are read some of it at a time";
    EXPECT_EQ(names(list).size(), static_cast<size_t>(kRunCount));
    EXPECT_EQ(list.text("metadata.continue"), "");
    EXPECT_NE(list.text("metadata.resourceVersion"), "");
  }
  EXPECT_EQ(document(kRuns).text("kind"), "RunList");
}

TEST_F(LongLists, AreWholeInEveryForm) {
  const wire::Value table =
      document(kRuns, "application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
  EXPECT_TRUE(streamed_);
  EXPECT_EQ(table.text("kind"), "Table");
  EXPECT_FALSE(table.find("columnDefinitions")->array()->empty());
  EXPECT_EQ(names(table, "rows", "object.metadata.name").size(), static_cast<size_t>(kRunCount));
  const wire::Value metadata = document(
      kRuns, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json");
  EXPECT_EQ(metadata.text("kind"), "PartialObjectMetadataList");
  EXPECT_EQ(names(metadata).size(), static_cast<size_t>(kRunCount));
  const wire::Value newest = document(cat(kRuns, "?order=newest"));
  EXPECT_EQ(newest.find("items")->array()->front().text("metadata.name"), "r19");
  EXPECT_EQ(names(newest).size(), static_cast<size_t>(kRunCount));
}

TEST_F(LongLists, SelectAsShortOnesDo) {
  const wire::Value second = document(cat(kRuns, "?labelSelector=half=second"));
  EXPECT_EQ(names(second).size(), static_cast<size_t>(kRunCount / 2));
  EXPECT_TRUE(names(second).contains("r10"));
  EXPECT_TRUE(names(document(cat(kRuns, "?labelSelector=half=none"))).empty());
}

TEST_F(LongLists, EndTheirPagesEarlyWhereTheyComeInPages) {
  std::string version;
  expect_all_in_pages(kRuns, [&](const Answer& page) {
    ASSERT_EQ(page.status, 200) << page.text;
    EXPECT_LT(page.text.size(), size_t{3} << 19);
    if (version.empty()) version = page.body.text("metadata.resourceVersion");
    EXPECT_EQ(page.body.text("metadata.resourceVersion"), version);
  });
}

// Else whoever asks for what is not there has all of it read at once.
TEST_F(LongLists, EndAPageWhereMuchWasReadAndNothingMatched) {
  for (int i = 0; i < 300; ++i) add(cat("s", i), "third");
  add("t", "last");
  for (const char* target : {kRuns, kPods}) {
    const std::string asked = cat(target, "?limit=100&labelSelector=half=last");
    const Answer first = call("GET", asked);
    EXPECT_EQ(first.status, 200);
    EXPECT_TRUE(names(first.body).empty());
    const std::string next = first.body.text("metadata.continue");
    ASSERT_NE(next, "");
    const Answer second = call("GET", cat(asked, "&continue=", next));
    EXPECT_EQ(names(second.body).size(), 1U) << second.text.substr(0, 500);
    EXPECT_EQ(second.body.text("metadata.continue"), "");
  }
}

TEST_F(LongLists, AreBrokenOffWithTheirToken) {
  const std::string reader = add_token("reader", {"runs:read"});
  const Answer answer = send(request_of("GET", kRuns, reader));
  ASSERT_TRUE(answer.response.steps);
  FakeStream stream;
  ASSERT_EQ(answer.response.steps->step(stream, nullptr).then, Steps::Then::kAsk);
  revoke(reader);
  clock_.advance(Millis(61'000));
  EXPECT_EQ(answer.response.steps->ask(stream).then, Steps::Then::kBroken);
  EXPECT_FALSE(wire::parse_json(stream.text).ok());
}

TEST_F(LongLists, OfEventsAreWholeOrInPages) {
  const std::string uid = call("POST", kRuns, run_text("talks")).body.text("metadata.uid");
  const std::string message(60'000, 'x');
  const wire::Value data = wire::Value::Object{
      {"phase", "Pending"}, {"reason", "WAITING"}, {"message", message}, {"attempt", 0}};
  for (int i = 1; i < kRunCount; ++i) {
    contracts::RunEvent event{0, clock_.wall().ms, std::string(contracts::kEventPhase),
                              wire::to_json(data)};
    ASSERT_TRUE(
        store_->write([&](store::WriteTxn& txn) { return txn.append_event(uid, event); }).ok());
  }
  EXPECT_EQ(names(document(kEventList)).size(), static_cast<size_t>(kRunCount));
  EXPECT_TRUE(streamed_);
  expect_all_in_pages(kEventList, [](const Answer&) {});
}

TEST_F(LongLists, OfEventsEndAPageWhereMuchWasReadAndNothingMatched) {
  const std::string uid = call("POST", kRuns, run_text("talks")).body.text("metadata.uid");
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) -> Status {
                    for (int i = 1; i <= 2'100; ++i) {
                      contracts::RunEvent event{
                          0, clock_.wall().ms, std::string(contracts::kEventPhase),
                          cat(R"({"phase":"Pending","reason":")", i <= 2'000 ? "WAITING" : "LAST",
                              R"(","attempt":0})")};
                      TRY(txn.append_event(uid, event));
                    }
                    return {};
                  })
                  .ok());
  const std::string asked = cat(kEventList, "?limit=10&fieldSelector=reason=LAST");
  const Answer first = call("GET", asked);
  EXPECT_TRUE(first.body.find("items")->array()->empty()) << first.text.substr(0, 500);
  const std::string next = first.body.text("metadata.continue");
  ASSERT_NE(next, "");
  const Answer second = call("GET", cat(asked, "&continue=", next));
  ASSERT_EQ(names(second.body).size(), 10U) << second.text.substr(0, 500);
  const std::string one = *names(second.body).begin();
  EXPECT_EQ(call("GET", cat(kEventList, "/", one)).body.text("metadata.name"), one);
}

TEST_F(LongLists, AreDeletedWhole) {
  const Answer answer = call("DELETE", kRuns);
  EXPECT_EQ(answer.status, 200) << answer.text.substr(0, 500);
  EXPECT_TRUE(names(document(kRuns)).empty());
}

TEST_F(LongLists, NameEveryNamespaceOnce) {
  for (const char* name_space : {"a", "a-b", "z"}) {
    for (const char* name : {"one", "two", "zz"}) {
      contracts::Run run;
      run.metadata.name = name;
      run.metadata.name_space = name_space;
      run.metadata.uid = cat(name_space, name);
      run.spec.command.argv = {"true"};
      ASSERT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.create(run); }).ok());
    }
  }
  EXPECT_EQ(names(call("GET", "/api/v1/namespaces").body),
            (std::set<std::string>{"a", "a-b", "default", "z"}));
}

}  // namespace
}  // namespace paddock::api
