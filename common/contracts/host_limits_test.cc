#include "common/contracts/host_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/wire/yaml.h"

namespace paddock::contracts {
namespace {

using testing::HasSubstr;

constexpr int64_t kGi = int64_t{1} << 30;

SandboxPolicy asks(const std::string& limits) {
  return wire::decode<SandboxPolicy>(wire::parse_yaml(cat("limits: ", limits)).value()).value();
}

SandboxLimits of_host(int64_t memory, int64_t processes) {
  return limits_of_host({memory, processes, 2000 * kGi, 100'000'000}, builtin_profiles());
}

TEST(HostLimits, AreWhatTheHostHasLessAPart) {
  const SandboxLimits most = of_host(256 * kGi, 4'194'304);
  EXPECT_EQ(most.memory->bytes, 240 * kGi);
  EXPECT_EQ(*most.pids, 4'194'304 / 4);
  EXPECT_LT(most.fs_bytes->bytes, 2000 * kGi);
  EXPECT_GT(most.fs_bytes->bytes, 1700 * kGi);
  EXPECT_EQ(most.file_size->bytes, most.fs_bytes->bytes);
  EXPECT_LT(*most.file_count, 100'000'000);
}

TEST(HostLimits, OfLikeHostsAreAlike) {
  EXPECT_EQ(of_host(64 * kGi - 12'345'678, 32768).memory->bytes,
            of_host(64 * kGi - 98'765'432, 32768).memory->bytes);
}

TEST(HostLimits, LetEveryProfilePassOnTheSmallestHost) {
  const SandboxLimits most = limits_of_host({kGi / 2, 1000, kGi, 100}, builtin_profiles());
  for (const auto& [name, profile] : builtin_profiles())
    EXPECT_TRUE(over_largest(profile.policy, most, {}, "a host").empty()) << name;
}

// A host whose size nobody could read is none of which everything may be asked.
TEST(HostLimits, OfAHostThatCannotBeReadAreThoseOfTheProfiles) {
  const SandboxLimits most = limits_of_host({}, builtin_profiles());
  EXPECT_EQ(most.memory->bytes, 8 * kGi);
  EXPECT_EQ(*most.pids, 1024);
}

TEST(HostLimits, RefuseByNameWithWhatWouldPassAndWhoCanRaiseIt) {
  const auto refused =
      over_largest(asks("{pids: 4000000}"), of_host(16 * kGi, 32768), {}, "node x");
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].reason, "LIMIT_OVER_CEILING");
  EXPECT_EQ(refused[0].field, "limits.pids");
  EXPECT_THAT(refused[0].message,
              testing::AllOf(testing::HasSubstr("4000000"), testing::HasSubstr("node x"),
                             testing::HasSubstr("at most 8192"),
                             testing::HasSubstr("ceilings.limits.pids")));
}

TEST(HostLimits, BoundEverythingThatAHostHasToProvide) {
  const SandboxPolicy huge = asks(
      "{memory: 1024Ti, addressSpace: 1024Ti, pids: 4194304, fileSize: 1024Ti, fsBytes: 1024Ti, "
      "fileCount: 1000000000, commandBytes: 1024Ti}");
  const auto refused = over_largest(huge, of_host(256 * kGi, 4'194'304), {}, "a host");
  EXPECT_EQ(refused.size(), 7U);
}

TEST(HostLimits, LetPassWhatIsAsLargeAsTheHostGives) {
  const SandboxLimits most = of_host(256 * kGi, 4'194'304);
  EXPECT_TRUE(over_largest(asks("{memory: 240Gi, pids: 1048576, fsBytes: 1Ti}"), most, {}, "a host")
                  .empty());
  EXPECT_EQ(over_largest(asks("{memory: 241Gi}"), most, {}, "a host").size(), 1U);
}

// Limits that nobody asked for are the profile's; one that the operator set is the operator's.
TEST(HostLimits, AreSilentWhereNobodyAskedOrTheOperatorSpoke) {
  const SandboxLimits most = of_host(16 * kGi, 32768);
  EXPECT_TRUE(over_largest(asks("{}"), most, {}, "a host").empty());
  Ceilings operators;
  operators.limits.pids = 100'000;
  EXPECT_TRUE(over_largest(asks("{pids: 90000}"), most, operators, "a host").empty());
}

TEST(HostLimits, OfANodeHoldThereTooWhateverTheControllerLetPass) {
  const NodeBounds node{{}, of_host(16 * kGi, 32768)};
  const Status checked = check_node_bounds(asks("{memory: 900Ti}"), node);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().reason, "LIMIT_OVER_CEILING");
  EXPECT_THAT(checked.error().message, HasSubstr("this node"));
  EXPECT_TRUE(check_node_bounds(asks("{memory: 8Gi}"), node).ok());
}

TEST(HostLimits, OfSeveralHostsAreTheLargestOfEach) {
  const SandboxLimits both = larger_of(of_host(64 * kGi, 32768), of_host(16 * kGi, 4'194'304));
  EXPECT_EQ(both.memory->bytes, 60 * kGi);
  EXPECT_EQ(*both.pids, 1'048'576);
}

}  // namespace
}  // namespace paddock::contracts
