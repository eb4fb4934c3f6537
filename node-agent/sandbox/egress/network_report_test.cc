#include "node-agent/sandbox/egress/network_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

contracts::SandboxResult result_with(const std::string& target) {
  contracts::SandboxResult result;
  result.enforced["network"].details = "as planned";
  result.denials.push_back({"network connect", target, "/x", "rule", "remedy"});
  return result;
}

TEST(NetworkReport, AddsWhatTheBrokerSawAndNamesAddressesInside) {
  contracts::SandboxResult result = result_with("127.64.0.1:8080");
  BrokerReport report;
  report.names = {{"127.64.0.1", "a.example"}};
  report.denials.push_back({"name lookup", "b.example", "", "rule", "remedy"});
  report.flows.push_back({"a.example", 443, "192.0.2.1", 1});
  tell_of_network(std::move(report), "/usr/bin/curl", result);
  ASSERT_EQ(result.denials.size(), 2u);
  EXPECT_EQ(result.denials[0].target, "a.example:8080");
  EXPECT_EQ(result.denials[0].executable, "/x");
  EXPECT_EQ(result.denials[1].target, "b.example");
  EXPECT_EQ(result.denials[1].executable, "/usr/bin/curl");
  ASSERT_EQ(result.usage.network.size(), 1u);
  EXPECT_EQ(result.usage.network[0].name, "a.example");
  EXPECT_EQ(result.enforced["network"].details, "as planned");
  EXPECT_EQ(result.enforced["network"].reason, "");
}

TEST(NetworkReport, LeavesOtherTargetsAlone) {
  for (const char* target : {"127.64.0.2:80", "192.0.2.1:443", "[::1]:80", "local", "127.64.0.1"}) {
    contracts::SandboxResult result = result_with(target);
    BrokerReport report;
    report.names = {{"127.64.0.1", "a.example"}};
    tell_of_network(std::move(report), "", result);
    EXPECT_EQ(result.denials[0].target, target);
  }
}

TEST(NetworkReport, TellsAFailedCommandWhatWasAllowedAndNotReached) {
  for (const auto status : {contracts::SandboxStatus::kFailed, contracts::SandboxStatus::kOk}) {
    contracts::SandboxResult result;
    result.status = status;
    result.reason = "exited with 1";
    BrokerReport report;
    report.flows = {{.name = "a.example", .port = 443, .connections = 1},
                    {.name = "b.example", .failures = 1, .problem = "there is no such name"}};
    tell_of_network(std::move(report), "", result);
    if (status == contracts::SandboxStatus::kOk) {
      EXPECT_EQ(result.reason, "exited with 1");
    } else {
      EXPECT_THAT(result.reason, AllOf(StartsWith("exited with 1; b.example "),
                                       EndsWith("there is no such name")));
    }
  }
}

TEST(NetworkReport, SaysThatItIsIncompleteWhenTheBrokerIsGone) {
  contracts::SandboxResult result = result_with("192.0.2.1:443");
  tell_of_network(std::nullopt, "", result);
  ASSERT_EQ(result.denials.size(), 2u);
  EXPECT_THAT(result.denials[1].rule, HasSubstr("broker ended"));
  EXPECT_EQ(result.enforced["network"].reason, "BROKER_ENDED");
  EXPECT_THAT(result.enforced["network"].details, HasSubstr("as planned"));
}

}  // namespace
}  // namespace paddock::sandbox
