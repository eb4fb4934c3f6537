#include "node-agent/sandbox/egress/resolved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using testing::HasSubstr;

DnsReplies answered(DnsCode code, std::vector<IpAddress> addresses = {}) {
  return {.answer = DnsAnswer{.code = code, .addresses = std::move(addresses)}, .failure = {}};
}
const DnsReplies kSilence;
const DnsReplies kServfail = {.answer = {}, .failure = DnsCode::kServer};

TEST(Resolved, TellsAddressesThatMayBeReachedFromThoseThatMayNot) {
  const auto here = answered(DnsCode::kNone, {ipv4(0x5db8d822), ipv4(0x0a000001)});
  const Resolved resolved = resolved_from(here, kSilence, {});
  EXPECT_EQ(resolved.addresses.size(), 1u);
  EXPECT_EQ(resolved.refused.size(), 1u);
  EXPECT_FALSE(resolved.why);
  EXPECT_FALSE(resolved_from(answered(DnsCode::kNone, {ipv4(0x0a000001)}), kSilence, {}).why);
}

TEST(Resolved, SaysWhyANameLeadsNowhere) {
  const DnsReplies none = answered(DnsCode::kNone);
  const DnsReplies no_name = answered(DnsCode::kNoName);
  EXPECT_EQ(resolved_from(no_name, no_name, {}).why, Unresolved::kNoName);
  EXPECT_EQ(resolved_from(no_name, kSilence, {}).why, Unresolved::kNoName);
  EXPECT_EQ(resolved_from(none, none, {}).why, Unresolved::kNoAddress);
  EXPECT_EQ(resolved_from(kServfail, none, {}).why, Unresolved::kServerFailed);
  EXPECT_EQ(resolved_from(none, kSilence, {}).why, Unresolved::kNoAnswer);
  EXPECT_EQ(resolved_from(kSilence, kSilence, {}).why, Unresolved::kNoAnswer);
}

TEST(Resolved, IsToldInTheWordsOfTheNameService) {
  EXPECT_EQ(code_of(Unresolved::kNoName), DnsCode::kNoName);
  EXPECT_EQ(code_of(Unresolved::kNoAddress), DnsCode::kNone);
  EXPECT_EQ(code_of(Unresolved::kServerFailed), DnsCode::kServer);
  EXPECT_EQ(code_of(Unresolved::kNoAnswer), DnsCode::kServer);
}

TEST(Resolved, HasAWordForEachWayInWhichAnAllowedNameIsNotReached) {
  EXPECT_EQ(why_unresolved(Unresolved::kNoName).reason, "NAME_UNKNOWN");
  EXPECT_EQ(why_unresolved(Unresolved::kNoAddress).reason, "NAME_WITHOUT_ADDRESS");
  EXPECT_EQ(why_unresolved(Unresolved::kServerFailed).reason, "NAME_SERVER_FAILED");
  EXPECT_EQ(why_unresolved(Unresolved::kNoAnswer).reason, "NAME_SERVER_SILENT");
}

}  // namespace
}  // namespace paddock::sandbox
