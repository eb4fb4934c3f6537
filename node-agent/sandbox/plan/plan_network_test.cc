#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node-agent/sandbox/plan/plan_parts.h"

namespace paddock::sandbox {
namespace {

using contracts::LaunchRequest;
using testing::ElementsAre;

LaunchRequest request(std::vector<std::string> domains) {
  LaunchRequest out;
  out.policy.network = contracts::NetworkPolicy{true, std::move(domains)};
  return out;
}

HostFacts host() {
  HostFacts out;
  out.named = std::make_shared<const RequestFacts>(RequestFacts{.name_servers = {"192.0.2.53"}});
  return out;
}

std::string network_refusal(const LaunchRequest& launch, const HostFacts& facts) {
  SandboxPlan plan;
  const Status planned = plan_network(launch, facts, plan);
  EXPECT_TRUE(planned.ok() || !plan.broker);
  return planned.ok() ? "planned" : planned.error().reason.str();
}

TEST(PlanNetwork, IsNoneUnlessThePolicyEnablesIt) {
  for (const auto& network :
       {std::optional<contracts::NetworkPolicy>(), std::optional(contracts::NetworkPolicy{})}) {
    LaunchRequest launch;
    launch.policy.network = network;
    launch.network = contracts::NetworkSettings{{"192.0.2.1"}, {"10.0.0.0/8"}};
    SandboxPlan plan;
    ASSERT_TRUE(plan_network(launch, host(), plan).ok());
    EXPECT_FALSE(plan.broker);
    EXPECT_FALSE(plan.reach.broker);
    EXPECT_EQ(plan.enforced["network"].requested, wire::Value("none"));
    EXPECT_EQ(plan.enforced["network"].level, contracts::EnforcementLevel::kKernel);
  }
}

TEST(PlanNetwork, HasALoopbackOfItsOwnWhereThePolicySaysSo) {
  LaunchRequest launch;
  launch.policy.network = contracts::NetworkPolicy{.loopback = true};
  SandboxPlan plan;
  ASSERT_TRUE(plan_network(launch, host(), plan).ok());
  EXPECT_FALSE(plan.broker);
  EXPECT_TRUE(plan.reach.loopback);
  EXPECT_EQ(plan.enforced["network"].requested, wire::Value("loopback"));
  EXPECT_EQ(plan.enforced["network"].level, contracts::EnforcementLevel::kKernel);
  launch.policy.network->loopback = false;
  ASSERT_TRUE(plan_network(launch, host(), plan).ok());
  EXPECT_FALSE(plan.reach.loopback);
  EXPECT_EQ(plan.enforced["network"].requested, wire::Value("none"));
}

// Names are reached by that device: unless the policy says otherwise, programs may use it too.
TEST(PlanNetwork, HasOneBesideTheBrokerUnlessThePolicySaysNot) {
  for (const std::optional<bool> wanted :
       {std::optional<bool>(), std::optional(true), std::optional(false)}) {
    LaunchRequest launch = request({"a.example"});
    launch.policy.network->loopback = wanted;
    SandboxPlan plan;
    ASSERT_TRUE(plan_network(launch, host(), plan).ok());
    EXPECT_EQ(plan.reach.loopback, wanted.value_or(true));
  }
}

TEST(PlanNetwork, AHostThatGivesNoLoopbackRefusesUnlessItMayBeMissing) {
  const Error no{Code::kInternal, "SANDBOX_SETUP_FAILED", "bringing up: not permitted"};
  Enforced enforced;
  EXPECT_TRUE(accept_loopback({}, false, enforced).ok());
  EXPECT_TRUE(enforced.empty());
  const Status refused = accept_loopback(no, false, enforced);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, "LOOPBACK_UNAVAILABLE");
  EXPECT_THAT(refused.error().message, testing::HasSubstr("network.loopback"));
  EXPECT_TRUE(accept_loopback(no, true, enforced).ok());
  EXPECT_EQ(enforced["network"].requested, wire::Value("none"));
  EXPECT_EQ(enforced["loopback"].level, contracts::EnforcementLevel::kNone);
  EXPECT_EQ(enforced["loopback"].reason, "LOOPBACK_UNAVAILABLE");
  EXPECT_THAT(enforced["loopback"].details, testing::HasSubstr("not permitted"));
}

TEST(PlanNetwork, GivesTheBrokerThePolicysNamesAndTheOperatorsSettings) {
  LaunchRequest launch = request({"a.example", "b.example:8443"});
  SandboxPlan plan;
  plan.privileged = true;
  plan.host_uid = 4711;
  ASSERT_TRUE(plan_network(launch, host(), plan).ok());
  ASSERT_TRUE(plan.broker);
  EXPECT_THAT(plan.broker->allow_domains, ElementsAre("a.example", "b.example:8443"));
  EXPECT_THAT(plan.broker->resolvers, ElementsAre("192.0.2.53"));
  EXPECT_TRUE(plan.broker->allow_ranges.empty());
  EXPECT_EQ(plan.broker->uid, 4711);
  EXPECT_TRUE(plan.reach.broker);
  EXPECT_THAT(plan.reach.ports, ElementsAre(80, 443, 8443));
  EXPECT_EQ(plan.enforced["network"].level, contracts::EnforcementLevel::kBroker);
  launch.network = contracts::NetworkSettings{{"198.51.100.1"}, {"10.1.0.0/16"}};
  ASSERT_TRUE(plan_network(launch, host(), plan).ok());
  EXPECT_THAT(plan.broker->resolvers, ElementsAre("198.51.100.1"));
  EXPECT_THAT(plan.broker->allow_ranges, ElementsAre("10.1.0.0/16"));
}

TEST(PlanNetwork, RefusesWhatItsBrokerCouldNotServe) {
  EXPECT_EQ(network_refusal(request({}), host()), "INVALID_DOMAIN");
  EXPECT_EQ(network_refusal(request({"192.0.2.1"}), host()), "INVALID_DOMAIN");
  EXPECT_EQ(network_refusal(request({"a.example:53"}), host()), "INVALID_DOMAIN");
  EXPECT_EQ(network_refusal(request({"a.example"}), HostFacts()), "NO_NAME_SERVER");
  LaunchRequest launch = request({"a.example"});
  launch.network = contracts::NetworkSettings{{}, {"not a range"}};
  EXPECT_NE(network_refusal(launch, host()), "planned");
  launch.network = contracts::NetworkSettings{{"not an address"}, {}};
  EXPECT_NE(network_refusal(launch, host()), "planned");
  launch.network.reset();
  EXPECT_EQ(network_refusal(launch, host()), "planned");
}

TEST(PlanNetwork, TakesNamesOfTheHostsFileAsFarAsThePolicyAllowsThem) {
  HostFacts facts;  // without a name server
  facts.named = std::make_shared<const RequestFacts>(
      RequestFacts{.host_names = {{"mirror.corp", {"10.1.2.3"}}, {"other.corp", {"10.1.2.4"}}}});
  SandboxPlan plan;
  ASSERT_TRUE(plan_network(request({"mirror.corp"}), facts, plan).ok());
  ASSERT_TRUE(plan.broker);
  EXPECT_EQ(plan.broker->hosts,
            (std::map<std::string, std::vector<std::string>>{{"mirror.corp", {"10.1.2.3"}}}));
  EXPECT_EQ(network_refusal(request({"mirror.corp", "else.corp"}), facts), "NO_NAME_SERVER");
  EXPECT_EQ(network_refusal(request({"*.mirror.corp"}), facts), "NO_NAME_SERVER");
}

contracts::ToolGateway gateway(std::string host) {
  return {std::move(host), 8443, {"10.1.2.3"}, "0190f5a0-1234-7abc-8def-0123456789ab", "PEM"};
}

TEST(PlanNetwork, OpensAToolTokensGatewayWithoutANetwork) {
  LaunchRequest launch;
  launch.tool_gateway = gateway("controller.example");
  SandboxPlan plan;
  HostFacts facts = host();
  facts.named = std::make_shared<const RequestFacts>();  // it has no name server
  ASSERT_TRUE(plan_network(launch, facts, plan).ok());
  ASSERT_TRUE(plan.broker && plan.broker->gateway);
  EXPECT_TRUE(plan.broker->allow_domains.empty());
  EXPECT_EQ(plan.broker->gateway->ca, "");
  EXPECT_FALSE(plan.reach.broker);
  EXPECT_FALSE(plan.reach.loopback);
  ASSERT_EQ(plan.reach.gateway.size(), 1U);
  EXPECT_EQ(to_text(plan.reach.gateway[0].address, plan.reach.gateway[0].port), "127.0.0.2:8443");
  EXPECT_EQ(plan.enforced["toolGateway"].requested, wire::Value("controller.example:8443"));
  EXPECT_EQ(plan.enforced["toolGateway"].level, contracts::EnforcementLevel::kBroker);
  EXPECT_EQ(plan.enforced["network"].requested, wire::Value("none"));
  EXPECT_THAT(plan.enforced["network"].details, testing::HasSubstr("toolGateway"));
}

TEST(PlanNetwork, OpensAGatewayBesideTheNamesOfAPolicy) {
  LaunchRequest launch = request({"a.example"});
  launch.tool_gateway = gateway("localhost");
  SandboxPlan plan;
  ASSERT_TRUE(plan_network(launch, host(), plan).ok());
  EXPECT_THAT(plan.broker->allow_domains, ElementsAre("a.example"));
  EXPECT_TRUE(plan.reach.broker);
  EXPECT_EQ(plan.reach.gateway.size(), 2U);
}

// Whatever host has the name that a sandbox has, too: /etc/hosts says where that is.
TEST(PlanNetwork, OpensAGatewayToAHostOfItsOwnName) {
  LaunchRequest launch;
  launch.tool_gateway = gateway("sandbox");
  SandboxPlan plan;
  ASSERT_TRUE(plan_network(launch, host(), plan).ok());
  ASSERT_EQ(plan.reach.gateway.size(), 2U);
  EXPECT_EQ(to_text(plan.reach.gateway[0].address), "127.0.0.1");
  EXPECT_EQ(to_text(plan.reach.gateway[1].address), "::1");
}

TEST(PlanNetwork, RefusesAGatewayThatIsNone) {
  for (const char* host_name : {"a b", "a\n127.0.0.1 b", "", "[::1]", "a/b", "A.example"}) {
    LaunchRequest launch;
    launch.tool_gateway = gateway(host_name);
    EXPECT_EQ(network_refusal(launch, host()), "INVALID_GATEWAY") << host_name;
  }
  LaunchRequest launch;
  launch.tool_gateway = gateway("10.1.2.3");
  launch.tool_gateway->addresses = {"controller.example"};
  EXPECT_EQ(network_refusal(launch, host()), "INVALID_GATEWAY");
}

}  // namespace
}  // namespace paddock::sandbox
