#include "cli/instance/host_findings.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/http/http_client.h"

namespace paddock::cli {
namespace {

using testing::HasSubstr;

HostFacts sound_host() {
  HostFacts facts;
  facts.system = "Linux";
  facts.cgroup_version = 2;
  facts.python = "Python 3.11.2";
  facts.venv = true;
  facts.clock_gap = Millis(0);
  return facts;
}

Finding find(const HostFacts& facts, std::string_view name) {
  const auto findings = host_findings(facts);
  const auto found = std::ranges::find(findings, name, &Finding::name);
  return found == findings.end() ? Finding{} : *found;
}

TEST(HostFindings, HaveNothingToMendOnASoundHost) {
  for (const Finding& each : host_findings(sound_host())) {
    EXPECT_TRUE(each.good) << each.name;
    EXPECT_EQ(each.remedy, "") << each.name;
  }
}

TEST(HostFindings, EachThatIsBadHasTheLineThatMendsIt) {
  HostFacts worst;  // of all that can be missing at once
  worst.system = "Linux";
  worst.missing_program = "paddock-sandbox";
  worst.clock_gap = Millis(-3'600'000);
  HostFacts untrusted = worst;
  untrusted.clock_gap.reset();
  untrusted.controller_error = Error{Code::kUnauthenticated, http::kNotValidNow, "has expired"};
  for (const HostFacts& facts : {worst, untrusted}) {
    const auto findings = host_findings(facts);
    EXPECT_EQ(std::ranges::count(findings, false, &Finding::good), 5);
    for (const Finding& each : findings) EXPECT_NE(each.good, !each.remedy.empty()) << each.name;
  }
}

TEST(HostFindings, NameAClockThatIsNotTheControllers) {
  HostFacts facts = sound_host();
  facts.clock_gap = Millis(600'000);
  EXPECT_THAT(find(facts, "clock").details, HasSubstr("10m behind that of the controller"));
  EXPECT_THAT(find(facts, "clock").details, HasSubstr("[CLOCK_WRONG]"));
  EXPECT_THAT(find(facts, "clock").remedy, HasSubstr("timedatectl set-ntp true"));
  facts.clock_gap.reset();
  EXPECT_EQ(find(facts, "clock").name, "") << "nobody was asked";
  facts.controller_error = Error{Code::kUnavailable, "UNREACHABLE", "cannot reach it"};
  EXPECT_EQ(find(facts, "clock").name, "");
}

TEST(HostFindings, NameADiskWithoutBytesOrFiles) {
  HostFacts facts = sound_host();
  EXPECT_EQ(find(facts, "disk").name, "") << "nothing was ever kept here";
  facts.disks = {DataDisk{"/var/lib/paddock", {int64_t{64} << 20, 5'000}}};
  EXPECT_TRUE(find(facts, "disk").good);
  facts.disks[0].room.files = 0;
  EXPECT_THAT(find(facts, "disk").details, HasSubstr("0 files are left at /var/lib/paddock"));
  EXPECT_THAT(find(facts, "disk").details, HasSubstr("[DISK_FULL]"));
  EXPECT_THAT(find(facts, "disk").remedy, HasSubstr("df -i"));
  facts.disks[0].room = {4'096, std::nullopt};
  EXPECT_FALSE(find(facts, "disk").good);
}

TEST(HostFindings, NameEachDiskAndAConfigurationThatCannotBeRead) {
  HostFacts facts = sound_host();
  facts.disks = {DataDisk{"/var/lib/paddock", {int64_t{64} << 20, 5'000}},
                 DataDisk{"/data", {4'096, std::nullopt}}};
  facts.agent_error = Error{Code::kFailedPrecondition, "AGENT_CONFIG_INVALID", "no access"};
  const std::vector<Finding> findings = host_findings(facts);
  const auto on_data = std::ranges::find_if(findings, [](const Finding& each) {
    return each.name == "disk" && each.details.find("/data") != std::string::npos;
  });
  ASSERT_NE(on_data, findings.end());
  EXPECT_FALSE(on_data->good);
  EXPECT_THAT(find(facts, "agent").details, HasSubstr("no access"));
  EXPECT_FALSE(find(facts, "agent").good);
}

TEST(HostFindings, NameNoCgroupsWhereThereAreNone) {
  HostFacts facts = sound_host();
  facts.system = "Darwin";
  EXPECT_EQ(find(facts, "cgroup").name, "");
}

}  // namespace
}  // namespace paddock::cli
