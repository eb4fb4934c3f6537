#include "node-agent/sandbox/egress/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Records, SayWhatWasRefusedAndWhatWouldAllowIt) {
  Records records;
  records.refused_lookup("other.example");
  records.refused_lookup("other.example");
  records.refused_lookup("1.2.3.4");
  records.refused_connection("x:80", "a rule", "a remedy");
  const BrokerReport report = records.take();
  ASSERT_EQ(report.denials.size(), 3u);
  EXPECT_EQ(report.denials[0].what, "name lookup");
  EXPECT_EQ(report.denials[0].target, "other.example");
  EXPECT_EQ(report.denials[0].rule, "network.allowDomains");
  EXPECT_THAT(report.denials[0].remedy,
              AllOf(HasSubstr("other.example"), HasSubstr("network.allowDomains")));
  EXPECT_EQ(report.denials[0].count, 2);
  EXPECT_THAT(report.denials[1].remedy, HasSubstr("host name"));
  EXPECT_EQ(report.denials[2].what, "network connect");
  EXPECT_EQ(report.denials[2].rule, "a rule");
}

TEST(Records, CountWhatWentThroughPerNamePortAndAddress) {
  Records records;
  const size_t flow = records.flow("a.example", 443, "192.0.2.1");
  EXPECT_EQ(records.flow("a.example", 443, "192.0.2.1"), flow);
  EXPECT_NE(records.flow("a.example", 80, "192.0.2.1"), flow);
  records.connected(flow);
  records.connected(flow);
  records.failed(flow, {"SERVER_UNREACHABLE", "gone"});
  records.moved(flow, 10, 200);
  records.moved(flow, 1, 2);
  const BrokerReport report = records.take();
  ASSERT_EQ(report.flows.size(), 2u);
  EXPECT_EQ(report.flows[0].name, "a.example");
  EXPECT_EQ(report.flows[0].port, 443);
  EXPECT_EQ(report.flows[0].connections, 2);
  EXPECT_EQ(report.flows[0].failures, 1);
  EXPECT_EQ(report.flows[0].problem, "gone");
  EXPECT_EQ(report.flows[0].reason, "SERVER_UNREACHABLE");
  EXPECT_EQ(report.flows[0].sent_bytes, 11);
  EXPECT_EQ(report.flows[0].received_bytes, 202);
}

TEST(Records, StayBoundedWhateverIsTried) {
  Records records;
  for (int i = 0; i < 2000; ++i) {
    records.refused_lookup(cat("n", i, ".example"));
    const size_t flow = records.flow(cat("n", i, ".example"), 80, "");
    ASSERT_LE(flow, Records::kMostFlows);
    records.failed(flow, {"SERVER_UNREACHABLE", "gone"});
  }
  const BrokerReport report = records.take();
  ASSERT_EQ(report.flows.size(), Records::kMostFlows + 1);
  EXPECT_EQ(report.flows.back().name, "further names");
  EXPECT_EQ(report.flows.back().failures, 2000 - static_cast<int64_t>(Records::kMostFlows));
  int64_t refused = 0;
  for (const contracts::Denial& denial : report.denials) refused += denial.count;
  EXPECT_EQ(refused, 2000);
  EXPECT_LE(report.denials.size(), DenialList::kMost + 1);
}

}  // namespace
}  // namespace paddock::sandbox
