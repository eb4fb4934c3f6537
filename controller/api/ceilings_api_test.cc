// What a run or a session may ask for where no operator named a ceiling: what the largest node has.
#include "controller/api/node_test_support.h"
#include "controller/nodes/synchronize.h"

namespace paddock::api {
namespace {

constexpr int64_t kGi = int64_t{1} << 30;

class HostCeilings : public NodeApiTest {
 protected:
  void join(const std::string& name, int64_t memory_gi, int64_t processes) {
    enroll(name);
    contracts::SyncRequest hello;
    hello.process = cat("process-of-", name);
    contracts::NodeStatus& status = hello.status.emplace();
    status.capacity = {16, {memory_gi * kGi}, {1000 * kGi}, 16};
    status.max_sessions = 4;
    if (processes > 0)
      status.largest_limits = contracts::limits_of_host(
          {memory_gi * kGi, processes, 1000 * kGi, 10'000'000}, contracts::builtin_profiles());
    ASSERT_TRUE(nodes::synchronize(*store_, leases_, name, hello, nodes::now(clock_)).ok());
  }
  Answer ask(const std::string& limits) {
    return call("POST", cat(kRuns, "?dryRun=All"),
                cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":"r"},)",
                    R"("spec":{"type":"code","code":"1","sandbox":{"limits":)", limits, "}}}"));
  }
  static std::string field_of(const Answer& answer) {
    return answer.body.at("error.details.causes")->array()->at(0).text("field");
  }
};

TEST_F(HostCeilings, WithoutANodeAreThoseOfTheProfiles) {
  EXPECT_EQ(ask("{}").status, 201);
  EXPECT_EQ(ask(R"({"memory":"8Gi","pids":1024})").status, 201);
  const Answer refused = ask(R"({"memory":"9Gi"})");
  EXPECT_EQ(refused.reason(), "LIMIT_OVER_CEILING");
  EXPECT_EQ(field_of(refused), "spec.sandbox.limits.memory");
}

TEST_F(HostCeilings, LetPassWhatTheLargestNodeHas) {
  join("small", 4, 32768);
  join("large", 256, 4'194'304);
  EXPECT_EQ(ask(R"({"memory":"240Gi","pids":100000,"fsBytes":"900Gi"})").status, 201);
  for (const char* over : {R"({"memory":"900Ti"})", R"({"pids":4000000})", R"({"fsBytes":"900Ti"})",
                           R"({"fileSize":"900Ti"})", R"({"fileCount":1000000000})",
                           R"({"addressSpace":"900Ti"})", R"({"commandBytes":"1Gi"})"}) {
    const Answer refused = ask(over);
    EXPECT_EQ(refused.status, 400) << over;
    EXPECT_EQ(refused.reason(), "LIMIT_OVER_CEILING") << over;
    EXPECT_NE(refused.text.find("ceilings.limits."), std::string::npos);
  }
}

TEST_F(HostCeilings, OfAnOlderAgentFollowFromItsCapacity) {
  join("older", 64, 0);
  EXPECT_EQ(ask(R"({"memory":"60Gi"})").status, 201);
  EXPECT_EQ(ask(R"({"memory":"64Gi"})").reason(), "LIMIT_OVER_CEILING");
}

TEST_F(HostCeilings, GiveWayToWhatTheOperatorSays) {
  join("small", 4, 32768);
  services_.ceilings.limits.pids = 20'000;
  EXPECT_EQ(ask(R"({"pids":20000})").status, 201);
  EXPECT_EQ(ask(R"({"pids":20001})").reason(), "LIMIT_OVER_CEILING");
}

TEST_F(HostCeilings, AreThoseOfSessionsToo) {
  join("small", 4, 32768);
  const auto session = [&](const std::string& limits) {
    return call(
        "POST", "/apis/paddock.dev/v1alpha1/namespaces/default/sandboxes?dryRun=All",
        cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Sandbox","metadata":{"name":"s"},)",
            R"("spec":{"security":{"limits":)", limits, "}}}"));
  };
  EXPECT_EQ(session(R"({"memoryBytes":1073741824})").status, 201);
  const Answer refused = session(R"({"memoryBytes":1099511627776})");
  EXPECT_EQ(refused.reason(), "LIMIT_OVER_CEILING") << refused.text;
  EXPECT_EQ(field_of(refused), "spec.security.limits.memoryBytes");
  services_.ceilings.limits.command_bytes = wire::Quantity{100};
  EXPECT_EQ(session(R"({"commandBytes":100})").status, 201);
  EXPECT_EQ(field_of(session(R"({"commandBytes":101})")), "spec.security.limits.commandBytes");
  services_.ceilings.limits.command_bytes.reset();
  // What a session has no field for follows from one that it has.
  services_.ceilings.limits.cpu_time = wire::Duration{Millis(64'000)};
  EXPECT_EQ(session(R"({"timeoutMs":1000})").status, 201);
  EXPECT_EQ(field_of(session(R"({"timeoutMs":1001})")), "spec.security.limits.timeoutMs");
}

}  // namespace
}  // namespace paddock::api
