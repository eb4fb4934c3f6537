// The text of /metrics: histograms, and labels that callers and nodes cannot add to.
#include "controller/api/metrics/metrics.h"

#include <thread>

#include <gmock/gmock.h>

#include "controller/api/api_test_support.h"

namespace paddock::api {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

TEST(Histograms, CountByTheFirstBoundThatHolds) {
  Histogram times;
  times.add(milliseconds(1));
  times.add(Micros(1'001));
  times.add(std::chrono::hours(1));
  times.add(Micros(-5));  // a clock that went back
  const std::string text = times.text("t", "a=\"b\"");
  EXPECT_THAT(text, HasSubstr("t_bucket{a=\"b\",le=\"0.001\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("t_bucket{a=\"b\",le=\"0.002\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("t_bucket{a=\"b\",le=\"60\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("t_bucket{a=\"b\",le=\"+Inf\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("t_sum{a=\"b\"} 3600.002001\n"));
  EXPECT_THAT(text, HasSubstr("t_count{a=\"b\"} 4\n"));
  EXPECT_THAT(Histogram().text("t"), HasSubstr("t_sum 0\nt_count 0\n"));
}

TEST(HttpTimes, AreOneRowForARouteWhoeverCountsFirst) {
  HttpTimes times;
  const std::string same = "/a/{name}";  // another address, the same words
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        for (int n = 0; n < 500; ++n)
          times.count("GET", i % 2 == 0 ? "/a/{name}" : same.c_str(), 200, Micros(10));
      });
    }
  }
  times.count("GET", "/a/{name}", 404, Micros(10));
  const std::string text = times.text();
  EXPECT_THAT(text, HasSubstr("_count{method=\"GET\",route=\"/a/{name}\",class=\"2xx\"} 2000\n"));
  EXPECT_THAT(text, HasSubstr("_count{method=\"GET\",route=\"/a/{name}\",class=\"4xx\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("5xx")));
}

class MetricsRoute : public ApiTest {};

TEST_F(MetricsRoute, NamesRoutesAndNothingThatACallerWrote) {
  for (const char* name : {"first", "second"}) call("GET", cat(kRuns, "/", name));
  call("BREW", "/nowhere");
  call("GET", "/nowhere/else");
  const std::string text = call("GET", "/metrics").text;
  EXPECT_THAT(text, HasSubstr("paddock_http_request_seconds_count{method=\"GET\",route=\"/apis/"
                              "paddock.dev/v1alpha1/namespaces/{ns}/runs/{name}\",class=\"4xx\"} "
                              "2\n"));
  EXPECT_THAT(text, HasSubstr("paddock_http_request_seconds_count{method=\"none\",route=\"none\","
                              "class=\"4xx\"} 2\n"));
  for (const char* word : {"first", "BREW", "nowhere"}) EXPECT_THAT(text, Not(HasSubstr(word)));
}

TEST_F(MetricsRoute, NamesTheCauseForWhichANodeCouldBeginNothing) {
  ASSERT_TRUE(store_
                  ->write([](store::WriteTxn& txn) -> Status {
                    for (const char* reason : {"", "NODE_DISK_FULL", "WHATEVER_IT_SAYS"}) {
                      contracts::Node node;
                      node.metadata.name = cat("n", std::string_view(reason).size());
                      node.metadata.uid = node.metadata.name;
                      if (*reason != 0) {
                        node.status.cool_down.emplace().reason = reason;
                        node.status.cool_down->failures = 3;
                      }
                      TRY(txn.create(node));
                    }
                    return {};
                  })
                  .ok());
  const std::string text = call("GET", "/metrics").text;
  for (const char* line :
       {"{node=\"n0\",reason=\"none\"} 0\n", "{node=\"n14\",reason=\"NODE_DISK_FULL\"} 3\n",
        "{node=\"n16\",reason=\"other\"} 3\n"})
    EXPECT_THAT(text, HasSubstr(cat("paddock_node_cool_down_failures", line)));
}

TEST_F(MetricsRoute, CountsNodesThatRestAndNotThoseThatAreTriedAgain) {
  ASSERT_TRUE(store_
                  ->write([](store::WriteTxn& txn) -> Status {
                    for (const char* name : {"rests", "rests-too", "is-tried-again", "is-well"}) {
                      contracts::Node node;
                      node.metadata.name = name;
                      node.metadata.uid = name;
                      const bool rests = node.metadata.name.starts_with("rests");
                      if (node.metadata.name != "is-well") node.status.cool_down.emplace();
                      if (rests) node.status.cool_down->until = wire::Timestamp{WallTime{9'000}};
                      TRY(txn.create(node));
                    }
                    return {};
                  })
                  .ok());
  EXPECT_THAT(call("GET", "/metrics").text, HasSubstr("paddock_nodes{state=\"resting\"} 2\n"));
}

TEST_F(MetricsRoute, TellsOfStagesAndCommitsOnceTheyAreStored) {
  make_workspace();
  ASSERT_EQ(call("POST", kRuns, run_text("r")).status, 201);
  const auto count = [&](const std::string& name) {
    const std::string text = call("GET", "/metrics").text;
    const size_t at = text.find(cat("\n", name, " "));
    return at == std::string::npos ? -1 : std::stoll(text.substr(at + name.size() + 2));
  };
  EXPECT_EQ(count("paddock_run_stage_seconds_count{stage=\"total\"}"), 0);
  const int64_t commits = count("paddock_store_commit_seconds_count");
  EXPECT_GT(commits, 0);
  clock_.advance(milliseconds(2'500));
  const Status undone = store_->write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(auto run, txn.get<contracts::Run>({"default", "r"}));
    TRY(store::save_run(txn, run, runs::request_cancel(run, clock_.wall())));
    return Error{Code::kConflict, "PRECONDITION_FAILED", "as if it had never been"};
  });
  EXPECT_FALSE(undone.ok());
  EXPECT_EQ(count("paddock_run_stage_seconds_count{stage=\"total\"}"), 0);
  end_run("r");
  EXPECT_EQ(count("paddock_run_stage_seconds_count{stage=\"total\"}"), 1);
  EXPECT_EQ(count("paddock_run_stage_seconds_bucket{stage=\"total\",le=\"1\"}"), 0);
  EXPECT_EQ(count("paddock_run_stage_seconds_bucket{stage=\"total\",le=\"5\"}"), 1);
  EXPECT_GT(count("paddock_store_commit_seconds_count"), commits);
}

TEST(Metrics, CountDenialsOfSandboxes) {
  Metrics metrics;
  metrics.runs.count_denials({3, 0, 1, 0});
  EXPECT_THAT(metrics.text(), HasSubstr("paddock_sandbox_denials_total{kind=\"execute\"} 3\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("paddock_sandbox_denials_total{kind=\"name\"} 1\n"));
}

}  // namespace
}  // namespace paddock::api
